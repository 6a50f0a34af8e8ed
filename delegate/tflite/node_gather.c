// GATHER: a copy if its indices are constant, else slices that are gathered.
#include "tflite/node_kind.h"

enum { IN, INDICES };  // inputs

static const char *read_gather(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  const TfLiteGatherParams *params = builtin_data;
  options->copy_options.axis = params->axis;
  return params->batch_dims == 0 ? NULL : "batch_dims is not 0";
}

static const char *describe_gather(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_copy_desc *copy = &desc->copy;
  struct tvmq_integer_constant indices;
  int axis;
  const char *reason = tvmq_begin_copy(view, shapes, desc);
  if (reason == NULL) reason = tvmq_read_axis(view->node->options.copy_options.axis, copy->rank, &axis);
  if (reason == NULL) reason = tvmq_find_integers(view, INDICES, TVMQ_INTEGERS("indices are"), &indices);
  if (reason != NULL) return reason;
  if (copy->rank - 1 + indices.shape.rank > TVMQ_MAX_RANK) return "a tensor has more than 8 dimensions";
  struct tvmq_copy_axis *gathered = &copy->axes[axis];
  gathered->kind = TVMQ_COPY_LISTED;
  gathered->n = indices.n;
  gathered->list = indices.data;
  gathered->list_type = indices.type;
  const struct tvmq_shape *in = &shapes->in[IN];
  for (int d = 0; d < in->rank; d++) {
    for (int i = 0; d == axis && i < indices.shape.rank; i++) shapes->out.dims[shapes->out.rank++] = indices.shape.dims[i];
    if (d != axis) shapes->out.dims[shapes->out.rank++] = in->dims[d];
  }
  return NULL;
}

// Multiplies *n by a dimension and appends that to the output's shape.
static const char *keep(struct tvmq_shape *out, int dimension, int32_t *n) {
  if (out->rank == TVMQ_MAX_RANK) return "a tensor has more than 8 dimensions";
  out->dims[out->rank++] = dimension;
  return __builtin_mul_overflow(*n, dimension, n) ? "tensor has more than 2^31 - 1 elements" : NULL;
}

static const char *describe_computed_gather(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  const struct tvmq_shape *in = &shapes->in[IN], *indices = &shapes->in[INDICES];
  const TfLiteTensor *known;
  struct tvmq_shape shape;
  int axis;
  const char *reason = tvmq_node_parameter(view, INDICES, &known, &shape);
  if (reason == NULL) reason = tvmq_read_axis(view->node->options.copy_options.axis, in->rank, &axis);
  if (reason != NULL) return reason;
  memset(desc, 0, sizeof *desc);
  desc->gather = (struct tvmq_gather_desc){.in_type = tvmq_tensor_type(view->in[IN]),
                                           .out_type = tvmq_tensor_type(view->out),
                                           .index_type = tvmq_tensor_type(view->in[INDICES]),
                                           .outer = 1,
                                           .n = 1,
                                           .depth = 1,
                                           .sizes = {in->dims[axis]},
                                           .slice = 1};
  for (int d = 0; reason == NULL && d < axis; d++) reason = keep(&shapes->out, in->dims[d], &desc->gather.outer);
  for (int d = 0; reason == NULL && d < indices->rank; d++) reason = keep(&shapes->out, indices->dims[d], &desc->gather.n);
  for (int d = axis + 1; reason == NULL && d < in->rank; d++) reason = keep(&shapes->out, in->dims[d], &desc->gather.slice);
  if (tvmq_tensor_is_constant(known)) desc->gather.indices = known->data;
  return reason;
}

static const struct tvmq_node_kind computed_gather = {
    .op_def = &tvmq_operator_gather, .n_in = 2, .min_inputs = 2, .max_inputs = 2, .read = read_gather, .describe = describe_computed_gather};
const struct tvmq_node_kind tvmq_node_gather = {
    .op_def = &tvmq_operator_copy, .computed = &computed_gather, .n_in = 1, .min_inputs = 2, .max_inputs = 2, .read = read_gather, .describe = describe_gather};
