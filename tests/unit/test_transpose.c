// Transpositions of matrices: every element is at its place and nothing else is written, for few rows and columns and for many, dense and with gaps, and for
// rows that lie in the opposite order.
#include <string.h>

#include "cpu/ops/moves/transpose.h"
#include "unit.h"

enum { MOST = 36, GAP = 8, MOST_BYTES = 8, UNTOUCHED = 0xa5 };

static uint8_t in[MOST * (MOST + GAP) * MOST_BYTES], out[MOST * (MOST + GAP) * MOST_BYTES];

static void check(size_t rows, size_t columns, size_t size, size_t in_gap, size_t out_gap, bool backwards) {
  const size_t in_stride = (columns + in_gap) * size, out_stride = (rows + out_gap) * size, out_bytes = columns * out_stride;
  memset(out, UNTOUCHED, sizeof out);
  const struct tvmq_transposition matrix = {.in = backwards ? in + (rows - 1) * in_stride : in,
                                            .out = out,
                                            .rows = rows,
                                            .columns = columns,
                                            .in_stride = backwards ? -(ptrdiff_t)in_stride : (ptrdiff_t)in_stride,
                                            .out_stride = out_stride};
  tvmq_transpose(&matrix, size);
  size_t wrong = 0;
  for (size_t i = 0; i < sizeof out; i++) {
    const size_t column = i / out_stride, row = i % out_stride / size, from = backwards ? rows - 1 - row : row;
    const bool is_element = i < out_bytes && row < rows;
    wrong += out[i] != (is_element ? in[from * in_stride + column * size + i % size] : UNTOUCHED);
  }
  CHECK(wrong == 0, "%zu x %zu of %zu bytes, gaps %zu and %zu, backwards %d: %zu bytes are wrong", rows, columns, size, in_gap, out_gap, backwards, wrong);
}

int main(void) {
  unsigned long long state = 1;
  for (size_t i = 0; i < sizeof in; i++) in[i] = (uint8_t)(unit_random(&state) >> 40);
  static const size_t counts[] = {1, 2, 3, 4, 5, 8, 15, 16, 17, 31, MOST};
  enum { N = sizeof counts / sizeof counts[0] };
  for (size_t size = 1; size <= MOST_BYTES; size *= 2) {
    for (size_t i = 0; i < N * N * 8; i++) {
      const size_t kind = i / (N * N);
      check(counts[i % N], counts[i / N % N], size, kind & 1 ? GAP : 0, kind & 2 ? GAP : 0, (kind & 4) != 0);
    }
  }
  return unit_report();
}
