// QUANTIZE.
#include <float.h>

#include "operators/claims/claim.h"
#include "operators/claims/claim_rules.h"
#include "operators/operator.h"
#include "operators/quant_params.h"
#include "operators/unary_table.h"

static const char *types(const struct tvmq_quantize_desc *desc) {
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
    if (pairs[i].in == desc->in_type && pairs[i].out == desc->out_type) return NULL;
  }
  return "conversion between these types is not supported";
}

static const char *scales(const struct tvmq_quantize_desc *desc) {
  const bool both_16 = desc->in_type == TVMQ_TYPE_S16 && desc->out_type == TVMQ_TYPE_S16;
  if (both_16 && (desc->in.zero_point != 0 || desc->out.zero_point != 0)) return "int16 to int16 with a zero point other than 0";
  int32_t multiplier, shift;
  tvmq_quantize_multiplier((double)desc->in.scale / (double)desc->out.scale, &multiplier, &shift);
  return shift <= MAX_SHIFT_32 ? NULL : "input scale / output scale is too large";
}

static const char *rescaling(const struct tvmq_quantize_desc *desc) {
  return desc->in_type == TVMQ_TYPE_F32 ? NULL : in_quant_rule(desc->in, desc->in_type) ?: scales(desc);
}

// Refuses subnormal scales and reciprocals: a runtime built to multiply by the reciprocal also treats subnormal numbers
// as zero.
static const char *reciprocal(const struct tvmq_quantize_desc *desc) {
  if (desc->in_type != TVMQ_TYPE_F32 || !desc->reciprocal) return NULL;
  return desc->out.scale >= FLT_MIN && 1 / desc->out.scale >= FLT_MIN
             ? NULL
             : "output scale or its reciprocal is subnormal, and the runtime multiplies by the reciprocal";
}

const char *tvmq_claim_quantize(const struct tvmq_quantize_desc *desc) {
  return types(desc) ?: elements_rule(desc->n) ?: out_quant_rule(desc->out, desc->out_type) ?: rescaling(desc) ?: reciprocal(desc);
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_quantize(&desc->quantize); }

static bool byte_function(const union tvmq_desc *desc, enum tvmq_rounding rounding, const uint8_t *const in[], uint8_t out[TVMQ_N_BYTES]) {
  tvmq_rescale_bytes(&desc->quantize, rounding, in[0], out);
  return true;
}

// Turns only 8-bit inputs. The delegate has no kernels from wider integers to uint8. For float32 inputs, such as
// infinity, the sum of rounded value and zero point may wrap, and a turned zero point would change the result.
static enum tvmq_turning turn(union tvmq_desc *desc, bool in, bool out) {
  struct tvmq_quantize_desc *d = &desc->quantize;
  if (tvmq_type_bytes(d->in_type) > 1) return TVMQ_TURNS_NONE;
  if (in) tvmq_turn_tensor(&d->in_type, &d->in.zero_point);
  if (out) tvmq_turn_tensor(&d->out_type, &d->out.zero_point);
  return TVMQ_TURNS_EACH;
}

const struct tvmq_operator tvmq_operator_quantize = {
    .claim = claim,
    .turn = turn,
    .byte_function = byte_function,
    .light = TVMQ_LIGHT("converts elements"),
};
