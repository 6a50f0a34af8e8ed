// ADD, SUB and MUL of float32, as they stand between hybrid nodes: each element is one rounded operation, and then cut by the activation.
#include <float.h>

#include "ops/elementwise/binary.h"
#include "ops/quant_params.h"
#include "plan/select.h"

static const struct tvmq_variant *select_kernel(const union tvmq_desc *desc, const struct tvmq_target *target) {
  (void)desc;
  return tvmq_select_hybrid(TVMQ_FAMILY_FLOAT_PAIR, target);
}

static void plan(struct tvmq_binary *b, const struct tvmq_binary_desc *desc, enum tvmq_rounding rounding, const struct tvmq_variant *variant) {
  (void)rounding, (void)variant;
  const struct tvmq_bounds bounds = tvmq_activation_bounds(desc->activation, FLT_MAX);  // without an activation, the reference cuts infinities off
  b->floats = (struct tvmq_float_pair_args){
      .operation = desc->operation == TVMQ_OPERATION_ADD   ? TVMQ_FLOAT_ADD
                   : desc->operation == TVMQ_OPERATION_SUB ? TVMQ_FLOAT_SUBTRACT
                                                           : TVMQ_FLOAT_MULTIPLY,
      .min = bounds.low,
      .max = bounds.high,
  };
  b->algorithm = "elementwise";
}

static void compute(const struct tvmq_binary *b, const void *const in[2], void *out, size_t n) {
  struct tvmq_float_pair_args args = b->floats;
  args.in[0] = in[0];
  args.in[1] = in[1];
  args.out = out;
  args.n = n;
  b->variant->fn.float_pair(&args);
}

const struct tvmq_binary_way tvmq_binary_floats = {.select = select_kernel, .plan = plan, .compute = compute};
