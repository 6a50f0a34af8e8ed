// A quotient by six, corrected from a product with a sixth (kernels/arm64/floats_neon.c): every mantissa, at both ends of the exponents and in between.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "unit.h"

static float corrected(float p) {
  const float sixth = 1.0f / 6, q = p * sixth;
  return fmaf(fmaf(-6, q, p), sixth, q);
}

int main(void) {
  static const int exponents[] = {-100, 0, 125};
  for (size_t e = 0; e < sizeof exponents / sizeof exponents[0]; e++) {
    size_t wrong = 0;
    for (uint32_t mantissa = 0; mantissa < UINT32_C(1) << 23; mantissa++) {
      const uint32_t bits = (uint32_t)(exponents[e] + 127) << 23 | mantissa;
      float p;
      memcpy(&p, &bits, sizeof p);
      wrong += corrected(p) != p / 6 || corrected(-p) != -p / 6;
    }
    CHECK(wrong == 0, "exponent %d: %zu mantissas", exponents[e], wrong);
  }
  return unit_report();
}
