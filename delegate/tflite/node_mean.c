// MEAN.
#include <string.h>

#include "tflite/node_kind.h"

enum { IN, AXES };  // inputs
enum { HEIGHT = 1, WIDTH = 2, RANK = 4 };

static const char *read(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  const TfLiteReducerParams *params = builtin_data;
  options->mean.keep_dims = params->keep_dims;
  return NULL;
}

// Axes may be counted from the end, and named twice.
static const char *check_axes(const struct tvmq_node_view *view) {
  static const char *const others = "the axes are not height and width";
  const TfLiteTensor *axes;
  struct tvmq_shape shape;
  const char *reason = tvmq_tensor_parameter(view->context, view->node->inputs[AXES], &axes, &shape);
  if (reason != NULL) return reason;
  if (tvmq_tensor_type(axes) != TVMQ_TYPE_S32 || !tvmq_tensor_is_constant(axes)) return "the axes are not constants of int32";
  bool taken[RANK] = {false};
  for (size_t i = 0; i < shape.bytes / sizeof(int32_t); i++) {
    int32_t axis;
    memcpy(&axis, (const char *)axes->data + i * sizeof axis, sizeof axis);  // a file may place it anywhere
    axis = axis < 0 ? axis + RANK : axis;
    if (axis != HEIGHT && axis != WIDTH) return others;
    taken[axis] = true;
  }
  return taken[HEIGHT] && taken[WIDTH] ? NULL : others;
}

static const char *describe(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  const struct tvmq_shape *in = &shapes->in[IN];
  if (in->rank != RANK) return "the input has not 4 dimensions";
  const char *reason = check_axes(view);
  if (reason != NULL) return reason;
  struct tvmq_mean_desc *mean = &desc->mean;
  mean->in_type = tvmq_tensor_type(view->in[IN]);
  mean->out_type = tvmq_tensor_type(view->out);
  mean->batch = in->dims[0];
  mean->in_h = in->dims[HEIGHT];
  mean->in_w = in->dims[WIDTH];
  mean->channels = in->dims[3];
  mean->in = tvmq_tensor_quant(view->in[IN]);
  mean->out = tvmq_tensor_quant(view->out);
  shapes->out = mean->keep_dims ? (struct tvmq_shape){.rank = RANK, .dims = {mean->batch, 1, 1, mean->channels}}
                                : (struct tvmq_shape){.rank = 2, .dims = {mean->batch, mean->channels}};
  return NULL;
}

const struct tvmq_node_kind tvmq_node_mean = {.op_class = &tvmq_op_mean, .n_in = 1, .min_inputs = 2, .max_inputs = 2, .read = read, .describe = describe};
