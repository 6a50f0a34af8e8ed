// The common part of the readers of operators that copy elements.
#include <string.h>

#include "tflite/node_kind.h"

const char *tvmq_begin_copy(const struct tvmq_node_view *view, const struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_copy_desc *copy = &desc->copy;
  memset(desc, 0, sizeof *desc);
  copy->in_type = tvmq_tensor_type(view->in[0]);
  copy->out_type = tvmq_tensor_type(view->out);
  copy->in_bytes = shapes->in[0].bytes;
  copy->rank = shapes->in[0].rank;
  copy->n_out = view->node->n_out;
  copy->same_quant = true;
  for (int k = 0; k < view->node->n_out; k++) {
    if (tvmq_tensor_type(view->outs[k]) != copy->in_type) return "input and output types differ";
    copy->same_quant &= tvmq_same_quant(tvmq_tensor_quant(view->in[0]), tvmq_tensor_quant(view->outs[k]));
  }
  size_t stride = tvmq_type_bytes(copy->in_type);
  for (int d = copy->rank; d-- > 0; stride *= (size_t)shapes->in[0].dims[d]) copy->axes[d] = tvmq_copy_whole((size_t)shapes->in[0].dims[d], stride);
  return NULL;
}

const char *tvmq_copy_shape(const struct tvmq_copy_desc *copy, struct tvmq_shape *shape) {
  *shape = (struct tvmq_shape){.rank = copy->rank};
  for (int d = 0; d < copy->rank; d++) {
    if (copy->axes[d].n > INT32_MAX) return "a dimension exceeds 2^31 - 1";
    shape->dims[d] = (int)copy->axes[d].n;
  }
  return NULL;
}

const char *tvmq_same_shape(const TfLiteTensor *tensor, const struct tvmq_shape *shape) {
  struct tvmq_shape own;
  const char *reason = tvmq_tensor_shape(tensor, &own);
  if (reason != NULL) return reason;
  return tvmq_shape_has_dims(&own, shape->rank, shape->dims) ? NULL : "the model gives the output another shape";
}
