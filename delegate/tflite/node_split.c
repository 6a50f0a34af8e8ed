// Operators that cut a tensor along an axis: SPLIT into pieces of equal size, SPLIT_V of given sizes, UNPACK of one
// element without the axis.
#include "tflite/node_kind.h"

enum { SPLIT_AXIS, SPLIT_IN };             // inputs of SPLIT
enum { SPLIT_V_IN, SIZES, SPLIT_V_AXIS };  // of SPLIT_V

static struct tvmq_shape without_axis(const struct tvmq_shape *shape, int axis) {
  struct tvmq_shape rest = *shape;
  rest.rank--;
  for (int d = axis; d < rest.rank; d++) rest.dims[d] = rest.dims[d + 1];
  return rest;
}

// Cuts the input into pieces of these sizes, which are not negative.
static const char *cut(struct tvmq_shapes *shapes, int axis, const int64_t *sizes, struct tvmq_copy_desc *copy) {
  int64_t left = shapes->in[0].dims[axis];
  copy->piece_axis = axis;
  for (int k = 0; k < copy->n_out; k++) {
    if (sizes[k] > left) return "size_splits exceed the input along axis";
    left -= sizes[k];
    copy->pieces[k] = (size_t)sizes[k];
    shapes->outs[k] = shapes->in[0];
    shapes->outs[k].dims[axis] = (int)sizes[k];
  }
  return left == 0 ? NULL : "size_splits do not cover the input along axis";
}

static const char *begin(const struct tvmq_node_view *view, int axis_input, struct tvmq_shapes *shapes, union tvmq_desc *desc, int *axis) {
  const char *reason = tvmq_begin_copy(view, shapes, desc);
  return reason != NULL ? reason : tvmq_read_one_axis(view, axis_input, desc->copy.rank, axis);
}

static const char *describe_split(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  int axis;
  const char *reason = begin(view, SPLIT_AXIS, shapes, desc, &axis);
  if (reason != NULL) return reason;
  const int n = desc->copy.n_out, size = shapes->in[0].dims[axis];
  if (size % n != 0) return "the dimension along axis is not a multiple of num_splits";
  int64_t sizes[TVMQ_MAX_OUT];
  for (int k = 0; k < n; k++) sizes[k] = size / n;
  return cut(shapes, axis, sizes, &desc->copy);
}

// Describes a SPLIT_V. One size may be -1, which means the remainder.
static const char *describe_split_v(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  int axis, open = -1;
  const char *reason = begin(view, SPLIT_V_AXIS, shapes, desc, &axis);
  int64_t sizes[TVMQ_MAX_OUT];
  if (reason == NULL) reason = tvmq_read_n_integers(view, SIZES, TVMQ_INTEGERS("size_splits are"), desc->copy.n_out, sizes);
  if (reason != NULL) return reason;
  int64_t left = shapes->in[0].dims[axis];
  for (int k = 0; k < desc->copy.n_out; k++) {
    if (sizes[k] < -1 || sizes[k] > INT32_MAX || (sizes[k] == -1 && open >= 0))
      return "size_splits have a value below -1 or above 2^31 - 1, or more than one -1";
    if (sizes[k] == -1)
      open = k;
    else
      left -= sizes[k];
  }
  if (open >= 0 && left < 0) return "size_splits exceed the input along axis";
  if (open >= 0) sizes[open] = left;
  return cut(shapes, axis, sizes, &desc->copy);
}

static const char *read_unpack(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  options->copy_options.axis = ((const TfLiteUnpackParams *)builtin_data)->axis;
  return NULL;
}

static const char *describe_unpack(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  int axis;
  const char *reason = tvmq_begin_copy(view, shapes, desc);
  if (reason == NULL) reason = tvmq_read_axis(view->node->options.copy_options.axis, desc->copy.rank, &axis);
  if (reason != NULL) return reason;
  if (shapes->in[0].dims[axis] != desc->copy.n_out) return "the dimension along axis is not the number of outputs";
  desc->copy.wants_same_quant = true;
  int64_t sizes[TVMQ_MAX_OUT] = {0};
  for (int k = 0; k < desc->copy.n_out; k++) sizes[k] = 1;
  reason = cut(shapes, axis, sizes, &desc->copy);
  for (int k = 0; k < desc->copy.n_out; k++) shapes->outs[k] = without_axis(&shapes->outs[k], axis);
  return reason;
}

const struct tvmq_node_kind tvmq_node_split = {
    .op_def = &tvmq_operator_copy, .n_in = 1, .first_in = SPLIT_IN, .min_inputs = 2, .max_inputs = 2, .max_outputs = TVMQ_MAX_OUT, .describe = describe_split};
const struct tvmq_node_kind tvmq_node_split_v = {
    .op_def = &tvmq_operator_copy, .n_in = 1, .min_inputs = 3, .max_inputs = 3, .max_outputs = TVMQ_MAX_OUT, .describe = describe_split_v};
const struct tvmq_node_kind tvmq_node_unpack = {
    .op_def = &tvmq_operator_copy, .n_in = 1, .min_inputs = 1, .max_inputs = 1, .max_outputs = TVMQ_MAX_OUT, .read = read_unpack, .describe = describe_unpack};
