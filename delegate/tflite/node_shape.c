// SHAPE.
#include <string.h>

#include "tflite/node_kind.h"

static const char *describe_shape(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  const struct tvmq_shape *in = &shapes->in[0];
  desc->shape.out_type = tvmq_tensor_type(view->out);
  desc->shape.rank = in->rank;
  memcpy(desc->shape.dims, in->dims, (size_t)in->rank * sizeof in->dims[0]);
  shapes->out = (struct tvmq_shape){.rank = 1, .dims = {in->rank}};
  return NULL;
}

const struct tvmq_node_kind tvmq_node_shape = {.op_def = &tvmq_operator_shape, .n_in = 1, .min_inputs = 1, .max_inputs = 1, .describe = describe_shape};
