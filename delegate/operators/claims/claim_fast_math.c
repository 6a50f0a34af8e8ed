// Rules for runtimes that were compiled with unsafe floating-point optimizations. Compilers then turn quotients into
// products with reciprocals, and reorder products. Fixed-point multipliers nearly always stay the same; if one might
// change, the node is left to the runtime.
#include <float.h>

#include "arithmetic/stage.h"
#include "operators/claims/claim.h"
#include "operators/quant_params.h"
#include "operators/unary_table.h"

static const char unstable[] = "a scale is so near a rounding tie that the result depends on how the runtime was compiled";
static const char near_tie[] = "a result is so near a rounding tie that it depends on how the runtime was compiled";

// Such a runtime treats subnormal numbers as zero. Scales of tensors are never subnormal (tflite/node.h), but products
// of scales may be.
static const char flushed[] = "a product of scales is subnormal, which the runtime flushes to zero";

static const char floats[] = "float32: the runtime was compiled with unsafe optimizations";

const char *tvmq_claim_fast_math_reduce(const union tvmq_desc *desc) { return desc->reduce.in_type == TVMQ_TYPE_F32 ? floats : NULL; }
const char *tvmq_claim_fast_math_softmax(const union tvmq_desc *desc) { return desc->softmax.in_type == TVMQ_TYPE_F32 ? floats : NULL; }
const char *tvmq_claim_fast_math_pool(const union tvmq_desc *desc) { return desc->pool.in_type == TVMQ_TYPE_F32 ? floats : NULL; }

static bool is_flushed(float product) { return product > 0 && product < FLT_MIN; }

// Returns whether the multiplier is the same for all values that the runtime may compute. These values differ from the
// exact quotient by at most three float64 roundings; the rounding of `real` is one of them.
static bool stable(double real) {
  struct tvmq_scale low, high;
  tvmq_quantize_multiplier(real * (1 - 0x1p-51), &low.multiplier, &low.shift);
  tvmq_quantize_multiplier(real * (1 + 0x1p-51), &high.multiplier, &high.shift);
  return low.multiplier == high.multiplier && low.shift == high.shift;
}

const char *tvmq_claim_fast_math_conv(const union tvmq_desc *desc) {
  if (desc->conv.in_type == TVMQ_TYPE_F32)
    return desc->conv.filter_type == TVMQ_TYPE_F32 ? floats : "hybrid: the runtime was compiled with unsafe optimizations";
  for (int32_t i = 0; i < desc->conv.n_filter_scales; i++) {
    if (is_flushed(desc->conv.filter_scales[i]) || is_flushed(desc->conv.in.scale * desc->conv.filter_scales[i])) return flushed;
    if (!stable(tvmq_conv_scale(&desc->conv, i))) return unstable;
  }
  return NULL;
}

// Returns whether the integers from `first` to `last` have the same products with all factors.
static bool same_products(const float *factors, size_t n, int32_t first, int32_t last) {
  struct tvmq_scale source, other;
  tvmq_quantize_multiplier((double)factors[0], &source.multiplier, &source.shift);
  for (size_t i = 1; i < n; i++) {
    if (factors[i] == factors[0]) continue;
    if (!(factors[i] < 0x1p30f)) return false;
    tvmq_quantize_multiplier((double)factors[i], &other.multiplier, &other.shift);
    for (int32_t x = first; x <= last; x++) {
      if (tvmq_rescale_reference(x, source.multiplier, source.shift) != tvmq_rescale_reference(x, other.multiplier, other.shift)) return false;
    }
  }
  return true;
}

// Parameters of PRELU and LEAKY_RELU. Both divide the input scale, and its product with the slope, by the output scale,
// in float32. The compiler may share one reciprocal or one quotient, and reorder factors. The first entry of each list
// below is the formula in the source.
struct bend {
  float in, slope, out;
  int32_t above, below_first, below_last;  // greatest positive integer; range of integers times the slope
};

static bool bend_is_stable(const struct bend *b) {
  const float reciprocal = 1 / b->out, quotient = b->in / b->out, product = b->in * b->slope;
  const float above[] = {quotient, b->in * reciprocal};
  const float below[] = {product / b->out,           product * reciprocal, quotient * b->slope, b->in * reciprocal * b->slope, b->in * (b->slope * reciprocal),
                         b->in * (b->slope / b->out)};
  return same_products(above, sizeof above / sizeof above[0], 0, b->above) &&
         same_products(below, sizeof below / sizeof below[0], b->below_first, b->below_last);
}

static int32_t least(enum tvmq_type type, struct tvmq_quant quant) { return tvmq_type_range(type).min - quant.zero_point; }
static int32_t greatest(enum tvmq_type type, struct tvmq_quant quant) { return tvmq_type_range(type).max - quant.zero_point; }

// Negative elements are first multiplied by a slope, which may have any value of its type.
static bool prelu_is_stable(const struct tvmq_binary_desc *d) {
  const int32_t below = least(d->type, d->in[0]);
  return bend_is_stable(&(struct bend){d->in[0].scale, d->in[1].scale, d->out.scale, greatest(d->type, d->in[0]), below * greatest(d->type, d->in[1]),
                                       below * least(d->type, d->in[1])});
}

static bool leaky_relu_is_stable(const struct tvmq_unary_desc *d) {
  return bend_is_stable(&(struct bend){d->in.scale, d->alpha, d->out.scale, greatest(d->in_type, d->in), least(d->in_type, d->in), 0});
}

// ADD, SUB and SQUARED_DIFFERENCE divide both scales by twice the greater scale. MUL has a single division.
const char *tvmq_claim_fast_math_binary(const union tvmq_desc *desc) {
  const struct tvmq_binary_desc *d = &desc->binary;
  if (d->type == TVMQ_TYPE_F32) return floats;
  const bool multiplies = d->operation == TVMQ_OPERATION_MUL || d->operation == TVMQ_OPERATION_PRELU;
  if (multiplies && is_flushed(d->in[0].scale * d->in[1].scale)) return flushed;
  if (d->operation == TVMQ_OPERATION_PRELU) return prelu_is_stable(d) ? NULL : unstable;
  const bool squares = d->operation == TVMQ_OPERATION_SQUARED_DIFFERENCE;
  if (!squares && d->operation != TVMQ_OPERATION_ADD && d->operation != TVMQ_OPERATION_SUB) return NULL;
  double in[2], out;
  (squares ? tvmq_square_ratios : tvmq_add_ratios)(d, in, &out);
  return stable(in[0]) && stable(in[1]) && stable(out) ? NULL : unstable;
}

const char *tvmq_claim_fast_math_unary(const union tvmq_desc *desc) {
  const struct tvmq_unary_desc *d = &desc->unary;
  if (d->in_type == TVMQ_TYPE_F32) return floats;
  if (is_flushed(d->in.scale / 128) || is_flushed(d->in.scale * d->alpha)) return flushed;
  if (tvmq_type_bytes(d->in_type) == 1 && !tvmq_float_table_is_stable(d)) return near_tie;
  // RSQRT's range of scales keeps the product with the root far from subnormal numbers.
  if (d->function == TVMQ_FUNCTION_LEAKY_RELU) return leaky_relu_is_stable(d) ? NULL : unstable;
  if (d->function == TVMQ_FUNCTION_RSQRT) return tvmq_rsqrt_is_stable(d) ? NULL : unstable;
  return d->function != TVMQ_FUNCTION_HARD_SWISH || tvmq_hard_swish_is_stable(d) ? NULL : unstable;
}
