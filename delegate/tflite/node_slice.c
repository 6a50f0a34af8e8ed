// SLICE.
#include "tflite/node_kind.h"

enum { IN, BEGIN, SIZE };  // inputs

static const char *describe_slice(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_copy_desc *copy = &desc->copy;
  int64_t begin[TVMQ_MAX_RANK], size[TVMQ_MAX_RANK];
  const char *reason = tvmq_begin_copy(view, shapes, desc);
  if (reason == NULL) reason = tvmq_read_n_integers(view, BEGIN, TVMQ_INTEGERS("begin is"), copy->rank, begin);
  if (reason == NULL) reason = tvmq_read_n_integers(view, SIZE, TVMQ_INTEGERS("size is"), copy->rank, size);
  if (reason != NULL) return reason;
  for (int d = 0; d < copy->rank; d++) {
    const int64_t in = (int64_t)copy->axes[d].size;
    if (begin[d] < 0 || begin[d] > in || size[d] < -1 || size[d] > in - begin[d]) return "begin or size is outside the input";
    copy->axes[d].first = begin[d];
    copy->axes[d].n = (size_t)(size[d] == -1 ? in - begin[d] : size[d]);
  }
  return tvmq_copy_shape(copy, &shapes->out) ?: tvmq_same_shape(view->out, &shapes->out);
}

const struct tvmq_node_kind tvmq_node_slice = {.op_def = &tvmq_operator_copy, .n_in = 1, .min_inputs = 3, .max_inputs = 3, .describe = describe_slice};
