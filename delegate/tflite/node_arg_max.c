// ARG_MAX.
#include <string.h>

#include "tflite/node_kind.h"

enum { IN, AXIS };  // inputs

// The type of the output is the options', whatever the tensor says before the graph is prepared.
static const char *read(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  const TfLiteArgMaxParams *params = builtin_data;
  options->arg_max.out_type = params->output_type == kTfLiteInt32 ? TVMQ_TYPE_S32 : params->output_type == kTfLiteInt64 ? TVMQ_TYPE_S64 : TVMQ_TYPE_OTHER;
  return NULL;
}

static const char *read_axis(const struct tvmq_node_view *view, int rank, int *axis) {
  const TfLiteTensor *tensor;
  struct tvmq_shape shape;
  const char *reason = tvmq_node_parameter(view, AXIS, &tensor, &shape);
  if (reason != NULL) return reason;
  const enum tvmq_type type = tvmq_tensor_type(tensor);
  if ((type != TVMQ_TYPE_S32 && type != TVMQ_TYPE_S64) || !tvmq_tensor_is_constant(tensor)) return "the axis is not a constant of int32 or int64";
  if (shape.bytes != tvmq_type_bytes(type)) return "there is not one axis";
  int64_t value = 0;
  memcpy(&value, tensor->data, tvmq_type_bytes(type));  // a file may place it anywhere
  if (type == TVMQ_TYPE_S32) value = (int32_t)value;
  if (value < -rank || value >= rank) return "the axis is out of range";
  *axis = (int)(value < 0 ? value + rank : value);
  return NULL;
}

static const char *describe(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  const struct tvmq_shape *in = &shapes->in[IN];
  int axis = 0;
  const char *reason = read_axis(view, in->rank, &axis);
  if (reason != NULL) return reason;
  struct tvmq_arg_max_desc *arg_max = &desc->arg_max;
  if (tvmq_tensor_type(view->out) != arg_max->out_type) return "the output has another type than the options say";
  arg_max->in_type = tvmq_tensor_type(view->in[IN]);
  arg_max->outer = arg_max->inner = 1;
  arg_max->depth = in->dims[axis];
  for (int i = 0; i < in->rank; i++) {
    if (i == axis) continue;
    int32_t *const side = i < axis ? &arg_max->outer : &arg_max->inner;
    if (__builtin_mul_overflow(*side, in->dims[i], side)) return "input has more than 2^31 - 1 elements";
    shapes->out.dims[shapes->out.rank++] = in->dims[i];
  }
  return NULL;
}

const struct tvmq_node_kind tvmq_node_arg_max = {.op_class = &tvmq_op_arg_max, .n_in = 1, .min_inputs = 2, .max_inputs = 2, .read = read, .describe = describe};
