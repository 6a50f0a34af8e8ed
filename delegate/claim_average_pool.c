// AVERAGE_POOL_2D.
#include <math.h>

#include "arith.h"
#include "claim.h"
#include "claim_rules.h"
#include "geometry.h"
#include "kernels/mean.h"

// Rules in the order in which they build on each other.

static const char *types(const struct tvmq_average_pool_desc *desc) {
  if (desc->in_type == TVMQ_TYPE_F32) return "float32: not quantized";
  if (desc->out_type != desc->in_type) return "input and output types differ";
  return desc->in_type == TVMQ_TYPE_S8 || desc->in_type == TVMQ_TYPE_U8 || desc->in_type == TVMQ_TYPE_S16 ? NULL : "activations are not int8, uint8 or int16";
}

static const char *activation(const struct tvmq_average_pool_desc *desc) { return activation_rule(desc->activation); }

static const char *shapes(const struct tvmq_average_pool_desc *desc) {
  if (desc->batch <= 0) return "batch is not positive";
  if (desc->channels <= 0) return "number of channels is not positive";
  struct tvmq_geometry geometry;
  const char *reason = tvmq_pool_geometry(desc, &geometry);
  if (reason != NULL) return reason;
  if (geometry.out_h != desc->out_h || geometry.out_w != desc->out_w) return "output tensor has another height or width than the pooling";
  if (geometry.pad_top > INT16_MAX || geometry.pad_left > INT16_MAX) return "padding exceeds 32767";  // TFLite's kernels keep it in int16
  if (too_many(desc->batch, desc->in_h, desc->in_w, desc->channels)) return "input has more than 2^31 - 1 elements";
  return too_many(desc->batch, desc->out_h, desc->out_w, desc->channels) ? "output has more than 2^31 - 1 elements" : NULL;
}

static const char *taps(const struct tvmq_average_pool_desc *desc) {
  const size_t rows = tvmq_min((size_t)desc->filter_h, (size_t)desc->in_h), columns = tvmq_min((size_t)desc->filter_w, (size_t)desc->in_w);
  return rows * columns <= (size_t)tvmq_mean_most_taps(desc->in_type) ? NULL : "the sum of a window may exceed 32 bits";
}

// The runtimes average without rescaling, and assert that there is nothing to rescale.
static const char *quantization(const struct tvmq_average_pool_desc *desc) {
  const double most = 1e-6;
  if (!good_scale(desc->in.scale)) return "input scale is not positive and finite";
  if (!good_scale(desc->out.scale)) return "output scale is not positive and finite";
  if (fabsf(desc->in.scale - desc->out.scale) > most) return "input and output scales differ";
  if (desc->in.zero_point != desc->out.zero_point) return "input and output zero points differ";
  return fits_type(desc->in.zero_point, desc->in_type) ? NULL : "zero point is outside its type";
}

static const char *activation_range(const struct tvmq_average_pool_desc *desc) { return activation_range_rule(desc->activation, desc->out); }

const char *tvmq_claim_average_pool(const struct tvmq_average_pool_desc *desc) {
  static const char *(*const rules[])(const struct tvmq_average_pool_desc *) = {types, activation, shapes, taps, quantization, activation_range};
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
    const char *reason = rules[i](desc);
    if (reason != NULL) return reason;
  }
  return NULL;
}
