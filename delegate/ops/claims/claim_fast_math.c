// Runtimes that were compiled with unsafe optimizations of floating point: quotients become products with reciprocals, and products are taken in any order.
// Multipliers in fixed point nearly always absorb that; where one does not, the runtime keeps the node.
#include <float.h>

#include "ops/claims/claim.h"
#include "ops/quant_params.h"
#include "ops/unary_table.h"

static const char unstable[] = "a scale so near a tie that it depends on how the runtime was compiled";

// Such a runtime takes subnormal numbers for zero. Scales of tensors are not (tflite/node.h), but products of them may be.
static const char flushed[] = "a product of scales is subnormal, which the runtime takes for zero";

static bool is_flushed(float product) { return product > 0 && product < FLT_MIN; }

// Three roundings of float64 apart from the exact quotient at most, of which `real` is one.
static bool stable(double real) {
  struct tvmq_scale low, high;
  tvmq_quantize_multiplier(real * (1 - 0x1p-51), &low.multiplier, &low.shift);
  tvmq_quantize_multiplier(real * (1 + 0x1p-51), &high.multiplier, &high.shift);
  return low.multiplier == high.multiplier && low.shift == high.shift;
}

const char *tvmq_claim_fast_math_conv(const union tvmq_desc *desc) {
  for (int32_t i = 0; i < desc->conv.n_filter_scales; i++) {
    if (is_flushed(desc->conv.filter_scales[i]) || is_flushed(desc->conv.in.scale * desc->conv.filter_scales[i])) return flushed;
    if (!stable(tvmq_conv_scale(&desc->conv, i))) return unstable;
  }
  return NULL;
}

// PRELU divides twice by the output's scale, in float32: one reciprocal serves both, and the three factors of the second may be taken in any order.
static bool prelu_is_stable(const struct tvmq_binary_desc *d) {
  const float in = d->in[0].scale, slope = d->in[1].scale, reciprocal = 1 / d->out.scale;
  const float product = in * slope, quotient = product / d->out.scale;
  return in * reciprocal == in / d->out.scale && product * reciprocal == quotient && in * (slope * reciprocal) == quotient &&
         in * reciprocal * slope == quotient;
}

// ADD and SUB divide both scales by twice the greater one. What MUL divides by is divided by once.
const char *tvmq_claim_fast_math_binary(const union tvmq_desc *desc) {
  const struct tvmq_binary_desc *d = &desc->binary;
  const bool multiplies = d->operation == TVMQ_OPERATION_MUL || d->operation == TVMQ_OPERATION_PRELU;
  if (multiplies && is_flushed(d->in[0].scale * d->in[1].scale)) return flushed;
  if (d->operation == TVMQ_OPERATION_PRELU) return prelu_is_stable(d) ? NULL : unstable;
  if (d->operation != TVMQ_OPERATION_ADD && d->operation != TVMQ_OPERATION_SUB) return NULL;
  double in[2], out;
  tvmq_add_ratios(d, in, &out);
  return stable(in[0]) && stable(in[1]) && stable(out) ? NULL : unstable;
}

const char *tvmq_claim_fast_math_unary(const union tvmq_desc *desc) {
  const struct tvmq_unary_desc *d = &desc->unary;
  if (is_flushed(d->in.scale / 128) || is_flushed(d->in.scale * d->alpha)) return flushed;
  return d->function != TVMQ_FUNCTION_HARD_SWISH || tvmq_hard_swish_is_stable(d) ? NULL : unstable;
}
