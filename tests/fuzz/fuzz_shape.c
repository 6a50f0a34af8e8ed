// SHAPE of a tensor of any rank.
#include <stdio.h>
#include <string.h>

#include "fuzz.h"

void fuzz_shape(struct fuzz_bytes *b, const struct tvmq_env *env) {
  const enum guard_side side = fuzz_pick(b, 0, 1) ? GUARD_START : GUARD_END;
  struct tvmq_shape_desc d = {.out_type = fuzz_pick(b, 0, 1) ? TVMQ_TYPE_S32 : TVMQ_TYPE_S64, .rank = (int32_t)fuzz_pick(b, 0, TVMQ_MAX_RANK)};
  if (fuzz_pick(b, 0, 15) == 0) d.out_type = (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_S4);
  uint8_t expected[TVMQ_MAX_RANK * sizeof(int64_t)];
  const size_t bytes = d.out_type == TVMQ_TYPE_S64 ? 8 : 4;
  for (int32_t i = 0; i < d.rank; i++) {
    d.dims[i] = (int32_t)fuzz_pick(b, 0, fuzz_pick(b, 0, 1) ? 300 : INT32_MAX);
    for (size_t j = 0; j < bytes; j++) expected[(size_t)i * bytes + j] = (uint8_t)(j < 4 ? d.dims[i] >> 8 * j : 0);
  }
  char text[80];
  snprintf(text, sizeof text, "shape of rank %d as type %d", d.rank, d.out_type);
  fuzz_about(text);
  const union tvmq_desc desc = {.shape = d};
  const char *why = fuzz_claim(&tvmq_operator_shape, &desc);
  if (why) return;
  const void *const in = NULL;  // whose elements nobody reads
  struct tvmq_op *op = NULL;
  fuzz_run(&tvmq_op_shape, &op, &desc, env, &in, expected, (size_t)d.rank * bytes, side);
  tvmq_op_release(&tvmq_op_shape, op);
  int64_t early[TVMQ_MAX_RANK];
  void *outs[] = {early};
  if (!tvmq_operator_shape.evaluate(&desc, &in, outs) || memcmp(early, expected, (size_t)d.rank * bytes) != 0)
    fuzz_fail("evaluated before the run, it differs");
}
