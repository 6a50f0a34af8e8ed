// MAXIMUM and MINIMUM with the maximum kernels. For the minimum, all bits are inverted.
#include "cpu/ops/elementwise/binary.h"

static void plan(struct tvmq_binary *b, const struct tvmq_binary_desc *desc, enum tvmq_rounding rounding, const struct tvmq_variant *variant) {
  (void)rounding, (void)variant;
  const uint8_t lesser = desc->operation == TVMQ_OPERATION_MINIMUM ? UINT8_MAX : 0;
  b->flip = lesser ^ tvmq_flip_to_s8(desc->type);
  b->algorithm = "elementwise";
}

static void compute(const struct tvmq_binary *b, const void *const in[2], void *out, size_t n) {
  b->variant->fn.maximum(&(struct tvmq_maximum_args){.in = {in[0], in[1]}, .out = out, .n = n, .flip = b->flip});
}

const struct tvmq_binary_method tvmq_binary_extrema = {.compute = compute, TVMQ_PLANNING(.family = TVMQ_FAMILY_MAXIMUM, .plan = plan)};
