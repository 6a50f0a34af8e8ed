// DEQUANTIZE.
#include "operators/claims/claim.h"
#include "operators/claims/claim_rules.h"
#include "operators/operator.h"

static const char *types(const struct tvmq_dequantize_desc *desc) {
  const bool quantized = tvmq_type_is_byte(desc->in_type) || desc->in_type == TVMQ_TYPE_S16;
  return quantized && desc->out_type == TVMQ_TYPE_F32 ? NULL : "conversion between these types is not supported";
}

static const char *zero_point(const struct tvmq_dequantize_desc *desc) {
  return desc->in_type == TVMQ_TYPE_S16 && desc->in.zero_point != 0 ? "int16 with a zero point other than 0" : NULL;
}

const char *tvmq_claim_dequantize(const struct tvmq_dequantize_desc *desc) {
  if (desc->constant) return "the input is constant: the runtime computes it once";
  return types(desc) ?: elements_rule(desc->n) ?: in_quant_rule(desc->in, desc->in_type) ?: zero_point(desc);
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_dequantize(&desc->dequantize); }

static enum tvmq_turning turn(union tvmq_desc *desc, bool in, bool out) {
  (void)out;  // the output is float32
  if (in) tvmq_turn_tensor(&desc->dequantize.in_type, &desc->dequantize.in.zero_point);
  return TVMQ_TURNS_EACH;
}

const struct tvmq_operator tvmq_operator_dequantize = {
    .claim = claim,
    .turn = turn,
    .light = TVMQ_LIGHT("converts elements"),
};
