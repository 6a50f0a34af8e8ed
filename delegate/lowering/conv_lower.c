#include "lowering/conv_lower.h"

#include <assert.h>

#include "arithmetic/stage.h"
#include "exact/float_stage.h"
#include "exact/invariants.h"
#include "operators/quant_params.h"
#include "operators/turn.h"

struct tvmq_conv_quant tvmq_conv_quant(const struct tvmq_conv_desc *desc, enum tvmq_rounding rounding) {
  if (desc->scaling == TVMQ_SCALING_FLOAT64 && rounding == TVMQ_ROUNDING_REFERENCE) rounding = TVMQ_ROUNDING_SINGLE;
  struct tvmq_conv_quant q = {
      .in_flip = tvmq_flip_to_s8(desc->in_type),
      .filter_flip = tvmq_flip_to_s8(desc->filter_type),
      .stage = {.rounding = rounding, .right_shifts = true, .headroom = true, .fits_int16 = true, .flip = tvmq_flip_to_s8(desc->out_type)},
  };
  q.stage.sums = desc->out_type == TVMQ_TYPE_S32;
  q.stage.in_float64 = tvmq_conv_in_float64(desc);
  q.nearest = !q.stage.sums && !q.stage.in_float64 && tvmq_conv_nearest(desc);
  q.in_zero_point = desc->in.zero_point - q.in_flip;
  q.filter_zero_point = desc->filter_zero_point - q.filter_flip;
  tvmq_activation_range(desc->activation, desc->out_type, desc->out, &q.stage.min, &q.stage.max);
  q.stage.min -= q.stage.flip;
  q.stage.max -= q.stage.flip;
  q.stage.zero_point = desc->out.zero_point - q.stage.flip;
  return q;
}

void tvmq_conv_lower(const struct tvmq_conv_desc *desc, const struct tvmq_conv_quant *quant, int32_t a_offset, enum tvmq_form form,
                     const struct tvmq_channel *channels, size_t first, size_t n, struct tvmq_stage *stage, struct tvmq_channel_params *params) {
  const bool wide = desc->in_type == TVMQ_TYPE_S16;
  const int32_t in_min = wide ? INT16_MIN : INT8_MIN, in_max = wide ? INT16_MAX : INT8_MAX;
  struct tvmq_accumulators accumulators[TVMQ_MAX_NR] = {{0}};
  assert(n <= TVMQ_MAX_NR);
  for (size_t j = 0; j < n; j++) {
    const struct tvmq_folded folded = tvmq_fold(&channels[j], tvmq_conv_bias(desc, first + j), quant->in_zero_point, a_offset, in_min, in_max);
    accumulators[j] = (struct tvmq_accumulators){folded.lo, folded.hi};
    params[j] = (struct tvmq_channel_params){.bias = folded.bias};
    if (quant->stage.sums) continue;
    if (quant->nearest && desc->n_filter_scales > 1) {
      tvmq_quantize_multiplier(tvmq_conv_scale(desc, (int32_t)(first + j)), &params[j].multiplier, &params[j].shift);
    } else if (j == 0 || desc->n_filter_scales > 1) {
      tvmq_conv_multiplier(desc, (int32_t)(first + j), &params[j].multiplier, &params[j].shift);
    } else {
      params[j].multiplier = params[0].multiplier;
      params[j].shift = params[0].shift;
    }
  }
  if (quant->stage.sums) return;
  for (size_t j = 0; j < n && !wide; j++) tvmq_settle_constant(&accumulators[j], quant->stage.rounding, &params[j]);
  if (tvmq_float_panel(form, &quant->stage, accumulators, params, n)) return;
  if (wide) stage->fits_int16 = false;
  if (quant->stage.in_float64) return;
  for (size_t j = 0; j < n; j++) tvmq_keep_invariants(&accumulators[j], params[j].multiplier, params[j].shift, stage);
}
