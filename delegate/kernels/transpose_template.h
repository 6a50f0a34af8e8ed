// Transposes blocks in registers: the part that all instruction sets share.
//
// The includer defines
//   ISA                        suffix of the symbol
//   vec                        vectors of one or several parts of 16 bytes
//   load(in, stride)           the vector whose parts lie `stride` bytes apart
//   store(out, x)              stores all parts side by side
//   low_1, low_2, low_4, low_8(a, b)
//                              interleaves the lower halves of the parts of two vectors, for elements of that size
//   high_1 ... high_8(a, b)    the same of the upper halves
//   transpose_small(args)      matrices that are smaller than a block
//
// N elements are a part. A block has N columns and, for each part of a vector, N rows. Vector i of a block begins as rows i, i + N and so on. A block takes
// log2(N) rounds. A round interleaves vector i with vector i + N/2: the lower halves become vector 2i, the upper halves vector 2i + 1. The row and column of an
// element form a number of 2 log2(N) bits, which a round rotates by one bit. So log2(N) rounds exchange row and column.
#pragma once

#include <string.h>

#include "base/arith.h"
#include "base/inline.h"
#include "kernels/kernel.h"

// Bytes of a part, and of an output row that are written before the next input columns are read.
enum { PART = 16, STRIP = 64 };

// Defines transpose_<size> for elements of <size> bytes. The last block of rows or columns overlaps the one before it.
#define DEFINE_TRANSPOSE(SIZE)                                                                                                                          \
  TVMQ_INLINE void block_##SIZE(const uint8_t *in, ptrdiff_t in_stride, uint8_t *out, size_t out_stride) {                                              \
    enum { N = PART / SIZE };                                                                                                                           \
    vec a[N], b[N];                                                                                                                                     \
    UNROLL for (size_t i = 0; i < N; i++) a[i] = load(in + (ptrdiff_t)i * in_stride, N * in_stride);                                                    \
    UNROLL for (size_t round = 1; round < N; round *= 2) {                                                                                              \
      UNROLL for (size_t i = 0; i < N / 2; i++) {                                                                                                       \
        b[2 * i] = low_##SIZE(a[i], a[i + N / 2]);                                                                                                      \
        b[2 * i + 1] = high_##SIZE(a[i], a[i + N / 2]);                                                                                                 \
      }                                                                                                                                                 \
      memcpy(a, b, sizeof a);                                                                                                                           \
    }                                                                                                                                                   \
    UNROLL for (size_t i = 0; i < N; i++) store(out + i * out_stride, a[i]);                                                                            \
  }                                                                                                                                                     \
  static void transpose_##SIZE(const struct tvmq_transpose_args *args) {                                                                                \
    enum { N = PART / SIZE, ROWS = sizeof(vec) / SIZE, LINE = STRIP / SIZE };                                                                           \
    const struct tvmq_transpose_args m = *args;                                                                                                         \
    if (m.rows < ROWS || m.columns < N) {                                                                                                               \
      transpose_small(args);                                                                                                                            \
      return;                                                                                                                                           \
    }                                                                                                                                                   \
    for (size_t strip = 0; strip < m.rows; strip += LINE) {                                                                                             \
      const size_t end = tvmq_min(strip + LINE, m.rows), whole = strip + (end - strip) / ROWS * ROWS;                                                   \
      for (size_t column = 0; column < m.columns; column += N) {                                                                                        \
        const size_t c = tvmq_min(column, m.columns - N);                                                                                               \
        const uint8_t *const in = m.in + c * SIZE;                                                                                                      \
        uint8_t *const out = m.out + c * m.out_stride;                                                                                                  \
        const uint8_t *from = in + (ptrdiff_t)strip * m.in_stride;                                                                                      \
        for (size_t row = strip; row < whole; row += ROWS, from += ROWS * m.in_stride) block_##SIZE(from, m.in_stride, out + row * SIZE, m.out_stride); \
        if (whole < end) block_##SIZE(in + (ptrdiff_t)(end - ROWS) * m.in_stride, m.in_stride, out + (end - ROWS) * SIZE, m.out_stride);                \
      }                                                                                                                                                 \
    }                                                                                                                                                   \
  }

DEFINE_TRANSPOSE(1)
DEFINE_TRANSPOSE(2)
DEFINE_TRANSPOSE(4)
DEFINE_TRANSPOSE(8)

#define PASTE(isa) tvmq_transpose__##isa
#define SYMBOL(isa) PASTE(isa)

void SYMBOL(ISA)(const struct tvmq_transpose_args *args) {
  (args->element == 1 ? transpose_1 : args->element == 2 ? transpose_2 : args->element == 4 ? transpose_4 : transpose_8)(args);
}
