// Transposes blocks in registers: as many rows as 16 bytes have elements, by 16 bytes. Matrices smaller than a block
// are transposed element by element.
//
// A block of n vectors of n elements takes log2(n) rounds. A round interleaves vector i with vector i + n/2: the lower
// halves become vector 2i, the upper halves vector 2i + 1. The row and column of an element form a number of 2 log2(n)
// bits, which a round rotates by one bit. So log2(n) rounds exchange row and column.
#include "cpu/ops/moves/transpose.h"

#include <string.h>

#include "base/arith.h"
#include "base/inline.h"
#include "base/interleave.h"

// Bytes of a vector, and of an output row that are written before the next input columns are read.
enum { VECTOR = 16, STRIP = 64 };

typedef uint8_t bytes_1 __attribute__((vector_size(VECTOR)));
typedef uint16_t bytes_2 __attribute__((vector_size(VECTOR)));
typedef uint32_t bytes_4 __attribute__((vector_size(VECTOR)));
typedef uint64_t bytes_8 __attribute__((vector_size(VECTOR)));

// Copies n elements of each of several lines. Elements are in_step bytes apart in the input and out_step in the output.
// Constant arguments give vectorized loops without counters.
TVMQ_INLINE void move_lines(const uint8_t *in, ptrdiff_t in_line, ptrdiff_t in_step, uint8_t *restrict out, size_t out_line, size_t out_step, size_t lines,
                            size_t n, size_t size) {
  for (size_t i = 0; i < n; i++, in += in_step, out += out_step) {
    UNROLL for (size_t line = 0; line < lines; line++) memcpy(out + line * out_line, in + (ptrdiff_t)line * in_line, size);
  }
}

// Transposes a matrix with fewer rows or columns than a block. Two and three are the most frequent numbers, mostly
// without gaps: these are constants for the loops below.
TVMQ_INLINE void move_rows(const struct tvmq_transposition *m, size_t rows, size_t size) {
  if (m->out_stride == rows * size)
    move_lines(m->in, m->in_stride, (ptrdiff_t)size, m->out, size, rows * size, rows, m->columns, size);
  else
    move_lines(m->in, m->in_stride, (ptrdiff_t)size, m->out, size, m->out_stride, rows, m->columns, size);
}
TVMQ_INLINE void move_columns(const struct tvmq_transposition *m, size_t columns, size_t size) {
  if (m->in_stride == (ptrdiff_t)(columns * size))
    move_lines(m->in, (ptrdiff_t)size, (ptrdiff_t)(columns * size), m->out, m->out_stride, size, columns, m->rows, size);
  else
    move_lines(m->in, (ptrdiff_t)size, m->in_stride, m->out, m->out_stride, size, columns, m->rows, size);
}
TVMQ_INLINE void move_few(const struct tvmq_transposition *m, size_t size) {
  if (m->rows == 2)
    move_rows(m, 2, size);
  else if (m->rows == 3)
    move_rows(m, 3, size);
  else if (m->columns == 2)
    move_columns(m, 2, size);
  else if (m->columns == 3)
    move_columns(m, 3, size);
  else if (m->rows < m->columns)
    move_lines(m->in, m->in_stride, (ptrdiff_t)size, m->out, size, m->out_stride, m->rows, m->columns, size);
  else
    move_lines(m->in, (ptrdiff_t)size, m->in_stride, m->out, m->out_stride, size, m->columns, m->rows, size);
}

// Defines transpose_<size> for elements of <size> bytes.
#define DEFINE_TRANSPOSE(SIZE)                                                                                                              \
  static void block_##SIZE(const uint8_t *in, ptrdiff_t in_stride, uint8_t *out, size_t out_stride) {                                       \
    enum { N = VECTOR / SIZE };                                                                                                             \
    bytes_##SIZE a[N], b[N];                                                                                                                \
    for (size_t i = 0; i < N; i++) memcpy(&a[i], in + (ptrdiff_t)i * in_stride, VECTOR);                                                    \
    _Pragma("GCC unroll 4") for (size_t round = 1; round < N; round *= 2) {                                                                 \
      _Pragma("GCC unroll 8") for (size_t i = 0; i < N / 2; i++) {                                                                          \
        b[2 * i] = TVMQ_LOW_##SIZE(a[i], a[i + N / 2]);                                                                                     \
        b[2 * i + 1] = TVMQ_HIGH_##SIZE(a[i], a[i + N / 2]);                                                                                \
      }                                                                                                                                     \
      memcpy(a, b, sizeof a);                                                                                                               \
    }                                                                                                                                       \
    for (size_t i = 0; i < N; i++) memcpy(out + i * out_stride, &a[i], VECTOR);                                                             \
  }                                                                                                                                         \
  static void transpose_##SIZE(const struct tvmq_transposition *m) {                                                                        \
    enum { N = VECTOR / SIZE, LINE = STRIP / SIZE };                                                                                        \
    if (m->rows < N || m->columns < N) {                                                                                                    \
      move_few(m, SIZE);                                                                                                                    \
      return;                                                                                                                               \
    }                                                                                                                                       \
    for (size_t strip = 0; strip < m->rows; strip += LINE) {                                                                                \
      const size_t end = tvmq_min(strip + LINE, m->rows);                                                                                   \
      for (size_t column = 0; column < m->columns; column += N) {                                                                           \
        const size_t c = tvmq_min(column, m->columns - N); /* the last block overlaps the one before it */                                  \
        for (size_t row = strip; row < end; row += N) {                                                                                     \
          const size_t r = tvmq_min(row, m->rows - N);                                                                                      \
          block_##SIZE(m->in + (ptrdiff_t)r * m->in_stride + c * SIZE, m->in_stride, m->out + c * m->out_stride + r * SIZE, m->out_stride); \
        }                                                                                                                                   \
      }                                                                                                                                     \
    }                                                                                                                                       \
  }

DEFINE_TRANSPOSE(1)
DEFINE_TRANSPOSE(2)
DEFINE_TRANSPOSE(4)
DEFINE_TRANSPOSE(8)

bool tvmq_transposes(size_t element_bytes) { return element_bytes == 1 || element_bytes == 2 || element_bytes == 4 || element_bytes == 8; }

void tvmq_transpose(const struct tvmq_transposition *matrix, size_t element_bytes) {
  (element_bytes == 1 ? transpose_1 : element_bytes == 2 ? transpose_2 : element_bytes == 4 ? transpose_4 : transpose_8)(matrix);
}
