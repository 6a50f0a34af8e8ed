// BATCH_MATMUL, and FULLY_CONNECTED with computed weights.
#include "operators/claims/claim.h"
#include "operators/claims/claim_rules.h"
#include "operators/operator.h"
#include "operators/quant_params.h"

static const char *types(const struct tvmq_conv_desc *d) {
  if (is_hybrid(d->in_type, d->filter_type)) return "hybrid: only FULLY_CONNECTED of constant weights is supported";
  if (d->in_type != TVMQ_TYPE_S8 && d->in_type != TVMQ_TYPE_S16) return "activations are not int8 or int16, as products of two tensors need";
  if (d->in_type == TVMQ_TYPE_S16) return d->filter_type == TVMQ_TYPE_S16 ? same_type_rule(d->in_type, d->out_type) : "the second input is not int16";
  return d->filter_type == TVMQ_TYPE_S8 ? same_type_rule(d->in_type, d->out_type) : "the second input is not int8";
}

// Checks what int16 needs: zero points of 0, sums of 48 bits, and no bias, as in BATCH_MATMUL.
static const char *wide(const struct tvmq_conv_desc *d) {
  enum { MOST_DEPTH = 1 << 17 };
  if (d->in_type != TVMQ_TYPE_S16) return NULL;
  if (d->in.zero_point != 0 || d->filter_zero_point != 0 || d->out.zero_point != 0) return "int16 with a zero point other than 0";
  if (d->scaling != TVMQ_SCALING_FIXED_POINT || d->bias != NULL || d->activation != TVMQ_ACTIVATION_NONE) return "int16 FULLY_CONNECTED with computed weights";
  return d->in_c <= MOST_DEPTH ? NULL : "int16 sums may exceed 48 bits";
}

static const char *fully_connected(const struct tvmq_conv_desc *d) {
  if (d->scaling == TVMQ_SCALING_UNKNOWN) return UNKNOWN_SCALING;
  if (d->dynamic_bias) return "bias is not constant";
  return d->bias != NULL && d->bias_type != TVMQ_TYPE_S32 ? "bias is not int32" : activation_rule(d->activation);
}

static const char *sizes(const struct tvmq_matmul_desc *desc) {
  const struct tvmq_conv_desc *d = &desc->conv;
  if (d->in_w <= 0 || d->in_c <= 0 || d->out_c <= 0 || desc->products <= 0) return "empty tensor";
  if (too_many(desc->products, d->in_w, d->out_c, 1)) return "output has more than 2^31 - 1 elements";
  return too_many(desc->lefts, d->in_w, d->in_c, 1) || too_many(desc->rights, d->out_c, d->in_c, 1) ? "input has more than 2^31 - 1 elements" : NULL;
}

static const char *right_quant(const struct tvmq_conv_desc *d) {
  if (d->filter_scales == NULL || d->n_filter_scales != 1) return "the second input does not have exactly one scale";
  return in_quant_rule((struct tvmq_quant){d->filter_scales[0], d->filter_zero_point}, d->filter_type);
}

static const char *multiplier(const struct tvmq_conv_desc *d) {
  if (!good_scale(d->in.scale * d->filter_scales[0])) return "the product of the input scales is out of range for float32";
  int32_t multiplier, shift;
  if (!tvmq_conv_multiplier(d, 0, &multiplier, &shift)) return "no fixed-point multiplier reproduces the reference's float64 scaling";
  const int32_t most = d->in_type == TVMQ_TYPE_S16 ? MAX_SHIFT_64 : MAX_SHIFT_32;
  return shift <= most ? NULL : "product of the input scales / output scale is too large";
}

// Products of float32. The option `hybrid` also says how the runtime's kernels add them, except on Arm.
static const char *floats(const struct tvmq_conv_desc *d) {
  if (d->hybrid == TVMQ_HYBRID_UNKNOWN) return "float32: the runtime's arithmetic is unknown: see the option hybrid";
  if (d->hybrid == TVMQ_HYBRID_NEON && d->float32 != TVMQ_FLOAT32_FUSED) return "float32: how products are added is unknown: see the option float32";
  if (d->dynamic_bias) return "bias is not constant";
  return d->bias != NULL && d->bias_type != TVMQ_TYPE_F32 ? "bias is not float32" : activation_rule(d->activation);
}

static const char *claim_floats(const struct tvmq_matmul_desc *desc) {
  const struct tvmq_conv_desc *d = &desc->conv;
  return same_type_rule(d->in_type, d->out_type) ?: floats(d) ?: sizes(desc);
}

const char *tvmq_claim_matmul(const struct tvmq_matmul_desc *desc) {
  const struct tvmq_conv_desc *d = &desc->conv;
  if (d->in_type == TVMQ_TYPE_F32 && d->filter_type == TVMQ_TYPE_F32) return claim_floats(desc);
  return types(d) ?: wide(d) ?: fully_connected(d) ?: sizes(desc) ?: in_quant_rule(d->in, d->in_type) ?: out_quant_rule(d->out, d->out_type) ?: right_quant(d)
             ?: activation_range_rule(d->activation, d->out) ?: multiplier(d);
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_matmul(&desc->matmul); }

static const char *claim_fast_math(const union tvmq_desc *desc) { return tvmq_claim_fast_math_conv(&(union tvmq_desc){.conv = desc->matmul.conv}); }

const struct tvmq_operator tvmq_operator_matmul = {
    .claim = claim,
    .claim_fast_math = claim_fast_math,
};
