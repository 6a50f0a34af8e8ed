// PACK: a concatenation along an axis that the inputs do not have.
#include <string.h>

#include "tflite/node_kind.h"

static const char *read(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  options->copy_options.axis = ((const TfLitePackParams *)builtin_data)->axis;
  return NULL;
}

static const char *describe(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_concatenation_desc *c = &desc->concatenation;
  const struct tvmq_shape *first = &shapes->in[0];
  int axis;
  const char *reason = tvmq_read_axis(view->node->options.copy_options.axis, first->rank + 1, &axis);
  if (reason != NULL) return reason;
  if (first->rank == TVMQ_MAX_RANK) return "a tensor has more than 8 dimensions";
  memset(desc, 0, sizeof *desc);
  c->type = tvmq_tensor_type(view->out);
  c->n_in = view->node->n_in;
  c->out = tvmq_tensor_quant(view->out);
  for (int i = 0; i < c->n_in; i++) {
    const struct tvmq_shape *in = &shapes->in[i];
    if (tvmq_tensor_type(view->in[i]) != c->type) return "input and output types differ";
    if (in->rank != first->rank || memcmp(in->dims, first->dims, (size_t)first->rank * sizeof in->dims[0]) != 0) return "the inputs have not one shape";
    c->in[i] = tvmq_tensor_quant(view->in[i]);
  }
  shapes->out.rank = first->rank + 1;
  for (int d = 0; d < first->rank; d++) shapes->out.dims[d < axis ? d : d + 1] = first->dims[d];
  shapes->out.dims[axis] = c->n_in;
  if (first->bytes == 0) return NULL;
  c->rows = 1;
  for (int d = 0; d < axis; d++) c->rows *= (size_t)first->dims[d];
  for (int i = 0; i < c->n_in; i++) c->row_bytes[i] = first->bytes / c->rows;
  return NULL;
}

const struct tvmq_node_kind tvmq_node_pack = {
    .op_class = &tvmq_op_concatenation, .n_in = TVMQ_MAX_IN, .min_inputs = 1, .max_inputs = TVMQ_MAX_IN, .read = read, .describe = describe};
