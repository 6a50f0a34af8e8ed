// QUANTIZE.
#include "claim.h"
#include "claim_rules.h"
#include "quant_params.h"

static bool requantize_pair(enum tvmq_type in, enum tvmq_type out) {
  static const struct {
    enum tvmq_type in, out;
  } pairs[] = {
      {TVMQ_TYPE_F32, TVMQ_TYPE_S8}, {TVMQ_TYPE_F32, TVMQ_TYPE_U8},  {TVMQ_TYPE_F32, TVMQ_TYPE_S16},  //
      {TVMQ_TYPE_S8, TVMQ_TYPE_S8},  {TVMQ_TYPE_S8, TVMQ_TYPE_U8},   {TVMQ_TYPE_S8, TVMQ_TYPE_S16},   //
      {TVMQ_TYPE_U8, TVMQ_TYPE_S8},  {TVMQ_TYPE_U8, TVMQ_TYPE_U8},   {TVMQ_TYPE_U8, TVMQ_TYPE_S16},   //
      {TVMQ_TYPE_S16, TVMQ_TYPE_S8}, {TVMQ_TYPE_S16, TVMQ_TYPE_S16}, {TVMQ_TYPE_S16, TVMQ_TYPE_S32},  //
      {TVMQ_TYPE_S32, TVMQ_TYPE_S8}, {TVMQ_TYPE_S32, TVMQ_TYPE_S16},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    if (pairs[i].in == in && pairs[i].out == out) return true;
  }
  return false;
}

const char *tvmq_claim_requantize(const struct tvmq_requantize_desc *desc) {
  if (!requantize_pair(desc->in_type, desc->out_type)) return "no conversion between these types";
  if (desc->n == 0) return "empty tensor";
  if (desc->n > INT32_MAX) return "tensor has more than 2^31 - 1 elements";
  if (!good_scale(desc->out.scale)) return "output scale is not positive and finite";
  if (!fits_type(desc->out.zero_point, desc->out_type)) return "output zero point is outside its type";
  if (desc->in_type == TVMQ_TYPE_F32) return NULL;

  if (!good_scale(desc->in.scale)) return "input scale is not positive and finite";
  if (!fits_type(desc->in.zero_point, desc->in_type)) return "input zero point is outside its type";
  const bool both_16 = desc->in_type == TVMQ_TYPE_S16 && desc->out_type == TVMQ_TYPE_S16;
  if (both_16 && (desc->in.zero_point != 0 || desc->out.zero_point != 0)) return "int16 to int16 with a zero point";
  int32_t multiplier, shift;
  tvmq_quantize_multiplier((double)desc->in.scale / (double)desc->out.scale, &multiplier, &shift);
  return shift <= MAX_SHIFT_32 ? NULL : "input scale / output scale is too large";
}
