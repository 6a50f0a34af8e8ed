// Operations on two float32 tensors between hybrid nodes: one or two operations per element, each rounded, then the
// activation's clamp.
#include <float.h>
#include <math.h>

#include "base/arith.h"
#include "cpu/ops/elementwise/binary.h"
#include "operators/quant_params.h"

// Operators with an activation clamp infinities to finite values even for the activation NONE.
static const struct {
  enum tvmq_float_operation operation;
  float most;
} operations[] = {
    [TVMQ_OPERATION_ADD] = {TVMQ_FLOAT_ADD, FLT_MAX},          [TVMQ_OPERATION_SUB] = {TVMQ_FLOAT_SUBTRACT, FLT_MAX},
    [TVMQ_OPERATION_MUL] = {TVMQ_FLOAT_MULTIPLY, FLT_MAX},     [TVMQ_OPERATION_DIV] = {TVMQ_FLOAT_DIVIDE, FLT_MAX},
    [TVMQ_OPERATION_MAXIMUM] = {TVMQ_FLOAT_GREATER, INFINITY}, [TVMQ_OPERATION_MINIMUM] = {TVMQ_FLOAT_LESSER, INFINITY},
    [TVMQ_OPERATION_PRELU] = {TVMQ_FLOAT_BEND, INFINITY},      [TVMQ_OPERATION_SQUARED_DIFFERENCE] = {TVMQ_FLOAT_SQUARE_DIFFERENCE, INFINITY},
};

static void plan(struct tvmq_binary *b, const struct tvmq_binary_desc *desc, enum tvmq_rounding rounding, const struct tvmq_variant *variant) {
  (void)rounding, (void)variant;
  const struct tvmq_bounds bounds = tvmq_activation_bounds(desc->activation, operations[desc->operation].most);
  b->floats = (struct tvmq_float_pair_args){
      .operation = operations[desc->operation].operation,
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
  args.n = tvmq_binary_row(b, n);
  args.rows = n / args.n;
  for (int i = 0; i < 2; i++) args.lone[i] = tvmq_binary_is_lone(b, i);
  b->variant->fn.float_pair(&args);
}

const struct tvmq_binary_method tvmq_binary_floats = {
    .compute = compute, TVMQ_PLANNING(.family = TVMQ_FAMILY_FLOAT_PAIR, .lone = {.blocks = TVMQ_FLOAT_ROW, .length = 64}, .plan = plan)};
