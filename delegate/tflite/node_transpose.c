// TRANSPOSE.
#include <string.h>

#include "tflite/node_kind.h"

enum { IN, PERMUTATION };  // inputs

static const char *describe_transpose(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_copy_desc *copy = &desc->copy;
  struct tvmq_copy_axis whole[TVMQ_COPY_AXES];
  int64_t permutation[TVMQ_MAX_RANK];
  const char *reason = tvmq_begin_copy(view, shapes, desc);
  if (reason == NULL) reason = tvmq_read_n_integers(view, PERMUTATION, TVMQ_INTEGERS("perm is"), copy->rank, permutation);
  memcpy(whole, copy->axes, sizeof whole);
  bool taken[TVMQ_MAX_RANK] = {false};
  for (int d = 0; reason == NULL && d < copy->rank; d++) {
    int axis = 0;
    reason = tvmq_read_axis(permutation[d], copy->rank, &axis);
    if (reason == NULL && taken[axis]) reason = "perm has a dimension twice";
    taken[axis] = true;
    copy->axes[d] = whole[axis];
  }
  return reason != NULL ? reason : tvmq_copy_shape(copy, &shapes->out);
}

const struct tvmq_node_kind tvmq_node_transpose = {.op_def = &tvmq_operator_copy, .n_in = 1, .min_inputs = 2, .max_inputs = 2, .describe = describe_transpose};
