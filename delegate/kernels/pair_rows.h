// Two tensors combined block by block, the second of which may be one row for many of the first: what mul and square share in vectors.
//
// The includer defines
//   pair_args                           the kernel's arguments, which have in, out, n and rows
//   BLOCK_BYTES                         of either tensor combined together
//   stage_path                          the type of the output stage's path
//   struct factors                      the constants, made by factors_of(args, path)
//   struct raised                       a block of the second tensor, as it is combined
//
// The second tensor is raised once for all rows. Reads and writes the elements given; the last few of a single row by way of the stack.
#include <string.h>

#include "kernels/inline.h"
#include "kernels/kernel.h"

typedef void (*raise_fn)(const struct factors *, const uint8_t *, struct raised *);
typedef void (*combine_fn)(const struct factors *, stage_path, const uint8_t *, const struct raised *, uint8_t *);

TVMQ_INLINE void combine_all(const pair_args *args, size_t bytes, raise_fn raise, combine_fn combine, stage_path path) {
  const struct factors factors = factors_of(args, path);
  const uint8_t *const a = args->in[0], *const b = args->in[1];
  uint8_t *const out = args->out;
  const size_t all = args->n * bytes, rest = all % BLOCK_BYTES, done = all - rest, end = args->rows * all;
  struct raised raised;
  for (size_t i = 0; i < done; i += BLOCK_BYTES) {
    raise(&factors, b + i, &raised);
    for (size_t at = i; at < end; at += all) combine(&factors, path, a + at, &raised, out + at);
  }
  if (rest == 0) return;
  uint8_t last[BLOCK_BYTES] = {0};
  memcpy(last, b + done, rest);
  raise(&factors, last, &raised);
  memcpy(last, a + done, rest);
  combine(&factors, path, last, &raised, last);
  memcpy(out + done, last, rest);
}
