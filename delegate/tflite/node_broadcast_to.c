// BROADCAST_TO.
#include "tflite/node_kind.h"

enum { IN, SHAPE };  // inputs

static const char *describe_broadcast_to(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_copy_desc *copy = &desc->copy;
  int64_t dims[TVMQ_MAX_RANK];
  int rank = 0;
  const char *reason = tvmq_begin_copy(view, shapes, desc);
  if (reason == NULL) reason = tvmq_read_integers(view, SHAPE, TVMQ_INTEGERS("the shape is"), TVMQ_MAX_RANK, dims, &rank);
  if (reason != NULL) return reason;
  const int added = rank - copy->rank;
  if (added < 0) return "the input has more dimensions than the shape";
  for (int d = rank; d-- > 0;) {
    struct tvmq_copy_axis *axis = &copy->axes[d];
    *axis = d < added ? tvmq_copy_whole(1, copy->in_bytes) : copy->axes[d - added];
    if (dims[d] < 0 || dims[d] > INT32_MAX) return "a dimension of the shape is negative or exceeds 2^31 - 1";
    if (axis->n == (size_t)dims[d]) continue;
    if (axis->n != 1) return "the input does not broadcast to the shape";
    axis->kind = TVMQ_COPY_WRAPPED;
    axis->n = (size_t)dims[d];
  }
  copy->rank = rank;
  return tvmq_copy_shape(copy, &shapes->out);
}

const struct tvmq_node_kind tvmq_node_broadcast_to = {
    .op_def = &tvmq_operator_copy, .n_in = 1, .min_inputs = 2, .max_inputs = 2, .describe = describe_broadcast_to};
