// RESIZE_BILINEAR.
#include <string.h>

#include "tflite/node_kind.h"

enum { IN, SIZE };  // inputs
enum { HEIGHT = 1, WIDTH = 2, CHANNELS = 3, RANK = 4 };

static const char *read(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  const TfLiteResizeBilinearParams *params = builtin_data;
  options->resize.align_corners = params->align_corners;
  options->resize.half_pixel_centers = params->half_pixel_centers;
  return params->align_corners && params->half_pixel_centers ? "align_corners and half_pixel_centers are both set" : NULL;
}

static const char *read_size(const struct tvmq_node_view *view, int32_t size[2]) {
  const TfLiteTensor *tensor;
  struct tvmq_shape shape;
  const char *reason = tvmq_node_parameter(view, SIZE, &tensor, &shape);
  if (reason != NULL) return reason;
  if (tvmq_tensor_type(tensor) != TVMQ_TYPE_S32 || !tvmq_tensor_is_constant(tensor)) return "the size is not a constant of int32";
  if (shape.rank != 1 || shape.dims[0] != 2) return "the size is not a height and a width";
  memcpy(size, tensor->data, 2 * sizeof size[0]);  // a file may place it anywhere
  return NULL;
}

static const char *describe(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  const struct tvmq_shape *in = &shapes->in[IN];
  if (in->rank != RANK) return "the input has not 4 dimensions";
  int32_t size[2];
  const char *reason = read_size(view, size);
  if (reason != NULL) return reason;
  struct tvmq_resize_desc *resize = &desc->resize;
  resize->in_type = tvmq_tensor_type(view->in[IN]);
  resize->out_type = tvmq_tensor_type(view->out);
  resize->batch = in->dims[0];
  resize->in_h = in->dims[HEIGHT];
  resize->in_w = in->dims[WIDTH];
  resize->channels = in->dims[CHANNELS];
  resize->out_h = size[0];
  resize->out_w = size[1];
  if (size[0] <= 0 || size[1] <= 0) return "the size is not positive";
  shapes->out = (struct tvmq_shape){.rank = RANK, .dims = {resize->batch, size[0], size[1], resize->channels}};
  return NULL;
}

const struct tvmq_node_kind tvmq_node_resize_bilinear = {
    .op_class = &tvmq_op_resize_bilinear, .n_in = 1, .min_inputs = 2, .max_inputs = 2, .read = read, .describe = describe};
