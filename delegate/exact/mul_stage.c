#include "exact/mul_stage.h"

#include <stdlib.h>

#include "exact/invariants.h"
#include "exact/square_line.h"

// Returns the range of the products. The least and the greatest product are products of ends of the type's range.
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

// Returns the greatest absolute difference. Rescaling is monotonic, so it occurs between opposite ends of the range.
static int32_t greatest_difference(const struct tvmq_mul_args *args) {
  const int32_t up = abs(tvmq_difference(args, INT8_MAX, INT8_MIN)), down = abs(tvmq_difference(args, INT8_MIN, INT8_MAX));
  return up > down ? up : down;
}

static void square_stage(bool takes_floats, struct tvmq_mul_args *args) {
  const int32_t most = greatest_difference(args);
  const struct tvmq_accumulators all = {0, (int64_t)most * most};
  if (args->stage.rounding == TVMQ_ROUNDING_REFERENCE) args->stage.rounding = TVMQ_ROUNDING_UPWARD;
  args->stage.right_shifts = args->stage.headroom = args->stage.fits_int16 = true;
  tvmq_keep_invariants(&all, args->multiplier, args->shift, &args->stage);
  if (takes_floats) tvmq_square_line(args, most);
}

void tvmq_mul_stage(enum tvmq_type in_type, bool takes_floats, struct tvmq_mul_args *args) {
  args->bias = 0;
  if (args->difference) {
    square_stage(takes_floats, args);
    return;
  }
  const struct tvmq_accumulators all = products(args, tvmq_type_range(in_type));
  struct tvmq_channel_params params = {.multiplier = args->multiplier, .shift = args->shift};
  args->stage.right_shifts = args->stage.headroom = true;
  args->stage.fits_int16 = in_type != TVMQ_TYPE_S16;
  tvmq_keep_invariants(&all, args->multiplier, args->shift, &args->stage);
  if (!takes_floats || !tvmq_float_panel(TVMQ_FORM_FLOAT, &args->stage, &all, &params, 1)) return;
  args->bias = (int32_t)params.bias;
  args->multiplier = params.multiplier;
  args->shift = params.shift;
}
