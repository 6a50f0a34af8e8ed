// RESIZE_BILINEAR.
#include "tflite/node_kind.h"

enum { IN, SIZE };  // inputs
enum { HEIGHT = 1, WIDTH = 2, CHANNELS = 3, RANK = 4 };

static const char *read_resize_bilinear(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  const TfLiteResizeBilinearParams *params = builtin_data;
  options->resize.align_corners = params->align_corners;
  options->resize.half_pixel_centers = params->half_pixel_centers;
  return params->align_corners && params->half_pixel_centers ? "align_corners and half_pixel_centers are both set" : NULL;
}

static const char *describe_resize_bilinear(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  const struct tvmq_shape *in = &shapes->in[IN];
  if (in->rank != RANK) return "the input is not 4-dimensional";
  int64_t size[2];
  const char *reason = tvmq_read_n_integers(view, SIZE, TVMQ_INT32_LIST("size is"), 2, size);
  if (reason != NULL) return reason;
  struct tvmq_resize_desc *resize = &desc->resize;
  resize->in_type = tvmq_tensor_type(view->in[IN]);
  resize->out_type = tvmq_tensor_type(view->out);
  resize->batch = in->dims[0];
  resize->in_h = in->dims[HEIGHT];
  resize->in_w = in->dims[WIDTH];
  resize->channels = in->dims[CHANNELS];
  resize->out_h = (int32_t)size[0];
  resize->out_w = (int32_t)size[1];
  if (size[0] <= 0 || size[1] <= 0) return "size is not positive";
  shapes->out = (struct tvmq_shape){.rank = RANK, .dims = {resize->batch, resize->out_h, resize->out_w, resize->channels}};
  return NULL;
}

const struct tvmq_node_kind tvmq_node_resize_bilinear = {
    .op_def = &tvmq_operator_resize_bilinear, .n_in = 1, .min_inputs = 2, .max_inputs = 2, .read = read_resize_bilinear, .describe = describe_resize_bilinear};
