// The exponential function in float64 vectors of WIDTH elements: e^x = 2^k p(x - k ln 2), with a polynomial of degree 7
// whose relative error on [-ln 2 / 2, ln 2 / 2] is below 2^-34. The includer defines WIDTH and
//
//   widen(x, half)     float32 to float64: the lower or upper half of a vector
//   narrow(low, high)  float64 to float32: one vector of two halves
//   low_words(low, high)  the lower 32 bits of each float64
//   fused(a, b, c)     a b + c, rounded once
//   open_lanes(x, bits, magnitudes)  a bit for each lane of a group where no bit of `bits` is set in x, or where the
//                      magnitude is not MOST at most
//
// Part of functions_template.h, whose vectors it uses.
typedef double doubles __attribute__((vector_size(WIDTH * 8)));
typedef uint64_t integers __attribute__((vector_size(WIDTH * 8)));

TVMQ_INLINE doubles widen(floats x, int half);
TVMQ_INLINE floats narrow(doubles low, doubles high);
TVMQ_INLINE masks low_words(integers low, integers high);
TVMQ_INLINE doubles fused(doubles a, doubles b, doubles c);
TVMQ_INLINE uint32_t open_lanes(const words x[VECTORS], uint32_t bits, const floats magnitudes[VECTORS]);

TVMQ_INLINE doubles all(double x) { return x - (doubles){0}; }

// Coefficients of the polynomial that equals e^x at the Chebyshev nodes of the interval, from the highest.
static const double coefficients[] = {0x1.a17df2ec2e233p-13, 0x1.6da753185abf6p-10, 0x1.1110a6222ea3p-7,  0x1.555464a0f07a3p-5,
                                      0x1.5555557e7125ep-3,  0x1.0000005c89e4ep-1,  0x1.fffffffff61fdp-1, 0x1.ffffffffa7135p-1};

// Sets results to e^x. Returns the lanes that are left to the library.
TVMQ_INLINE uint32_t exps(const floats arguments[VECTORS], floats results[VECTORS], uint32_t doubt) {
  const double round = 0x1.8p52;  // added, it leaves the nearest integer in the lowest bits
  doubles k[2 * VECTORS], x[2 * VECTORS], y[2 * VECTORS];
  UNROLL for (int v = 0; v < 2 * VECTORS; v++) x[v] = widen(arguments[v / 2], v % 2);
  UNROLL for (int v = 0; v < 2 * VECTORS; v++) k[v] = fused(x[v], all(0x1.71547652b82fep0), all(round));
  UNROLL for (int v = 0; v < 2 * VECTORS; v++) x[v] = fused(k[v] - round, all(-0x1.62e42fefa39efp-1), x[v]);
  UNROLL for (int v = 0; v < 2 * VECTORS; v++) y[v] = all(coefficients[0]);
  UNROLL for (size_t c = 1; c < sizeof coefficients / sizeof coefficients[0]; c++) {
    UNROLL for (int v = 0; v < 2 * VECTORS; v++) y[v] = fused(y[v], x[v], all(coefficients[c]));
  }
  // The low 29 bits, which float32 drops, lie in [2^28 - doubt, 2^28 + doubt) if those of the sum are below 2 doubt.
  words sums[VECTORS];
  floats magnitudes[VECTORS];
  UNROLL for (int v = 0; v < VECTORS; v++) {
    sums[v] = (words)low_words((integers)y[2 * v], (integers)y[2 * v + 1]) + ((UINT32_C(1) << 28) + doubt);
    magnitudes[v] = magnitude(arguments[v]);
  }
  const uint32_t open = open_lanes(sums, (UINT32_C(1) << 29) - 2 * doubt, magnitudes);
  UNROLL for (int v = 0; v < 2 * VECTORS; v++) y[v] = (doubles)((integers)y[v] + ((integers)k[v] << 52));
  UNROLL for (int v = 0; v < VECTORS; v++) results[v] = narrow(y[2 * v], y[2 * v + 1]);
  return open;
}
