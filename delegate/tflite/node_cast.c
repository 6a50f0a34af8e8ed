// CAST. Uses the types of the tensors and ignores those in the options, as the reference does.
#include "tflite/node_kind.h"

static const char *describe_cast(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_cast_desc *cast = &desc->cast;
  cast->in_type = tvmq_tensor_type(view->in[0]);
  cast->out_type = tvmq_tensor_type(view->out);
  cast->n = shapes->in[0].bytes / tvmq_type_bytes(cast->in_type);
  shapes->out = shapes->in[0];
  return NULL;
}

const struct tvmq_node_kind tvmq_node_cast = {
    .op_def = &tvmq_operator_cast, .n_in = 1, .min_inputs = 1, .max_inputs = 1, .flat = true, .describe = describe_cast};
