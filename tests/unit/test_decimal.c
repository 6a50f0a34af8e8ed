// Decimal numbers: the double that the C library reads, however many digits there are, and never anything that is no number.
#include <math.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "unit.h"

// A number, and what follows it; NULL: none stands there.
static void check(const char *text, const char *rest) {
  double got = 7;
  const char *behind = tvmq_decimal_read(text, text + strlen(text), &got);
  CHECK_STRING(behind, rest, text);
  if (behind == NULL) return;
  const double wanted = strtod(text, NULL);
  CHECK(got == wanted || fabs(got / wanted - 1) < 1e-14, "%.60s: %.17g instead of %.17g", text, got, wanted);
}

int main(void) {
  static const char *const good[] = {"0",     "1",     "007",   "0.5",    "12.25",
                                     "1e3",   "1E+3",  "25e-4", "1e22",   "1e-22",
                                     "0e999", "1e308", "1e309", "1e-400", "3.14159265358979323846264338327950288419716939"};
  for (size_t i = 0; i < N_ELEMENTS(good); i++) check(good[i], "");
  check("1 2", " 2");
  check("1-", "-");
  static const char *const none[] = {"", ".5", "1.", "e5", "1e", "1e+", "-1", "nan", "inf", "x"};
  for (size_t i = 0; i < N_ELEMENTS(none); i++) check(none[i], NULL);

  // More digits than a double's range has: before the point, behind it, and in the exponent.
  static char text[1200];
  for (int n = 1; n < 500; n += 7) {
    snprintf(text, sizeof text, "1%0*de-%d", n, 0, n);
    check(text, "");
    snprintf(text, sizeof text, "0.%0*d1e%d", n, 0, n);
    check(text, "");
    snprintf(text, sizeof text, "1e%0*d", n, 5);
    check(text, "");
    snprintf(text, sizeof text, "%0*d", n, 0);
    memset(text, '9', (size_t)n);
    check(text, "");
  }
  return unit_report();
}
