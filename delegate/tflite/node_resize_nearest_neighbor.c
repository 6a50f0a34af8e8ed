// RESIZE_NEAREST_NEIGHBOR. Ignores quantization.
#include "tflite/node_kind.h"

enum { IN, SIZE };  // inputs
enum { RANK = 4, HEIGHT = 1, WIDTH = 2 };
enum { MOST_EXACT = 1 << 20 };  // sizes up to which float32 holds every index and a half

static const char *read_resize_nearest_neighbor(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  const TfLiteResizeNearestNeighborParams *params = builtin_data;
  options->copy_options.align_corners = params->align_corners;
  options->copy_options.half_pixel_centers = params->half_pixel_centers;
  return NULL;
}

static const char *describe_resize_nearest_neighbor(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  const struct tvmq_copy_options *options = &view->node->options.copy_options;
  struct tvmq_copy_desc *copy = &desc->copy;
  int64_t size[2];
  const char *reason = tvmq_begin_copy(view, shapes, desc);
  if (reason == NULL && copy->rank != RANK) reason = "the input is not 4-dimensional";
  if (reason == NULL) reason = tvmq_read_n_integers(view, SIZE, TVMQ_INTEGERS("size is"), 2, size);
  for (int i = 0; reason == NULL && i < 2; i++) {
    struct tvmq_copy_axis *axis = &copy->axes[HEIGHT + i];
    if (size[i] <= 0 || size[i] > INT32_MAX) return "size is not positive or exceeds 2^31 - 1";
    axis->n = (size_t)size[i];
    if (axis->n == axis->size && axis->n <= MOST_EXACT && (!options->align_corners || !options->half_pixel_centers)) continue;  // every index reads itself
    axis->kind = TVMQ_COPY_NEAREST;
    axis->align_corners = options->align_corners;
    axis->half_pixel_centers = options->half_pixel_centers;
  }
  return reason != NULL ? reason : tvmq_copy_shape(copy, &shapes->out);
}

const struct tvmq_node_kind tvmq_node_resize_nearest_neighbor = {.op_def = &tvmq_operator_copy,
                                                                 .n_in = 1,
                                                                 .min_inputs = 2,
                                                                 .max_inputs = 2,
                                                                 .read = read_resize_nearest_neighbor,
                                                                 .describe = describe_resize_nearest_neighbor};
