// GATHER and GATHER_ND of indices of every type and depth.
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "support/random.h"

enum { MOST_DEPTH = 3 };

static void store(void *indices, enum tvmq_type type, size_t i, int32_t value) {
  if (type == TVMQ_TYPE_S16)
    ((int16_t *)indices)[i] = (int16_t)value;
  else if (type == TVMQ_TYPE_S32)
    ((int32_t *)indices)[i] = value;
  else
    ((int64_t *)indices)[i] = value;
}

// Writes random indices, and the slices that they stand for.
static void gather(const struct tvmq_gather_desc *d, size_t slices, const uint8_t *in, void *indices, uint8_t *out) {
  const size_t bytes = (size_t)d->slice * tvmq_type_bytes(d->in_type);
  for (size_t i = 0; i < (size_t)d->n; i++) {
    size_t at = 0;
    for (size_t k = 0; k < (size_t)d->depth; k++) {
      const int32_t index = (int32_t)check_below((uint32_t)d->sizes[k]);
      store(indices, d->index_type, i * (size_t)d->depth + k, index);
      at = at * (size_t)d->sizes[k] + (size_t)index;
    }
    for (size_t o = 0; o < (size_t)d->outer; o++) memcpy(out + (o * (size_t)d->n + i) * bytes, in + (o * slices + at) * bytes, bytes);
  }
}

void fuzz_gather(struct fuzz_bytes *b, const struct tvmq_env *env) {
  static _Alignas(8) uint8_t expected[FUZZ_MAX_BYTES];
  static const enum tvmq_type index_types[] = {TVMQ_TYPE_S16, TVMQ_TYPE_S32, TVMQ_TYPE_S64};
  const enum guard_side side = fuzz_pick(b, 0, 1) ? GUARD_START : GUARD_END;
  struct tvmq_gather_desc d = {
      .in_type = (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_BOOL),
      .index_type = fuzz_pick(b, 0, 15) ? index_types[fuzz_pick(b, 0, 2)] : (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_BOOL),
      .n = (int32_t)fuzz_pick(b, 0, fuzz_pick(b, 0, 3) ? 20 : 500),
      .depth = (int32_t)fuzz_pick(b, 0, MOST_DEPTH),
      .slice = (int32_t)fuzz_pick(b, 0, fuzz_pick(b, 0, 1) ? 10 : 300),
  };
  d.out_type = fuzz_pick(b, 0, 31) ? d.in_type : TVMQ_TYPE_S16;
  size_t slices = 1;
  for (int32_t k = 0; k < d.depth; k++) slices *= (size_t)(d.sizes[k] = (int32_t)fuzz_pick(b, 0, fuzz_pick(b, 0, 1) ? 4 : 30));
  if (fuzz_pick(b, 0, 31) == 0) d.n = (int32_t)fuzz_pick(b, INT32_MIN, INT32_MAX);
  if (fuzz_pick(b, 0, 31) == 0) d.slice = (int32_t)fuzz_pick(b, INT32_MIN, INT32_MAX);
  d.outer = (int32_t)fuzz_pick(b, 0, fuzz_pick(b, 0, 1) ? 1 : 20);
  if (fuzz_pick(b, 0, 31) == 0) d.outer = (int32_t)fuzz_pick(b, INT32_MIN, INT32_MAX);
  char text[200];
  snprintf(text, sizeof text, "gather, types %d by %d, %d parts, %d indices of %d, slices of %d, cpu %#x", d.in_type, d.index_type, d.outer, d.n, d.depth,
           d.slice, env->cpu);
  fuzz_about(text);
  const union tvmq_desc desc = {.gather = d};
  if (fuzz_claim(&tvmq_operator_gather, &desc)) return;
  const size_t bytes = (size_t)d.slice * tvmq_type_bytes(d.in_type), in_bytes = (size_t)d.outer * slices * bytes,
               out_bytes = (size_t)d.outer * (size_t)d.n * bytes, index_bytes = (size_t)d.n * (size_t)d.depth * tvmq_type_bytes(d.index_type);
  if (in_bytes > FUZZ_MAX_BYTES || out_bytes > FUZZ_MAX_BYTES || index_bytes > FUZZ_MAX_BYTES) return;
  const struct fuzz_tensor in = fuzz_tensor(FUZZ_IN, in_bytes, side), indices = fuzz_tensor(FUZZ_IN_2, index_bytes, side);
  check_random_bytes(in.write, in_bytes);
  gather(&d, slices, in.read, indices.write, expected);
  struct tvmq_op *op = NULL;
  const void *ins[] = {in.read, indices.read};
  fuzz_run(&tvmq_op_gather, &op, &desc, env, ins, expected, out_bytes, side);
  tvmq_op_release(&tvmq_op_gather, op);
}
