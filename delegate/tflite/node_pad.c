// PAD and PADV2, which differ in that PADV2 always has a value to pad with.
#include <string.h>

#include "tflite/node_kind.h"

enum { IN, PADDINGS, VALUE };  // inputs
enum { RANK = 4 };

// Element `i` of a tensor of integers, whose data may lie anywhere.
static int64_t load(const TfLiteTensor *tensor, size_t i) {
  const enum tvmq_type type = tvmq_tensor_type(tensor);
  const size_t bytes = tvmq_type_bytes(type), unused = 8 * (sizeof(uint64_t) - bytes);
  uint64_t value = 0;
  memcpy(&value, (const char *)tensor->data + i * bytes, bytes);
  return type == TVMQ_TYPE_U8 ? (int64_t)value : (int64_t)(value << unused) >> unused;
}

static const char *describe_paddings(const struct tvmq_node_view *view, struct tvmq_pad_desc *pad) {
  const TfLiteTensor *paddings;
  struct tvmq_shape shape;
  const char *reason = tvmq_tensor_parameter(view->context, view->node->inputs[PADDINGS], &paddings, &shape);
  if (reason != NULL) return reason;
  const enum tvmq_type type = tvmq_tensor_type(paddings);
  if (type != TVMQ_TYPE_S32 && type != TVMQ_TYPE_S64) return "the paddings are neither int32 nor int64";
  if (shape.rank != 2 || shape.dims[0] != RANK || shape.dims[1] != 2) return "the paddings are not 4 pairs";
  if (!tvmq_tensor_is_constant(paddings)) return "the paddings are not constant";
  for (size_t i = 0; i < RANK; i++) {
    const int64_t before = load(paddings, 2 * i), after = load(paddings, 2 * i + 1);
    if (before != (int32_t)before || after != (int32_t)after) return "a padding exceeds 32 bits";
    pad->before[i] = (int32_t)before;
    pad->after[i] = (int32_t)after;
  }
  return NULL;
}

static const char *describe_value(const struct tvmq_node_view *view, struct tvmq_pad_desc *pad) {
  pad->value = pad->out.zero_point;
  if (view->node->inputs[VALUE] < 0) return NULL;
  const TfLiteTensor *value;
  struct tvmq_shape shape;
  const char *reason = tvmq_tensor_parameter(view->context, view->node->inputs[VALUE], &value, &shape);
  if (reason != NULL) return reason;
  if (tvmq_tensor_type(value) != pad->in_type || shape.bytes != tvmq_type_bytes(pad->in_type)) return "the padded value is not one of the input's type";
  if (!tvmq_tensor_is_constant(value)) return "the padded value is not constant";
  // Which the runtimes ask for too, not all of them by an error.
  if (!tvmq_same_quant(tvmq_tensor_quant(value), pad->out)) return "the padded value has another scale or zero point than the output";
  pad->value = (int32_t)load(value, 0);
  return NULL;
}

static const char *describe(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  const struct tvmq_shape *in = &shapes->in[IN];
  if (in->rank != RANK) return "the input has not 4 dimensions";
  struct tvmq_pad_desc *pad = &desc->pad;
  pad->in_type = tvmq_tensor_type(view->in[IN]);
  pad->out_type = tvmq_tensor_type(view->out);
  pad->in = tvmq_tensor_quant(view->in[IN]);
  pad->out = tvmq_tensor_quant(view->out);
  const char *reason = describe_paddings(view, pad);
  if (reason == NULL) reason = describe_value(view, pad);
  if (reason != NULL) return reason;
  shapes->out = (struct tvmq_shape){.rank = RANK};
  for (int i = 0; i < RANK; i++) {
    pad->size[i] = in->dims[i];
    const int64_t padded = (int64_t)pad->before[i] + pad->size[i] + pad->after[i];
    if (padded < 0 || padded > INT32_MAX) return "a padded dimension is negative or exceeds 2^31 - 1";
    shapes->out.dims[i] = (int)padded;
  }
  return NULL;
}

const struct tvmq_node_kind tvmq_node_pad = {.op_class = &tvmq_op_pad, .n_in = 1, .min_inputs = 2, .max_inputs = 3, .describe = describe};
const struct tvmq_node_kind tvmq_node_padv2 = {.op_class = &tvmq_op_pad, .n_in = 1, .min_inputs = 3, .max_inputs = 3, .describe = describe};
