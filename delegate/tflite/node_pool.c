// AVERAGE_POOL_2D and MAX_POOL_2D.
#include "operators/geometry.h"
#include "tflite/node_kind.h"

static const char *read_pool(const TfLitePoolParams *params, enum tvmq_pooling pooling, struct tvmq_pool_desc *pool) {
  pool->pooling = pooling;
  pool->filter_h = params->filter_height;
  pool->filter_w = params->filter_width;
  pool->stride_h = params->stride_height;
  pool->stride_w = params->stride_width;
  pool->activation = tvmq_read_activation(params->activation);
  return tvmq_read_padding(params->padding, &pool->padding);
}

static const char *read_average(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  return read_pool(builtin_data, TVMQ_POOLING_AVERAGE, &options->pool);
}

static const char *read_max(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  return read_pool(builtin_data, TVMQ_POOLING_MAX, &options->pool);
}

static const char *describe_pool(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  const struct tvmq_shape *in = &shapes->in[0];
  if (in->rank != 4) return "the input is not 4-dimensional";
  struct tvmq_pool_desc *pool = &desc->pool;
  pool->in_type = tvmq_tensor_type(view->in[0]);
  pool->out_type = tvmq_tensor_type(view->out);
  pool->batch = in->dims[0];
  pool->in_h = in->dims[1];
  pool->in_w = in->dims[2];
  pool->channels = in->dims[3];
  pool->in = tvmq_tensor_quant(view->in[0]);
  pool->out = tvmq_tensor_quant(view->out);
  const char *reason = tvmq_pool_out_size(pool, &pool->out_h, &pool->out_w);
  if (reason != NULL) return reason;
  shapes->out = (struct tvmq_shape){.rank = 4, .dims = {pool->batch, pool->out_h, pool->out_w, pool->channels}};
  return NULL;
}

const struct tvmq_node_kind tvmq_node_average_pool_2d = {
    .op_def = &tvmq_operator_pool, .n_in = 1, .min_inputs = 1, .max_inputs = 1, .read = read_average, .describe = describe_pool};
const struct tvmq_node_kind tvmq_node_max_pool_2d = {
    .op_def = &tvmq_operator_pool, .n_in = 1, .min_inputs = 1, .max_inputs = 1, .read = read_max, .describe = describe_pool};
