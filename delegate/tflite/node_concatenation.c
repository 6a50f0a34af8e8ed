// CONCATENATION of up to TVMQ_MAX_IN inputs.
#include "tflite/node_kind.h"

static const char *read_concatenation(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  const TfLiteConcatenationParams *params = builtin_data;
  options->concatenation.axis = params->axis;
  options->concatenation.activation = tvmq_read_activation(params->activation);
  return NULL;
}

const char *tvmq_begin_concatenation(const struct tvmq_node_view *view, struct tvmq_concatenation_desc *concatenation) {
  concatenation->type = tvmq_tensor_type(view->out);
  concatenation->n_in = view->node->n_in;
  concatenation->out = tvmq_tensor_quant(view->out);
  for (int i = 0; i < concatenation->n_in; i++) {
    if (tvmq_tensor_type(view->in[i]) != concatenation->type) return "input and output types differ";
    concatenation->in[i] = tvmq_tensor_quant(view->in[i]);
  }
  return NULL;
}

void tvmq_concatenate_rows(const struct tvmq_shapes *shapes, int axis, struct tvmq_concatenation_desc *concatenation) {
  concatenation->rows = 1;
  for (int d = 0; d < axis; d++) concatenation->rows *= (size_t)shapes->in[0].dims[d];
  for (int i = 0; i < concatenation->n_in; i++) concatenation->row_bytes[i] = shapes->in[i].bytes / concatenation->rows;
}

// Adds the input's size along the axis to the output's. All other dimensions must be equal.
static const char *append_input(const struct tvmq_shape *in, int axis, struct tvmq_shape *out) {
  if (in->rank != out->rank) return "the inputs' ranks differ";
  for (int d = 0; d < in->rank; d++) {
    if (d != axis && in->dims[d] != out->dims[d]) return "input dimensions other than axis differ";
  }
  return __builtin_add_overflow(out->dims[axis], in->dims[axis], &out->dims[axis]) ? "the output's dimension along axis exceeds 2^31 - 1" : NULL;
}

static const char *describe_concatenation(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_concatenation_desc *c = &desc->concatenation;
  const struct tvmq_shape *first = &shapes->in[0];
  int axis;
  const char *reason = tvmq_read_axis(c->axis, first->rank, &axis);
  if (reason == NULL) reason = tvmq_begin_concatenation(view, c);
  if (reason != NULL) return reason;
  shapes->out = *first;
  shapes->out.dims[axis] = 0;
  for (int i = 0; reason == NULL && i < c->n_in; i++) reason = append_input(&shapes->in[i], axis, &shapes->out);
  if (reason == NULL) reason = tvmq_shape_set_bytes(&shapes->out, c->type);
  if (reason == NULL && shapes->out.bytes > 0) tvmq_concatenate_rows(shapes, axis, c);
  return reason;
}

const struct tvmq_node_kind tvmq_node_concatenation = {.op_def = &tvmq_operator_concatenation,
                                                       .n_in = TVMQ_MAX_IN,
                                                       .min_inputs = 1,
                                                       .max_inputs = TVMQ_MAX_IN,
                                                       .read = read_concatenation,
                                                       .describe = describe_concatenation};
