// PAD and PADV2, which differ in that PADV2 always has a value to pad with.
#include "base/integers.h"
#include "tflite/node_kind.h"

enum { IN, PADDINGS, VALUE };  // inputs

// Describes padding without a given value. Floats have no scale. If another tensor has no scale, the reference pads
// with zeros and ignores the output's zero point.
static const char *describe_default(const struct tvmq_node_view *view, struct tvmq_copy_desc *pad) {
  if (pad->in_type == TVMQ_TYPE_F32) return NULL;  // the bits of zero
  if (tvmq_tensor_quant(view->in[IN]).scale == 0) return "the input has no quantization scale";
  pad->value = pad->zero_point = tvmq_tensor_quant(view->out).zero_point;
  return NULL;
}

static const char *describe_value(const struct tvmq_node_view *view, struct tvmq_copy_desc *pad) {
  const char *reason = describe_default(view, pad);
  if (reason != NULL || view->node->inputs[VALUE] < 0) return reason;
  const TfLiteTensor *value;
  struct tvmq_shape shape;
  reason = tvmq_tensor_parameter(view->context, view->node->inputs[VALUE], &value, &shape);
  if (reason != NULL) return reason;
  if (tvmq_tensor_type(value) != pad->in_type || shape.bytes != tvmq_type_bytes(pad->in_type))
    return "the padding value is not a single element of the input's type";
  if (!tvmq_tensor_is_constant(value)) return "the padding value is not constant";
  // Runtimes require this too, but not all report an error.
  if (!tvmq_same_quant(tvmq_tensor_quant(value), tvmq_tensor_quant(view->out))) return "scale or zero point of the padding value differs from the output's";
  pad->value = (int32_t)tvmq_load_integer(value->data, pad->in_type, 0);
  return NULL;
}

static const char *describe_pad(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_copy_desc *pad = &desc->copy;
  int64_t paddings[TVMQ_MAX_RANK][2];
  const char *reason = tvmq_begin_copy(view, shapes, desc);
  if (reason == NULL) reason = tvmq_read_paddings(view, PADDINGS, pad->rank, paddings);
  if (reason == NULL) reason = describe_value(view, pad);
  for (int d = 0; reason == NULL && d < pad->rank; d++) {
    struct tvmq_copy_axis *axis = &pad->axes[d];
    if (paddings[d][0] == 0 && paddings[d][1] == 0) continue;
    axis->kind = TVMQ_COPY_PADDED;
    axis->first = paddings[d][0];
    axis->n += (size_t)(paddings[d][0] + paddings[d][1]);
  }
  return reason != NULL ? reason : tvmq_copy_shape(pad, &shapes->out);
}

const struct tvmq_node_kind tvmq_node_pad = {.op_def = &tvmq_operator_pad, .n_in = 1, .min_inputs = 2, .max_inputs = 3, .describe = describe_pad};
const struct tvmq_node_kind tvmq_node_padv2 = {.op_def = &tvmq_operator_pad, .n_in = 1, .min_inputs = 3, .max_inputs = 3, .describe = describe_pad};
