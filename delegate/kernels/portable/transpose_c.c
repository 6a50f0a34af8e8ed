// Portable transposition, in vectors of 16 bytes. Matrices smaller than a block are transposed element by element.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/inline.h"
#include "base/interleave.h"
#include "kernels/kernel.h"

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
TVMQ_INLINE void move_rows(const struct tvmq_transpose_args *m, size_t rows, size_t size) {
  if (m->out_stride == rows * size)
    move_lines(m->in, m->in_stride, (ptrdiff_t)size, m->out, size, rows * size, rows, m->columns, size);
  else
    move_lines(m->in, m->in_stride, (ptrdiff_t)size, m->out, size, m->out_stride, rows, m->columns, size);
}
TVMQ_INLINE void move_columns(const struct tvmq_transpose_args *m, size_t columns, size_t size) {
  if (m->in_stride == (ptrdiff_t)(columns * size))
    move_lines(m->in, (ptrdiff_t)size, (ptrdiff_t)(columns * size), m->out, m->out_stride, size, columns, m->rows, size);
  else
    move_lines(m->in, (ptrdiff_t)size, m->in_stride, m->out, m->out_stride, size, columns, m->rows, size);
}
TVMQ_INLINE void move_few(const struct tvmq_transpose_args *m, size_t size) {
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

TVMQ_INLINE void transpose_small(const struct tvmq_transpose_args *m) {
  if (m->element == 1)
    move_few(m, 1);
  else if (m->element == 2)
    move_few(m, 2);
  else if (m->element == 4)
    move_few(m, 4);
  else
    move_few(m, 8);
}

#define ISA c
typedef uint8_t bytes_1 __attribute__((vector_size(16)));
typedef uint16_t bytes_2 __attribute__((vector_size(16)));
typedef uint32_t bytes_4 __attribute__((vector_size(16)));
typedef uint64_t bytes_8 __attribute__((vector_size(16)));
typedef bytes_1 vec;

// There is only one part.
TVMQ_INLINE vec load(const uint8_t *in, ptrdiff_t stride) {
  (void)stride;
  vec x;
  memcpy(&x, in, sizeof x);
  return x;
}
TVMQ_INLINE void store(uint8_t *out, vec x) { memcpy(out, &x, sizeof x); }
#define INTERLEAVE(SIZE)                                                                                      \
  TVMQ_INLINE vec low_##SIZE(vec a, vec b) { return (vec)TVMQ_LOW_##SIZE((bytes_##SIZE)a, (bytes_##SIZE)b); } \
  TVMQ_INLINE vec high_##SIZE(vec a, vec b) { return (vec)TVMQ_HIGH_##SIZE((bytes_##SIZE)a, (bytes_##SIZE)b); }
INTERLEAVE(1)
INTERLEAVE(2)
INTERLEAVE(4)
INTERLEAVE(8)

#include "kernels/transpose_template.h"
