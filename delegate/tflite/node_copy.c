// The common part of the readers of operators that copy elements.
#include <string.h>

#include "base/integers.h"
#include "tflite/node_kind.h"

const char *tvmq_begin_copy(const struct tvmq_node_view *view, const struct tvmq_shapes *shapes, struct tvmq_copy_desc *copy) {
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
  const bool same = own.rank == shape->rank && memcmp(own.dims, shape->dims, (size_t)shape->rank * sizeof own.dims[0]) == 0;
  return same ? NULL : "the output has another shape in the file";
}

const char *tvmq_read_axis(int64_t axis, int rank, int *out) {
  if (axis < -rank || axis >= rank) return "the axis is none of the input's";
  *out = (int)(axis < 0 ? axis + rank : axis);
  return NULL;
}

const char *tvmq_read_integers(const struct tvmq_node_view *view, int input, const struct tvmq_integers_reasons *reasons, int most, int64_t *values, int *n) {
  const TfLiteTensor *tensor;
  struct tvmq_shape shape;
  const char *reason = tvmq_node_parameter(view, input, &tensor, &shape);
  if (reason != NULL) return reason;
  const enum tvmq_type type = tvmq_tensor_type(tensor);
  if (type != TVMQ_TYPE_S32 && type != TVMQ_TYPE_S64) return reasons->type;
  if (!tvmq_tensor_is_constant(tensor)) return reasons->constant;
  const size_t count = shape.bytes / tvmq_type_bytes(type);
  if (count > (size_t)most) return reasons->number;
  *n = (int)count;
  for (size_t i = 0; i < count; i++) values[i] = tvmq_load_integer(tensor->data, type, i);
  return NULL;
}

const char *tvmq_read_n_integers(const struct tvmq_node_view *view, int input, const struct tvmq_integers_reasons *reasons, int n, int64_t *values) {
  int found = 0;
  const char *reason = tvmq_read_integers(view, input, reasons, n, values, &found);
  return reason != NULL || found == n ? reason : reasons->number;
}

const char *tvmq_read_paddings(const struct tvmq_node_view *view, int input, int rank, int64_t paddings[][2]) {
  const TfLiteTensor *tensor;
  struct tvmq_shape shape;
  const char *reason = tvmq_tensor_parameter(view->context, view->node->inputs[input], &tensor, &shape);
  if (reason == NULL && (shape.rank != 2 || shape.dims[0] != rank || shape.dims[1] != 2)) reason = "the paddings are not a pair for each dimension";
  if (reason == NULL) reason = tvmq_read_n_integers(view, input, TVMQ_INTEGERS("the paddings are"), 2 * rank, paddings[0]);
  for (int i = 0; reason == NULL && i < 2 * rank; i++) {
    const int64_t padding = paddings[i / 2][i % 2];
    reason = padding < 0 ? "a padding is negative" : padding > INT32_MAX ? "a padding exceeds 32 bits" : NULL;
  }
  return reason;
}
