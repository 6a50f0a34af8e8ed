// GATHER with constant indices.
#include <string.h>

#include "tflite/node_kind.h"

enum { IN, INDICES };  // inputs

static const char *read(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  const TfLiteGatherParams *params = builtin_data;
  options->copy_options.axis = params->axis;
  return params->batch_dims == 0 ? NULL : "batches have indices of their own";
}

static const char *describe(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_copy_desc *copy = &desc->copy;
  const TfLiteTensor *indices;
  struct tvmq_shape shape;
  int axis;
  memset(desc, 0, sizeof *desc);
  const char *reason = tvmq_begin_copy(view, shapes, copy);
  if (reason == NULL) reason = tvmq_read_axis(view->node->options.copy_options.axis, copy->rank, &axis);
  if (reason == NULL) reason = tvmq_node_parameter(view, INDICES, &indices, &shape);
  if (reason != NULL) return reason;
  const enum tvmq_type type = tvmq_tensor_type(indices);
  if (type != TVMQ_TYPE_S32 && type != TVMQ_TYPE_S64) return "the indices are neither int32 nor int64";
  if (!tvmq_tensor_is_constant(indices)) return "the indices are not constant";
  if (copy->rank - 1 + shape.rank > TVMQ_MAX_RANK) return "a tensor has more than 8 dimensions";
  struct tvmq_copy_axis *gathered = &copy->axes[axis];
  gathered->kind = TVMQ_COPY_LISTED;
  gathered->n = shape.bytes / tvmq_type_bytes(type);
  gathered->list = indices->data;
  gathered->list_type = type;
  const struct tvmq_shape *in = &shapes->in[IN];
  for (int d = 0; d < in->rank; d++) {
    for (int i = 0; d == axis && i < shape.rank; i++) shapes->out.dims[shapes->out.rank++] = shape.dims[i];
    if (d != axis) shapes->out.dims[shapes->out.rank++] = in->dims[d];
  }
  return NULL;
}

const struct tvmq_node_kind tvmq_node_gather = {.op_class = &tvmq_op_copy, .n_in = 1, .min_inputs = 2, .max_inputs = 2, .read = read, .describe = describe};
