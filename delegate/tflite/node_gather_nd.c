// GATHER_ND.
#include "tflite/node_kind.h"

enum { IN, INDICES };  // inputs

static const char *describe_gather_nd(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_gather_desc *gather = &desc->gather;
  const struct tvmq_shape *in = &shapes->in[IN], *indices = &shapes->in[INDICES];
  const TfLiteTensor *known;
  struct tvmq_shape shape;
  const char *reason = tvmq_node_parameter(view, INDICES, &known, &shape);
  if (reason != NULL) return reason;
  gather->in_type = tvmq_tensor_type(view->in[IN]);
  gather->out_type = tvmq_tensor_type(view->out);
  gather->index_type = tvmq_tensor_type(view->in[INDICES]);
  if (indices->rank < 1) return "the indices have no dimension";
  gather->depth = indices->dims[indices->rank - 1];
  if (gather->depth > in->rank) return "an index has more integers than the input has dimensions";
  if (indices->rank - 1 + in->rank - gather->depth > TVMQ_MAX_RANK) return "a tensor has more than 8 dimensions";
  gather->outer = gather->n = gather->slice = 1;
  for (int d = 0; d < indices->rank - 1; d++) {
    shapes->out.dims[shapes->out.rank++] = indices->dims[d];
    if (__builtin_mul_overflow(gather->n, indices->dims[d], &gather->n)) return "tensor has more than 2^31 - 1 elements";
  }
  for (int d = 0; d < in->rank; d++) {
    if (d < gather->depth) {
      gather->sizes[d] = in->dims[d];
      continue;
    }
    shapes->out.dims[shapes->out.rank++] = in->dims[d];
    if (__builtin_mul_overflow(gather->slice, in->dims[d], &gather->slice)) return "tensor has more than 2^31 - 1 elements";
  }
  if (tvmq_tensor_is_constant(known)) gather->indices = known->data;
  return NULL;
}

const struct tvmq_node_kind tvmq_node_gather_nd = {
    .op_def = &tvmq_operator_gather, .n_in = 2, .min_inputs = 2, .max_inputs = 2, .describe = describe_gather_nd};
