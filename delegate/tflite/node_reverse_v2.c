// REVERSE_V2 along one axis, or along several that are neighbours.
#include "tflite/node_kind.h"

enum { IN, AXES };  // inputs

static const char *describe_reverse_v2(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_copy_desc *copy = &desc->copy;
  int64_t axes[TVMQ_MAX_RANK];
  int n = 0;
  uint32_t reversed = 0;
  const char *reason = tvmq_begin_copy(view, shapes, desc);
  if (reason == NULL) reason = tvmq_read_integers(view, AXES, TVMQ_INT32S("axes are"), TVMQ_MAX_RANK, axes, &n);
  for (int i = 0; reason == NULL && i < n; i++) {
    int axis;
    reason = tvmq_read_axis(axes[i], copy->rank, &axis);
    if (reason == NULL) reversed |= 1u << axis;
  }
  if (reason != NULL) return reason;
  if (n == 0) return "there is no axis";
  // Adding the lowest bit to a row of neighbours clears them all.
  if (__builtin_popcount(reversed) != n || (reversed & (reversed + (reversed & -reversed))) != 0) return "axes are not neighbours";
  // The versions that scale FULLY_CONNECTED in float64 know several axes; others reverse the first alone.
  if (n > 1 && view->node->reference.scaling != TVMQ_SCALING_FLOAT64)
    return "some of the runtimes reverse the first axis alone: see the option fully_connected";
  for (int d = 0; d < copy->rank; d++) {
    struct tvmq_copy_axis *axis = &copy->axes[d];
    if ((reversed >> d & 1) == 0 || axis->n == 0) continue;
    axis->first = (int64_t)axis->n - 1;
    axis->step = -1;
  }
  shapes->out = shapes->in[IN];
  return NULL;
}

const struct tvmq_node_kind tvmq_node_reverse_v2 = {
    .op_def = &tvmq_operator_copy, .n_in = 1, .min_inputs = 2, .max_inputs = 2, .describe = describe_reverse_v2};
