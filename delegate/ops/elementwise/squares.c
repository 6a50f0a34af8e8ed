// SQUARED_DIFFERENCE of bytes, by its kernels: in float32 where that is proven to give every square its result.
#include <string.h>

#include "exact/square_stage.h"
#include "kernels/stage.h"
#include "ops/elementwise/binary.h"
#include "ops/quant_params.h"

// Fills in the kernel's arguments. Every byte is set, so that two descriptions may be compared as memory. Bytes are int8 from here on.
static void describe(const struct tvmq_binary_desc *desc, enum tvmq_rounding rounding, struct tvmq_square_args *args) {
  const int32_t offset = tvmq_flip_to_s8(desc->type);
  struct tvmq_scale scale;
  memset(args, 0, sizeof *args);
  args->rounding = args->stage.rounding = rounding;
  tvmq_square_scales(desc, args->in_scale, &scale);
  args->multiplier = scale.multiplier;
  args->shift = scale.shift;
  for (int i = 0; i < 2; i++) args->in_zero_point[i] = desc->in[i].zero_point - offset;
  args->stage.flip = (uint8_t)offset;
  args->stage.zero_point = desc->out.zero_point - offset;
  args->stage.min = INT8_MIN;
  args->stage.max = INT8_MAX;
}

static void plan(struct tvmq_binary *b, const struct tvmq_binary_desc *desc, enum tvmq_rounding rounding, const struct tvmq_variant *variant) {
  struct tvmq_square_args asked;
  describe(desc, rounding, &asked);
  if (variant != b->variant || memcmp(&asked, &b->square_asked, sizeof asked) != 0) {
    b->square = b->square_asked = asked;
    tvmq_square_stage(variant, &b->square);
  }
  b->algorithm = "elementwise";
}

static void run(const struct tvmq_binary *b, int first, const void *const in[2], void *out, size_t n, size_t rows) {
  struct tvmq_square_args args = b->square;
  memcpy(args.in, in, sizeof args.in);
  for (int i = 0; i < 2; i++) {
    args.in_zero_point[i] = b->square.in_zero_point[i ^ first];
    args.in_scale[i] = b->square.in_scale[i ^ first];
  }
  args.out = out;
  args.n = n;
  args.rows = rows;
  b->variant->fn.square(&args);
}

// Without rows the first input is that of the greater scale.
static void compute(const struct tvmq_binary *b, const void *const in[2], void *out, size_t n) {
  tvmq_compute_rows(b, !tvmq_is_half(b->square.in_scale[0]), in, out, n, run);
}

const struct tvmq_binary_way tvmq_binary_squares = {.family = TVMQ_FAMILY_SQUARE, .rows = true, .plan = plan, .compute = compute};
