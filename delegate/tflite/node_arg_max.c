// ARG_MAX.
#include "tflite/node_kind.h"

enum { IN, AXIS };  // inputs

// Reads the output type from the options, because the tensor's type may be wrong before the graph is prepared.
static const char *read_arg_max(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  const TfLiteArgMaxParams *params = builtin_data;
  options->arg_max.out_type = params->output_type == kTfLiteInt32 ? TVMQ_TYPE_S32 : params->output_type == kTfLiteInt64 ? TVMQ_TYPE_S64 : TVMQ_TYPE_OTHER;
  return NULL;
}

static const char *describe_arg_max(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  const struct tvmq_shape *in = &shapes->in[IN];
  int axis = 0;
  const char *reason = tvmq_read_one_axis(view, AXIS, in->rank, &axis);
  if (reason != NULL) return reason;
  struct tvmq_arg_max_desc *arg_max = &desc->arg_max;
  if (tvmq_tensor_type(view->out) != arg_max->out_type) return "output type differs from the option output_type";
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

const struct tvmq_node_kind tvmq_node_arg_max = {
    .op_def = &tvmq_operator_arg_max, .n_in = 1, .min_inputs = 2, .max_inputs = 2, .read = read_arg_max, .describe = describe_arg_max};
