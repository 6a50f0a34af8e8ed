// Poolings, reductions and SOFTMAX.
#include <string.h>

#include "arithmetic/softmax.h"
#include "base/arith.h"
#include "exact/softmax_exps.h"
#include "opencl/lower.h"
#include "operators/geometry.h"
#include "operators/quant_params.h"
#include "operators/reduction.h"
#include "operators/softmax_scale.h"

enum { BLOCK = 4, LOCAL = 4 };  // channels of a work item; work items of a group in each direction

const char *tvmq_opencl_lower_pool(const struct tvmq_opencl_node *node, struct tvmq_opencl_plan *plan) {
  const struct tvmq_pool_desc *const d = &node->desc->pool;
  struct tvmq_geometry geometry;
  int32_t min, max;
  if (!tvmq_type_is_byte(d->in_type)) return TVMQ_OPENCL_BYTES;
  const char *const why = tvmq_pool_geometry(d, &geometry);
  if (why != NULL) return why;
  tvmq_activation_range(d->activation, d->out_type, d->out, &min, &max);
  struct tvmq_opencl_launch *const launch = tvmq_opencl_launch(plan, "pool", TVMQ_ROUNDING_REFERENCE);
  if (launch == NULL) return NULL;
  launch->items[0] = tvmq_ceil_div((size_t)d->channels, BLOCK);
  launch->items[1] = (size_t)d->out_w;
  launch->items[2] = (size_t)d->batch * (size_t)d->out_h;
  launch->local[0] = launch->local[1] = LOCAL;
  TVMQ_OPENCL_PASS(launch, node->ins[0], node->outs[0], d->in_h, d->in_w, d->channels, d->out_h, d->out_w, d->filter_h, d->filter_w, d->stride_h, d->stride_w,
                   geometry.pad_top, geometry.pad_left, d->border.top, d->border.bottom, d->border.left, d->border.right, d->border.value, min, max);
  tvmq_opencl_define(launch, "MAXIMUM", d->pooling == TVMQ_POOLING_MAX);
  tvmq_opencl_define(launch, "SIGNED", d->in_type == TVMQ_TYPE_S8);
  return NULL;
}

const char *tvmq_opencl_lower_reduce(const struct tvmq_opencl_node *node, struct tvmq_opencl_plan *plan) {
  const struct tvmq_reduce_desc *const d = &node->desc->reduce;
  if (!tvmq_type_is_byte(d->in_type) || !tvmq_type_is_byte(d->out_type)) return TVMQ_OPENCL_BYTES;
  if (!tvmq_reduction_is_sum(d) || d->n_dims != 3) return "OpenCL: only MEAN and SUM over dimensions that follow each other are computed";
  const struct tvmq_rescaled_sum sum = tvmq_reduction_rescaled(d, plan->rounding);
  const struct tvmq_range range = tvmq_type_range(d->out_type);
  struct tvmq_opencl_launch *const launch = tvmq_opencl_launch(plan, "reduce", sum.rounding);
  if (launch == NULL) return NULL;
  launch->items[0] = (size_t)d->dims[2];
  launch->items[1] = (size_t)d->dims[0];
  launch->local[0] = TVMQ_OPENCL_LINE;
  TVMQ_OPENCL_PASS(launch, node->ins[0], node->outs[0], d->dims[0], d->dims[1], d->dims[2], sum.bias, sum.multiplier, sum.shift, sum.zero_point, range.min,
                   range.max);
  tvmq_opencl_define(launch, "SIGNED", d->in_type == TVMQ_TYPE_S8);
  return NULL;
}

const char *tvmq_opencl_lower_softmax(const struct tvmq_opencl_node *node, struct tvmq_opencl_plan *plan) {
  const struct tvmq_softmax_desc *const d = &node->desc->softmax;
  struct tvmq_scale scale;
  int32_t at;
  if (!tvmq_type_is_byte(d->in_type) || !tvmq_type_is_byte(d->out_type)) return TVMQ_OPENCL_BYTES;
  if (!tvmq_softmax_scale(d, &scale.multiplier, &scale.shift)) return "beta x input scale is out of range";
  int32_t *const exps = tvmq_opencl_constants(plan, TVMQ_SOFTMAX_EXPS * sizeof *exps, &at);
  if (exps == NULL) return NULL;
  tvmq_softmax_exps(scale.multiplier, scale.shift, exps);
  struct tvmq_opencl_launch *const launch = tvmq_opencl_launch(plan, "softmax", TVMQ_ROUNDING_REFERENCE);
  if (launch == NULL) return NULL;
  launch->items[0] = d->rows;
  launch->local[0] = TVMQ_OPENCL_LINE;
  TVMQ_OPENCL_PASS(launch, node->ins[0], node->outs[0], (int32_t)d->rows, (int32_t)d->depth, at, tvmq_flip_to_u8(d->out_type));
  tvmq_opencl_define(launch, "SIGNED", d->in_type == TVMQ_TYPE_S8);
  return NULL;
}
