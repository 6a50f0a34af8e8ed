// TILE.
#include "tflite/node_kind.h"

enum { IN, MULTIPLES };  // inputs

static const char *describe_tile(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  struct tvmq_copy_desc *copy = &desc->copy;
  int64_t multiples[TVMQ_MAX_RANK];
  const char *reason = tvmq_begin_copy(view, shapes, desc);
  if (reason == NULL) reason = tvmq_read_n_integers(view, MULTIPLES, TVMQ_INTEGERS("multiples are"), copy->rank, multiples);
  for (int d = 0; reason == NULL && d < copy->rank; d++) {
    struct tvmq_copy_axis *axis = &copy->axes[d];
    if (multiples[d] < 0 || multiples[d] > INT32_MAX) return "a multiple is negative or exceeds 2^31 - 1";
    if (multiples[d] == 1) continue;
    axis->kind = TVMQ_COPY_WRAPPED;
    axis->n *= (size_t)multiples[d];
  }
  return reason != NULL ? reason : tvmq_copy_shape(copy, &shapes->out);
}

const struct tvmq_node_kind tvmq_node_tile = {.op_def = &tvmq_operator_copy, .n_in = 1, .min_inputs = 2, .max_inputs = 2, .describe = describe_tile};
