// ADD and SUB with the add kernels; bytes as a linear function of both inputs (a plane) if one fits exactly.
#include <string.h>

#include "cpu/ops/elementwise/binary.h"
#include "exact/fit_plane.h"
#include "operators/quant_params.h"

static int first_of(const struct tvmq_binary_desc *desc) { return desc->in[1].scale > desc->in[0].scale; }

// Fills in the kernel's arguments. Sets every byte, so that memcmp() can compare two descriptions. Bytes are treated as
// int8 from here on.
static void describe(const struct tvmq_binary_desc *desc, enum tvmq_rounding rounding, struct tvmq_add_args *args) {
  const int32_t offset = tvmq_flip_to_s8(desc->type);
  memset(args, 0, sizeof *args);
  args->flip = (uint8_t)offset;
  args->rounding = rounding;
  struct tvmq_scale in_scale[2];
  tvmq_add_scales(desc, &args->left_shift, in_scale, &args->out_scale);
  for (int i = 0; i < 2; i++) {
    const int input = i ^ first_of(desc);
    args->in_scale[i] = in_scale[input];
    args->in_zero_point[i] = desc->in[input].zero_point - offset;
  }
  args->minus[!first_of(desc)] = desc->operation == TVMQ_OPERATION_SUB;
  args->out_zero_point = desc->out.zero_point - offset;
  tvmq_activation_range(desc->activation, desc->type, desc->out, &args->min, &args->max);
  args->min -= offset;
  args->max -= offset;
}

static void plan(struct tvmq_binary *b, const struct tvmq_binary_desc *desc, enum tvmq_rounding rounding, const struct tvmq_variant *variant) {
  (void)variant;  // every kernel accepts a plane
  struct tvmq_add_args asked;
  describe(desc, rounding, &asked);
  if (memcmp(&asked, &b->sum_asked, sizeof asked) != 0) {
    b->sum = b->sum_asked = asked;
    b->sum.planar = desc->type != TVMQ_TYPE_S16 && tvmq_fit_plane(&asked, &b->sum.plane);
  }
  b->first = first_of(desc);
  b->algorithm = b->sum.planar ? "plane" : "elementwise";
}

static void compute(const struct tvmq_binary *b, const void *const in[2], void *out, size_t n) {
  struct tvmq_add_args args = b->sum;
  args.in[0] = in[b->first];
  args.in[1] = in[!b->first];
  args.out = out;
  args.n = tvmq_binary_row(b, n);
  args.rows = n / args.n;
  for (int i = 0; i < 2; i++) args.lone[i] = tvmq_binary_is_lone(b, i ^ b->first);
  b->variant->fn.add(&args);
}

const struct tvmq_binary_method tvmq_binary_sums = {.compute = compute,
                                                    TVMQ_PLANNING(.family = TVMQ_FAMILY_ADD, .lone = {.blocks = 16, .length = 24}, .plan = plan)};
