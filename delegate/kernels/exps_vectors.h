// The exponential function in float64 vectors of WIDTH elements: e^x = 2^k p(x - k ln 2), with a polynomial of degree 7
// whose relative error on [-ln 2 / 2, ln 2 / 2] is below 2^-34. The includer defines WIDTH, VECTORS, which are independent
// work, and
//
//   widen(in), narrow(out, x)  float32 to float64 and back
//   fused(a, b, c)             a b + c, rounded once
#include <stddef.h>
#include <stdint.h>

#include "base/inline.h"

typedef double doubles __attribute__((vector_size(WIDTH * 8)));
typedef int64_t integers __attribute__((vector_size(WIDTH * 8)));

TVMQ_INLINE doubles widen(const float *in);
TVMQ_INLINE void narrow(float *out, doubles x);
TVMQ_INLINE doubles fused(doubles a, doubles b, doubles c);

TVMQ_INLINE doubles all(double x) { return x - (doubles){0}; }

// Coefficients of the polynomial that equals e^x at the Chebyshev nodes of the interval, from the highest.
static const double coefficients[] = {0x1.a17df2ec2e233p-13, 0x1.6da753185abf6p-10, 0x1.1110a6222ea3p-7,  0x1.555464a0f07a3p-5,
                                      0x1.5555557e7125ep-3,  0x1.0000005c89e4ep-1,  0x1.fffffffff61fdp-1, 0x1.ffffffffa7135p-1};

// Returns y, negative if the 29 bits that float32 lacks are within `doubt` of the middle.
TVMQ_INLINE doubles mark_doubt(integers y, int64_t doubt) {
  const int64_t unit = 1 << 29;
  const integers beyond = ((y + (unit / 2 + doubt)) & (unit - 1)) - 2 * doubt;
  return (doubles)(y | (beyond & INT64_MIN));
}

static void exps(const float *arguments, float *results, size_t n, uint32_t doubt) {
  const double round = 0x1.8p52;  // added, it leaves the nearest integer in the lowest bits
  for (size_t i = 0; i < n; i += VECTORS * WIDTH) {
    doubles k[VECTORS], x[VECTORS], y[VECTORS];
    UNROLL for (int v = 0; v < VECTORS; v++) x[v] = widen(arguments + i + v * WIDTH);
    UNROLL for (int v = 0; v < VECTORS; v++) k[v] = fused(x[v], all(0x1.71547652b82fep0), all(round));
    UNROLL for (int v = 0; v < VECTORS; v++) x[v] = fused(k[v] - round, all(-0x1.62e42fefa39efp-1), x[v]);
    UNROLL for (int v = 0; v < VECTORS; v++) y[v] = all(coefficients[0]);
    UNROLL for (size_t c = 1; c < sizeof coefficients / sizeof coefficients[0]; c++) {
      UNROLL for (int v = 0; v < VECTORS; v++) y[v] = fused(y[v], x[v], all(coefficients[c]));
    }
    UNROLL for (int v = 0; v < VECTORS; v++) narrow(results + i + v * WIDTH, mark_doubt((integers)y[v] + ((integers)k[v] << 52), doubt));
  }
}
