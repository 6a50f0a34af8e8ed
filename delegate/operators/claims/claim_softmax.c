// SOFTMAX.
#include "arithmetic/softmax.h"
#include "operators/claims/claim.h"
#include "operators/claims/claim_rules.h"
#include "operators/operator.h"
#include "operators/softmax_scale.h"

static bool is_wide(const struct tvmq_softmax_desc *desc) { return desc->in_type == TVMQ_TYPE_S16; }

static bool is_float(const struct tvmq_softmax_desc *desc) { return desc->in_type == TVMQ_TYPE_F32; }

static const char *out_type(const struct tvmq_softmax_desc *desc) {
  return desc->out_type == TVMQ_TYPE_S16 ? NULL : same_type_rule(desc->in_type, desc->out_type);
}

// Checks the shape. With a greater depth, sums may exceed 32 bits.
static const char *shape(const struct tvmq_softmax_desc *desc) {
  if (desc->rows == 0 || desc->depth == 0) return "empty tensor";
  if (!is_float(desc) && desc->depth > (is_wide(desc) ? TVMQ_SOFTMAX_S16_MAX_DEPTH : TVMQ_SOFTMAX_MAX_DEPTH)) return "the sum may exceed 32 bits";
  return desc->rows > INT32_MAX / desc->depth ? "tensor has more than 2^31 - 1 elements" : NULL;
}

// Checks scales and zero points. The runtime requires the output quantization that its formula produces, with the
// tolerances below. It does not check uint8, or conversions from bytes to int16.
static const char *quantization(const struct tvmq_softmax_desc *desc) {
  const char *reason = in_quant_rule(desc->in, desc->in_type);
  if (reason != NULL) return reason;
  if (is_wide(desc) && (desc->in.zero_point != 0 || desc->out.zero_point != 0)) return "int16 with a zero point other than 0";
  if (desc->in_type == TVMQ_TYPE_U8 || desc->in_type != desc->out_type) return NULL;
  const float levels = is_wide(desc) ? 32768 : 256;
  if (!is_wide(desc) && desc->out.zero_point != INT8_MIN) return "output zero point is not -128";
  return fabsf(desc->out.scale * levels - 1) <= 0.001f ? NULL : "output scale is not 1/256 (int16: 1/32768)";
}

static const char *scale(const struct tvmq_softmax_desc *desc) {
  int32_t multiplier, shift;
  return tvmq_softmax_scale(desc, &multiplier, &shift) ? NULL : "beta x input scale is out of range";
}

const char *tvmq_claim_softmax(const struct tvmq_softmax_desc *desc) {
  if (is_float(desc)) return same_type_rule(desc->in_type, desc->out_type) ?: shape(desc);
  return type_rule(desc->in_type) ?: out_type(desc) ?: shape(desc) ?: quantization(desc) ?: scale(desc);
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_softmax(&desc->softmax); }

static enum tvmq_turning turn(union tvmq_desc *desc, bool in, bool out) {
  if (in) tvmq_turn_tensor(&desc->softmax.in_type, &desc->softmax.in.zero_point);
  if (out) tvmq_turn_tensor(&desc->softmax.out_type, &desc->softmax.out.zero_point);
  return TVMQ_TURNS_EACH;
}

const struct tvmq_operator tvmq_operator_softmax = {
    .claim = claim,
    .claim_fast_math = tvmq_claim_fast_math_softmax,
    .turn = turn,
    .light_if_wide = TVMQ_LIGHT("maps elements of 32 bits"),
};
