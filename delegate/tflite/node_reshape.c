// RESHAPE: the same elements with other dimensions. Ignores quantization.
#include <string.h>

#include "tflite/node_kind.h"

enum { IN, SHAPE };  // inputs

static const char *read_reshape(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  const TfLiteReshapeParams *params = builtin_data;
  if (params->num_dimensions < 0 || params->num_dimensions > TVMQ_MAX_RANK) return "a tensor has more than 8 dimensions";
  options->copy_options.n_dims = params->num_dimensions;
  memcpy(options->copy_options.dims, params->shape, (size_t)params->num_dimensions * sizeof(int32_t));
  return NULL;
}

// Reads the shape from the node's options, in which a single 0 means a scalar.
static void own_shape(const struct tvmq_copy_options *options, struct tvmq_shape *out) {
  const bool scalar = options->n_dims == 1 && options->dims[0] == 0;
  *out = (struct tvmq_shape){.rank = scalar ? 0 : options->n_dims};
  memcpy(out->dims, options->dims, (size_t)out->rank * sizeof out->dims[0]);
}

static const char *read_shape(const struct tvmq_node_view *view, struct tvmq_shape *out) {
  const TfLiteTensor *tensor;
  struct tvmq_shape shape;
  own_shape(&view->node->options.copy_options, out);
  if (view->node->inputs[SHAPE] < 0) return NULL;
  const char *reason = tvmq_node_parameter(view, SHAPE, &tensor, &shape);
  if (reason != NULL) return reason;
  if (!tvmq_tensor_is_constant(tensor)) return "the shape is not constant";
  if (tvmq_tensor_type(tensor) != TVMQ_TYPE_S32 || shape.rank != 1) return NULL;  // the reference takes the node's own, too
  if (shape.dims[0] > TVMQ_MAX_RANK) return "a tensor has more than 8 dimensions";
  *out = (struct tvmq_shape){.rank = shape.dims[0]};
  memcpy(out->dims, tensor->data, shape.bytes);
  return NULL;
}

// Replaces a dimension of -1 so that the shape has `n` elements.
static const char *stretch(struct tvmq_shape *shape, size_t n) {
  size_t product = 1;
  int *open = NULL;
  for (int i = 0; i < shape->rank; i++) {
    if (shape->dims[i] < -1 || (shape->dims[i] == -1 && open != NULL)) return "the shape has negative dimensions";
    if (shape->dims[i] == -1)
      open = &shape->dims[i];
    else if (__builtin_mul_overflow(product, (size_t)shape->dims[i], &product))
      return "a tensor exceeds the address space";
  }
  if (open != NULL && product > 0 && n / product <= INT32_MAX) product *= (size_t)(*open = (int)(n / product));
  return product == n ? NULL : "the shape's number of elements differs from the input's";
}

static const char *describe_reshape(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  const char *reason = tvmq_begin_copy(view, shapes, desc);
  if (reason == NULL) reason = read_shape(view, &shapes->out);
  return reason != NULL ? reason : stretch(&shapes->out, shapes->in[IN].bytes / tvmq_type_bytes(desc->copy.in_type));
}

const struct tvmq_node_kind tvmq_node_reshape = {
    .op_def = &tvmq_operator_copy, .n_in = 1, .min_inputs = 1, .max_inputs = 2, .read = read_reshape, .flat = true, .describe = describe_reshape};
