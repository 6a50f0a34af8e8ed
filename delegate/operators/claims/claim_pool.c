// AVERAGE_POOL_2D and MAX_POOL_2D.
#include <math.h>

#include "arithmetic/mean.h"
#include "base/arith.h"
#include "operators/claims/claim.h"
#include "operators/claims/claim_rules.h"
#include "operators/geometry.h"
#include "operators/operator.h"

static const char *shapes(const struct tvmq_pool_desc *desc) {
  if (desc->batch <= 0) return "batch is not positive";
  if (desc->channels <= 0) return "number of channels is not positive";
  struct tvmq_geometry geometry;
  const char *reason = tvmq_pool_geometry(desc, &geometry);
  if (reason != NULL) return reason;
  if (geometry.out_h != desc->out_h || geometry.out_w != desc->out_w) return "height or width of the output tensor does not match the pooling";
  // TFLite's kernels store the padding in int16. The border is not part of TFLite's padding.
  const struct tvmq_border *border = &desc->border;
  if (geometry.pad_top - border->top > INT16_MAX || geometry.pad_left - border->left > INT16_MAX) return "padding exceeds 32767";
  // Sums fit int32, because tvmq_pool_geometry() has checked them.
  const int32_t in_h = border->top + desc->in_h + border->bottom, in_w = border->left + desc->in_w + border->right;
  if (too_many(desc->batch, in_h, in_w, desc->channels)) return "input has more than 2^31 - 1 elements";
  return too_many(desc->batch, desc->out_h, desc->out_w, desc->channels) ? "output has more than 2^31 - 1 elements" : NULL;
}

static const char *taps(const struct tvmq_pool_desc *desc) {
  if (desc->pooling == TVMQ_POOLING_MAX) return NULL;
  const size_t rows = tvmq_min((size_t)desc->filter_h, (size_t)desc->in_h), columns = tvmq_min((size_t)desc->filter_w, (size_t)desc->in_w);
  return rows * columns <= (size_t)tvmq_mean_most_taps(desc->in_type) ? NULL : "the sum of a window may exceed 32 bits";
}

// Refuses different scales or zero points: the runtimes pool without rescaling, and assert that both are equal.
static const char *same_quant(const struct tvmq_pool_desc *desc) {
  const double most = 1e-6;
  if (fabsf(desc->in.scale - desc->out.scale) > most) return "input and output scales differ";
  return desc->in.zero_point == desc->out.zero_point ? NULL : "input and output zero points differ";
}

static const char *float_taps(const struct tvmq_pool_desc *desc) {
  const size_t rows = tvmq_min((size_t)desc->filter_h, (size_t)desc->in_h), columns = tvmq_min((size_t)desc->filter_w, (size_t)desc->in_w);
  const bool counts = desc->pooling == TVMQ_POOLING_MAX || rows * columns <= 1 << 24;
  return counts ? NULL : "float32: a window has more than 2^24 elements";
}

// Rule for float32. The reference adds elements in the order of memory and divides by their number, which it counts in
// float32 (exact only up to a limit). A folded PAD is refused: which of several zeros (0.0, -0.0) is the largest
// depends on their order, and the position of the border in this order is not known.
static const char *claim_floats(const struct tvmq_pool_desc *desc) {
  const struct tvmq_border *border = &desc->border;
  const bool bordered = border->top != 0 || border->bottom != 0 || border->left != 0 || border->right != 0;
  return same_type_rule(desc->in_type, desc->out_type) ?: activation_rule(desc->activation) ?: shapes(desc) ?: float_taps(desc)
             ?: bordered ? "float32 with a folded PAD is not supported" : NULL;
}

const char *tvmq_claim_pool(const struct tvmq_pool_desc *desc) {
  if (desc->in_type == TVMQ_TYPE_F32) return claim_floats(desc);
  return type_rule(desc->in_type) ?: same_type_rule(desc->in_type, desc->out_type) ?: activation_rule(desc->activation) ?: shapes(desc) ?: taps(desc)
             ?: in_quant_rule(desc->in, desc->in_type) ?: out_quant_rule(desc->out, desc->out_type) ?: same_quant(desc)
             ?: activation_range_rule(desc->activation, desc->out);
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_pool(&desc->pool); }

static bool set_border(union tvmq_desc *options, const struct tvmq_pad_desc *pad) {
  if (options->pool.pooling != TVMQ_POOLING_MAX || pad->type == TVMQ_TYPE_F32) return false;
  options->pool.border = pad->border;
  return true;
}

// Average pooling does not turn: means of int8 are rounded half away from zero, means of uint8 half upwards.
static enum tvmq_turning turn(union tvmq_desc *desc, bool in, bool out) {
  struct tvmq_pool_desc *d = &desc->pool;
  if (d->pooling != TVMQ_POOLING_MAX) return TVMQ_TURNS_NONE;
  if (in || out) {
    tvmq_turn_value(d->in_type, &d->border.value);
    tvmq_turn_tensor(&d->in_type, &d->in.zero_point);
    tvmq_turn_tensor(&d->out_type, &d->out.zero_point);
  }
  return TVMQ_TURNS_ALL;
}

static bool leavable(const union tvmq_desc *desc) { return desc->pool.pooling == TVMQ_POOLING_MAX && desc->pool.in_type != TVMQ_TYPE_F32; }

const struct tvmq_operator tvmq_operator_pool = {
    .claim = claim,
    .claim_fast_math = tvmq_claim_fast_math_pool,
    .leavable = leavable,
    .set_border = set_border,
    .turn = turn,
    .light_if_wide = TVMQ_LIGHT("pools elements of 32 bits"),
};
