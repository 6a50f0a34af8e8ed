// Constants of integers that decide on a node's shape: axes, sizes, paddings.
#include "base/integers.h"
#include "tflite/node_kind.h"

const char *tvmq_read_axis(int64_t axis, int rank, int *out) {
  if (axis < -rank || axis >= rank) return "axis is out of range";
  *out = (int)(axis < 0 ? axis + rank : axis);
  return NULL;
}

const char *tvmq_find_integers(const struct tvmq_node_view *view, int input, const struct tvmq_integers_asked *asked, struct tvmq_integer_constant *found) {
  const TfLiteTensor *tensor;
  const char *reason = tvmq_node_parameter(view, input, &tensor, &found->shape);
  if (reason != NULL) return reason;
  found->type = tvmq_tensor_type(tensor);
  if (found->type != TVMQ_TYPE_S32 && (found->type != TVMQ_TYPE_S64 || asked->only_s32)) return asked->type;
  if (!tvmq_tensor_is_constant(tensor)) return asked->constant;
  found->data = tensor->data;
  found->n = found->shape.bytes / tvmq_type_bytes(found->type);
  return NULL;
}

static void load(const struct tvmq_integer_constant *integers, int64_t *values) {
  for (size_t i = 0; i < integers->n; i++) values[i] = tvmq_load_integer(integers->data, integers->type, i);
}

const char *tvmq_read_integers(const struct tvmq_node_view *view, int input, const struct tvmq_integers_asked *asked, int most, int64_t *values, int *n) {
  struct tvmq_integer_constant found;
  const char *reason = tvmq_find_integers(view, input, asked, &found);
  if (reason != NULL) return reason;
  if (found.n > (size_t)most) return asked->number;
  *n = (int)found.n;
  load(&found, values);
  return NULL;
}

const char *tvmq_read_n_integers(const struct tvmq_node_view *view, int input, const struct tvmq_integers_asked *asked, int n, int64_t *values) {
  struct tvmq_integer_constant found;
  const char *reason = tvmq_find_integers(view, input, asked, &found);
  if (reason != NULL) return reason;
  if (found.n != (size_t)n || (asked->list && found.shape.rank != 1)) return asked->number;
  load(&found, values);
  return NULL;
}

const char *tvmq_read_one_axis(const struct tvmq_node_view *view, int input, int rank, int *axis) {
  int64_t value;
  const char *reason = tvmq_read_n_integers(view, input, TVMQ_INTEGERS("axis is"), 1, &value);
  return reason != NULL ? reason : tvmq_read_axis(value, rank, axis);
}

const char *tvmq_read_paddings(const struct tvmq_node_view *view, int input, int rank, int64_t paddings[][2]) {
  const TfLiteTensor *tensor;
  struct tvmq_shape shape;
  const char *reason = tvmq_tensor_parameter(view->context, view->node->inputs[input], &tensor, &shape);
  if (reason == NULL && !tvmq_tensor_is_constant(tensor)) reason = "paddings are not constant";
  if (reason == NULL && (shape.rank != 2 || shape.dims[0] != rank || shape.dims[1] != 2)) reason = "paddings are not of shape [rank, 2]";
  if (reason == NULL) reason = tvmq_read_n_integers(view, input, TVMQ_INTEGERS("paddings are"), 2 * rank, paddings[0]);
  for (int i = 0; reason == NULL && i < 2 * rank; i++) {
    const int64_t padding = paddings[i / 2][i % 2];
    reason = padding < 0 ? "a padding is negative" : padding > INT32_MAX ? "a padding exceeds 32 bits" : NULL;
  }
  return reason;
}
