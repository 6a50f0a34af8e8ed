// MUL, by its kernels: in float32 where that is proven to give every product its result.
#include <string.h>

#include "exact/mul_stage.h"
#include "ops/elementwise/binary.h"
#include "ops/quant_params.h"
#include "plan/select.h"

// What is to be computed. Every byte is set, so that two may be compared as memory. Bytes are int8 from here on.
static void describe(const struct tvmq_binary_desc *desc, enum tvmq_rounding rounding, struct tvmq_mul_args *args) {
  const int32_t offset = desc->type == TVMQ_TYPE_U8 ? 1 << 7 : 0;
  memset(args, 0, sizeof *args);
  for (int i = 0; i < 2; i++) args->in_zero_point[i] = desc->in[i].zero_point - offset;
  const struct tvmq_scale scale = tvmq_mul_scale(desc);
  args->multiplier = scale.multiplier;
  args->shift = scale.shift;
  args->stage.rounding = rounding;
  args->stage.flip = (uint8_t)offset;
  args->stage.zero_point = desc->out.zero_point - offset;
  tvmq_activation_range(desc->activation, desc->type, desc->out, &args->stage.min, &args->stage.max);
  args->stage.min -= offset;
  args->stage.max -= offset;
}

static const struct tvmq_variant *select_kernel(const union tvmq_desc *desc, const struct tvmq_target *target) {
  return tvmq_select_mul(desc->binary.type, target);
}

static void plan(struct tvmq_binary *b, const struct tvmq_binary_desc *desc, enum tvmq_rounding rounding, const struct tvmq_variant *variant) {
  struct tvmq_mul_args asked;
  describe(desc, rounding, &asked);
  if (variant != b->variant || memcmp(&asked, &b->product_asked, sizeof asked) != 0) {
    b->product = b->product_asked = asked;
    tvmq_mul_stage(variant, &b->product);
  }
  b->algorithm = "elementwise";
}

static void compute(const struct tvmq_binary *b, const void *const in[2], void *out, size_t n) {
  struct tvmq_mul_args args = b->product;
  memcpy(args.in, in, sizeof args.in);
  args.out = out;
  args.n = n;
  b->variant->fn.mul(&args);
}

const struct tvmq_binary_way tvmq_binary_products = {select_kernel, plan, compute};
