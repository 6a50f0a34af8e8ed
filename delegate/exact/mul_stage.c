#include "exact/mul_stage.h"

#include "exact/promises.h"

// The least and the greatest product are products of ends of the types' ranges.
static struct tvmq_accumulators products(const struct tvmq_mul_args *args, struct tvmq_range range) {
  const int64_t ends[2][2] = {{range.min - args->in_zero_point[0], range.max - args->in_zero_point[0]},
                              {range.min - args->in_zero_point[1], range.max - args->in_zero_point[1]}};
  struct tvmq_accumulators all = {INT64_MAX, INT64_MIN};
  for (int corner = 0; corner < 4; corner++) {
    const int64_t product = ends[0][corner & 1] * ends[1][corner >> 1];
    if (product < all.lo) all.lo = product;
    if (product > all.hi) all.hi = product;
  }
  return all;
}

void tvmq_mul_stage(const struct tvmq_variant *variant, struct tvmq_mul_args *args) {
  const struct tvmq_accumulators all = products(args, tvmq_type_range(variant->in_type));
  struct tvmq_channel_params params = {.multiplier = args->multiplier, .shift = args->shift};
  args->stage.right_shifts = args->stage.headroom = true;
  args->stage.fits_int16 = variant->in_type != TVMQ_TYPE_S16;
  tvmq_keep_promises(&all, args->multiplier, args->shift, &args->stage);
  args->bias = 0;
  if ((variant->flags & TVMQ_FLOAT_STAGE) == 0 || !tvmq_float_panel(TVMQ_FORM_FLOAT, &args->stage, &all, &params, 1)) return;
  args->bias = (int32_t)params.bias;
  args->multiplier = params.multiplier;
  args->shift = params.shift;
}
