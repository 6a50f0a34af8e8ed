// PACK: a concatenation along an axis that the inputs do not have.
#include "tflite/node_kind.h"

static const char *read_pack(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  options->concatenation.axis = ((const TfLitePackParams *)builtin_data)->axis;
  return NULL;
}

static const char *describe_pack(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_concatenation_desc *c = &desc->concatenation;
  const struct tvmq_shape *first = &shapes->in[0];
  int axis;
  const char *reason = tvmq_read_axis(c->axis, first->rank + 1, &axis);
  if (reason != NULL) return reason;
  if (first->rank == TVMQ_MAX_RANK) return "a tensor has more than 8 dimensions";
  reason = tvmq_begin_concatenation(view, c);
  if (reason != NULL) return reason;
  for (int i = 0; i < c->n_in; i++) {
    const struct tvmq_shape *in = &shapes->in[i];
    if (!tvmq_shape_has_dims(in, first->rank, first->dims)) return "the inputs' shapes differ";
  }
  shapes->out.rank = first->rank + 1;
  for (int d = 0; d < first->rank; d++) shapes->out.dims[d < axis ? d : d + 1] = first->dims[d];
  shapes->out.dims[axis] = c->n_in;
  if (first->bytes > 0) tvmq_concatenate_rows(shapes, axis, c);
  return NULL;
}

const struct tvmq_node_kind tvmq_node_pack = {
    .op_def = &tvmq_operator_concatenation, .n_in = TVMQ_MAX_IN, .min_inputs = 1, .max_inputs = TVMQ_MAX_IN, .read = read_pack, .describe = describe_pack};
