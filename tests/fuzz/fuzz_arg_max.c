// ARG_MAX along any axis.
#include <stdio.h>

#include "fuzz.h"
#include "support/oracle.h"
#include "support/random.h"

// The first of the greatest elements, which lie `inner` elements apart.
static int32_t greatest_at(const struct tvmq_arg_max_desc *d, const void *in, size_t first) {
  int32_t found = 0;
  for (int32_t k = 1; k < d->depth; k++) {
    const size_t at = first + (size_t)k * (size_t)d->inner, best = first + (size_t)found * (size_t)d->inner;
    if (oracle_load(d->in_type, in, at) > oracle_load(d->in_type, in, best)) found = k;
  }
  return found;
}

static void arg_max(const struct tvmq_arg_max_desc *d, const void *in, void *out) {
  const size_t inner = (size_t)d->inner, n = (size_t)d->outer * inner;
  for (size_t i = 0; i < n; i++) {
    const int32_t place = greatest_at(d, in, i / inner * (size_t)d->depth * inner + i % inner);
    if (d->out_type == TVMQ_TYPE_S64) {
      ((int64_t *)out)[i] = place;
    } else {
      ((int32_t *)out)[i] = place;
    }
  }
}

enum { MOST_BYTES = 1 << 16 };  // of inputs, unless a line alone has more: libFuzzer is to see many

void fuzz_arg_max(struct fuzz_bytes *b, const struct tvmq_env *env) {
  static _Alignas(8) uint8_t expected[FUZZ_MAX_BYTES];
  const enum guard_side side = fuzz_pick(b, 0, 1) ? GUARD_START : GUARD_END;
  struct tvmq_arg_max_desc d = {
      .in_type = fuzz_pick(b, 0, 1) ? TVMQ_TYPE_S8 : TVMQ_TYPE_U8,
      .out_type = fuzz_pick(b, 0, 1) ? TVMQ_TYPE_S32 : TVMQ_TYPE_S64,
      .outer = (int32_t)fuzz_pick(b, 0, 20),
      .depth = (int32_t)fuzz_pick(b, 0, fuzz_pick(b, 0, 1) ? 20 : 1000),
      .inner = fuzz_pick(b, 0, 1) ? 1 : (int32_t)fuzz_pick(b, 0, 150),
  };
  const int32_t most = MOST_BYTES / (d.depth * d.inner + 1) + 1;
  if (d.outer > most) d.outer = most;
  if (fuzz_pick(b, 0, 15) == 0) *(fuzz_pick(b, 0, 1) ? &d.in_type : &d.out_type) = (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_S4);
  if (fuzz_pick(b, 0, 31) == 0) d.outer = (int32_t)fuzz_pick(b, INT32_MIN, INT32_MAX);
  const int32_t codes = (int32_t)fuzz_pick(b, 1, 256);  // few make ties
  char text[200];
  snprintf(text, sizeof text, "arg max, types %d -> %d, %d x %d x %d, %d codes, cpu %#x", d.in_type, d.out_type, d.outer, d.depth, d.inner, codes, env->cpu);
  fuzz_about(text);
  const union tvmq_desc desc = {.arg_max = d};
  const char *why = fuzz_claim(&tvmq_operator_arg_max, &desc);
  if (why) return;
  const size_t n = (size_t)d.outer * (size_t)d.inner, in_bytes = n * (size_t)d.depth, out_bytes = n * tvmq_type_bytes(d.out_type);
  if (in_bytes > FUZZ_MAX_BYTES || out_bytes > FUZZ_MAX_BYTES) return;
  const struct fuzz_tensor in = fuzz_tensor(FUZZ_IN, in_bytes, side);
  for (size_t i = 0; i < in_bytes; i++) ((uint8_t *)in.write)[i] = (uint8_t)((int32_t)check_below((uint32_t)codes) - codes / 2);
  arg_max(&d, in.read, expected);
  struct tvmq_op *op = NULL;
  fuzz_run(&tvmq_op_arg_max, &op, &desc, env, &in.read, expected, out_bytes, side);
  tvmq_op_release(&tvmq_op_arg_max, op);
}
