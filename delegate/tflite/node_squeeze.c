// SQUEEZE and EXPAND_DIMS: the same elements with other dimensions.
#include <string.h>

#include "tflite/node_kind.h"

enum { IN, AXIS };  // inputs of EXPAND_DIMS

static const char *read_squeeze(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  const TfLiteSqueezeParams *params = builtin_data;
  if (params->num_squeeze_dims < 0 || params->num_squeeze_dims > TVMQ_MAX_RANK) return "squeeze_dims has more than 8 elements";
  options->copy_options.n_dims = params->num_squeeze_dims;
  memcpy(options->copy_options.dims, params->squeeze_dims, (size_t)params->num_squeeze_dims * sizeof(int32_t));
  return NULL;
}

static const char *describe_squeeze(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  const struct tvmq_copy_options *options = &view->node->options.copy_options;
  const struct tvmq_shape *in = &shapes->in[IN];
  const char *reason = tvmq_begin_copy(view, shapes, desc);
  bool squeezed[TVMQ_MAX_RANK] = {false};
  for (int i = 0; reason == NULL && i < options->n_dims; i++) {
    int axis;
    reason = tvmq_read_axis(options->dims[i], in->rank, &axis);
    if (reason == NULL && in->dims[axis] != 1) reason = "a dimension of squeeze_dims is not 1";
    if (reason == NULL) squeezed[axis] = true;
  }
  for (int d = 0; reason == NULL && d < in->rank; d++) {
    const bool vanishes = options->n_dims > 0 ? squeezed[d] : in->dims[d] == 1;
    if (!vanishes) shapes->out.dims[shapes->out.rank++] = in->dims[d];
  }
  return reason;
}

static const char *describe_expand_dims(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  const struct tvmq_shape *in = &shapes->in[IN];
  int axis;
  const char *reason = tvmq_begin_copy(view, shapes, desc);
  if (reason == NULL) reason = tvmq_read_one_axis(view, AXIS, in->rank + 1, &axis);
  if (reason != NULL) return reason;
  if (in->rank == TVMQ_MAX_RANK) return "a tensor has more than 8 dimensions";
  desc->copy.wants_same_quant = true;
  shapes->out = *in;
  shapes->out.rank++;
  shapes->out.dims[axis] = 1;
  for (int d = axis; d < in->rank; d++) shapes->out.dims[d + 1] = in->dims[d];
  return NULL;
}

const struct tvmq_node_kind tvmq_node_squeeze = {
    .op_def = &tvmq_operator_copy, .n_in = 1, .min_inputs = 1, .max_inputs = 1, .read = read_squeeze, .describe = describe_squeeze};
const struct tvmq_node_kind tvmq_node_expand_dims = {
    .op_def = &tvmq_operator_copy, .n_in = 1, .min_inputs = 2, .max_inputs = 2, .describe = describe_expand_dims};
