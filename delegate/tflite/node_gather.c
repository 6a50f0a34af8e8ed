// GATHER with constant indices.
#include "tflite/node_kind.h"

enum { IN, INDICES };  // inputs

static const char *read_gather(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  const TfLiteGatherParams *params = builtin_data;
  options->copy_options.axis = params->axis;
  return params->batch_dims == 0 ? NULL : "batch_dims is not 0";
}

static const char *describe_gather(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_copy_desc *copy = &desc->copy;
  struct tvmq_integer_constant indices;
  int axis;
  const char *reason = tvmq_begin_copy(view, shapes, desc);
  if (reason == NULL) reason = tvmq_read_axis(view->node->options.copy_options.axis, copy->rank, &axis);
  if (reason == NULL) reason = tvmq_find_integers(view, INDICES, TVMQ_INTEGERS("indices are"), &indices);
  if (reason != NULL) return reason;
  if (copy->rank - 1 + indices.shape.rank > TVMQ_MAX_RANK) return "a tensor has more than 8 dimensions";
  struct tvmq_copy_axis *gathered = &copy->axes[axis];
  gathered->kind = TVMQ_COPY_LISTED;
  gathered->n = indices.n;
  gathered->list = indices.data;
  gathered->list_type = indices.type;
  const struct tvmq_shape *in = &shapes->in[IN];
  for (int d = 0; d < in->rank; d++) {
    for (int i = 0; d == axis && i < indices.shape.rank; i++) shapes->out.dims[shapes->out.rank++] = indices.shape.dims[i];
    if (d != axis) shapes->out.dims[shapes->out.rank++] = in->dims[d];
  }
  return NULL;
}

const struct tvmq_node_kind tvmq_node_gather = {
    .op_def = &tvmq_operator_copy, .n_in = 1, .min_inputs = 2, .max_inputs = 2, .read = read_gather, .describe = describe_gather};
