// MUL, and SQUARED_DIFFERENCE of bytes, with the mul kernels: in float32 if every product is proven to give its exact
// result. PRELU of bytes: products with the slopes, and a table for inputs that are not negative.
#include <string.h>

#include "arithmetic/stage.h"
#include "base/arith.h"
#include "cpu/ops/elementwise/binary.h"
#include "exact/mul_stage.h"
#include "operators/quant_params.h"

// Fills in the kernel's arguments. Sets every byte, so that memcmp() can compare two descriptions. Bytes are treated as
// int8 from here on.
static void describe(const struct tvmq_binary_desc *desc, enum tvmq_rounding rounding, struct tvmq_mul_args *args) {
  const int32_t offset = tvmq_flip_to_s8(desc->type);
  memset(args, 0, sizeof *args);
  for (int i = 0; i < 2; i++) args->in_zero_point[i] = desc->in[i].zero_point - offset;
  struct tvmq_scale scale;
  args->difference = desc->operation == TVMQ_OPERATION_SQUARED_DIFFERENCE;
  if (args->difference) {
    args->rounding = rounding;
    tvmq_square_scales(desc, args->in_scale, &scale);
  } else {
    scale = tvmq_mul_scale(desc);  // also for PRELU's products
  }
  args->multiplier = scale.multiplier;
  args->shift = scale.shift;
  args->stage.rounding = rounding;
  args->stage.flip = (uint8_t)offset;
  args->stage.zero_point = desc->out.zero_point - offset;
  tvmq_activation_range(desc->activation, desc->type, desc->out, &args->stage.min, &args->stage.max);
  args->stage.min -= offset;
  args->stage.max -= offset;
}

static void plan(struct tvmq_binary *b, const struct tvmq_binary_desc *desc, enum tvmq_rounding rounding, const struct tvmq_variant *variant) {
  struct tvmq_mul_args asked;
  describe(desc, rounding, &asked);
  if (variant != b->variant || memcmp(&asked, &b->product_asked, sizeof asked) != 0) {
    b->product = b->product_asked = asked;
    tvmq_mul_stage(variant->in_type, variant->flags & TVMQ_FLOAT_STAGE, &b->product);
  }
  b->algorithm = "elementwise";
}

static void run(const struct tvmq_binary *b, int first, const void *const in[2], void *out, size_t n, size_t rows) {
  struct tvmq_mul_args args = b->product;
  memcpy(args.in, in, sizeof args.in);
  for (int i = 0; i < 2; i++) {
    args.in_zero_point[i] = b->product.in_zero_point[i ^ first];
    args.in_scale[i] = b->product.in_scale[i ^ first];
  }
  args.out = out;
  args.n = n;
  args.rows = rows;
  b->variant->fn.mul(&args);
}

// Without rows, the first input of a difference is the input with the greater scale.
static void compute(const struct tvmq_binary *b, const void *const in[2], void *out, size_t n) {
  tvmq_compute_rows(b, b->product.difference && !tvmq_is_half(b->product.in_scale[0]), in, out, n, run);
}

const struct tvmq_binary_method tvmq_binary_products = {.compute = compute, TVMQ_PLANNING(.family = TVMQ_FAMILY_MUL, .rows = true, .plan = plan)};

// ---- PRELU

static void plan_prelu(struct tvmq_binary *b, const struct tvmq_binary_desc *desc, enum tvmq_rounding rounding, const struct tvmq_variant *variant) {
  plan(b, desc, rounding, variant);
  const struct tvmq_scale scale = b->formula.in_scale[0];
  for (int x = 0; x < TVMQ_N_BYTES; x++) {
    const int32_t value = tvmq_rescale(rounding, tvmq_byte_value(desc->type, (uint8_t)x) - desc->in[0].zero_point, scale.multiplier, scale.shift);
    b->kept[x] = (uint8_t)tvmq_clamp(tvmq_add_wrap(value, desc->out.zero_point), b->formula.min, b->formula.max);
  }
}

// Computes all products, then replaces those of inputs that are not negative.
static void compute_prelu(const struct tvmq_binary *b, const void *const in[2], void *out, size_t n) {
  run(b, 0, in, out, n, 1);
  const uint8_t *const x = in[0], flip = tvmq_flip_to_u8(b->formula.type), zero = (uint8_t)(b->formula.in_zero_point[0] ^ flip);
  uint8_t *const to = out;
  for (size_t i = 0; i < n; i++) {
    const uint8_t kept = b->kept[x[i]];
    to[i] = (x[i] ^ flip) >= zero ? kept : to[i];
  }
}

const struct tvmq_binary_method tvmq_binary_prelu = {.compute = compute_prelu, TVMQ_PLANNING(.family = TVMQ_FAMILY_MUL, .cycles = 1, .plan = plan_prelu)};
