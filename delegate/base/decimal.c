#include "base/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

static const double enough = 1e30;  // further digits would not change a double

// Appends the leading digits of [at, end) to *value and adds the number of ignored digits to *dropped. Returns the end
// of the digits, or NULL if there are none.
static const char *digits(const char *at, const char *end, double *value, double *dropped) {
  const char *first = at;
  for (; at < end && *at >= '0' && *at <= '9'; at++) {
    if (*value < enough)
      *value = *value * 10 + (*at - '0');
    else
      ++*dropped;
  }
  return at > first ? at : NULL;
}

const char *tvmq_decimal_read(const char *at, const char *end, double *number) {
  double value = 0, exponent = 0, dropped = 0, none = 0;
  long places = 0;
  at = digits(at, end, &value, &dropped);
  if (at != NULL && at < end && *at == '.') {
    const char *point = at + 1;
    at = digits(point, end, &value, &dropped);
    places = at != NULL ? (long)(at - point) : 0;
  }
  if (at != NULL && at < end && (*at == 'e' || *at == 'E')) {
    at++;
    const bool down = at < end && *at == '-';
    at += down || (at < end && *at == '+');
    at = digits(at, end, &exponent, &none);
    if (down) exponent = -exponent;
  }
  exponent += dropped - (double)places;
  // A quotient by an exact power is rounded only once.
  if (value != 0) value = exponent < 0 ? value / pow(10, -exponent) : value * pow(10, exponent);
  *number = value;
  return at;
}
