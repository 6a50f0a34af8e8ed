// MEAN, SUM, REDUCE_MAX and REDUCE_MIN.
#include "base/integers.h"
#include "operators/reduction.h"
#include "tflite/node_kind.h"

enum { IN, AXES };  // inputs

static void read_reduce(const void *builtin_data, enum tvmq_reduction reduction, union tvmq_desc *options) {
  const TfLiteReducerParams *params = builtin_data;
  options->reduce.reduction = reduction;
  options->reduce.keep_dims = params->keep_dims;
}

#define READ(NAME, REDUCTION)                                                                \
  static const char *NAME(const void *builtin_data, int version, union tvmq_desc *options) { \
    (void)version;                                                                           \
    read_reduce(builtin_data, REDUCTION, options);                                           \
    return NULL;                                                                             \
  }
READ(read_mean, TVMQ_REDUCTION_MEAN)
READ(read_sum, TVMQ_REDUCTION_SUM)
READ(read_max, TVMQ_REDUCTION_MAX)
READ(read_min, TVMQ_REDUCTION_MIN)

// Reads the axes, which may contain duplicates.
static const char *read_axes(const struct tvmq_node_view *view, int rank, bool *reduced) {
  struct tvmq_integer_constant axes;
  const char *reason = tvmq_find_integers(view, AXES, TVMQ_INT32S("axes are"), &axes);
  for (size_t i = 0; reason == NULL && i < axes.n; i++) {
    int axis;
    reason = tvmq_read_axis(tvmq_load_integer(axes.data, axes.type, i), rank, &axis);
    if (reason == NULL) reduced[axis] = true;
  }
  return reason;
}

static const char *describe_reduce(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  const struct tvmq_shape *in = &shapes->in[IN];
  bool reduced[TVMQ_MAX_RANK] = {false};
  const char *reason = read_axes(view, in->rank, reduced);
  if (reason != NULL) return reason;
  struct tvmq_reduce_desc *reduce = &desc->reduce;
  reduce->in_type = tvmq_tensor_type(view->in[IN]);
  reduce->out_type = tvmq_tensor_type(view->out);
  reduce->in = tvmq_tensor_quant(view->in[IN]);
  reduce->out = tvmq_tensor_quant(view->out);
  for (int i = 0; i < in->rank; i++) {
    if (!reduced[i] || reduce->keep_dims) shapes->out.dims[shapes->out.rank++] = reduced[i] ? 1 : in->dims[i];
  }
  return tvmq_reduction_merge(in, reduced, reduce);
}

#define KIND(NAME, READER)             \
  const struct tvmq_node_kind NAME = { \
      .op_def = &tvmq_operator_reduce, .n_in = 1, .min_inputs = 2, .max_inputs = 2, .read = READER, .describe = describe_reduce};
KIND(tvmq_node_mean, read_mean)
KIND(tvmq_node_sum, read_sum)
KIND(tvmq_node_reduce_max, read_max)
KIND(tvmq_node_reduce_min, read_min)
