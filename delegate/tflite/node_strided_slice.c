// STRIDED_SLICE.
#include "tflite/node_kind.h"

enum { IN, BEGIN, END, STRIDES };   // inputs
enum { MOST = 2 * TVMQ_MAX_RANK };  // subscripts, those of new dimensions included

static const char *read_strided_slice(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  const TfLiteStridedSliceParams *params = builtin_data;
  struct tvmq_copy_options *o = &options->copy_options;
  o->begin_mask = params->begin_mask;
  o->end_mask = params->end_mask;
  o->shrink_mask = params->shrink_axis_mask;
  if (params->offset != 0) return "offset is set: end is relative to begin";
  o->ellipsis_mask = params->ellipsis_mask;
  o->new_axis_mask = params->new_axis_mask;
  return NULL;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high) { return value < low ? low : value > high ? high : value; }

// Sets the range of one dimension with the meaning of Python's slices.
static void set_range(struct tvmq_copy_axis *axis, const int64_t *begin, const int64_t *end, int64_t stride) {
  const int64_t size = (int64_t)axis->size, low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
  const int64_t first = begin == NULL ? (stride > 0 ? low : high) : clamp(*begin < 0 ? *begin + size : *begin, low, high);
  const int64_t last = end == NULL ? (stride > 0 ? high : low) : clamp(*end < 0 ? *end + size : *end, low, high);
  const int64_t span = stride > 0 ? last - first : first - last, step = stride > 0 ? stride : -stride;
  axis->first = first;
  axis->step = stride;
  axis->n = span > 0 ? (size_t)((span + step - 1) / step) : 0;
}

// Selects a single index, which removes the dimension from the shape.
static const char *set_index(struct tvmq_copy_axis *axis, const int64_t *begin, int64_t stride) {
  const int64_t size = (int64_t)axis->size, index = begin == NULL ? 0 : *begin < 0 ? *begin + size : *begin;
  if (stride != 1) return "the stride of a dimension of shrink_axis_mask is not 1";
  if (index < 0 || index >= size) return "an index is outside the input";
  axis->first = index;
  axis->n = 1;
  return NULL;
}

// The subscripts of a node in order. A subscript is for a dimension of the input, a new dimension, or an ellipsis.
struct subscripts {
  int n;
  int64_t begin[MOST], end[MOST], strides[MOST];
};

static const char *read_subscripts(const struct tvmq_node_view *view, struct subscripts *s) {
  const char *reason = tvmq_read_integers(view, BEGIN, TVMQ_INTEGERS("begin is"), MOST, s->begin, &s->n);
  if (reason == NULL) reason = tvmq_read_n_integers(view, END, TVMQ_INTEGERS("end is"), s->n, s->end);
  if (reason == NULL) reason = tvmq_read_n_integers(view, STRIDES, TVMQ_INTEGERS("strides are"), s->n, s->strides);
  for (int i = 0; reason == NULL && i < s->n; i++) {
    if (s->strides[i] == 0 || s->strides[i] != (int32_t)s->strides[i]) reason = "a stride is 0 or exceeds 32 bits";
  }
  return reason;
}

static const char *apply(const struct tvmq_copy_options *options, const struct subscripts *s, int i, struct tvmq_copy_axis *axis, struct tvmq_shape *out) {
  const int32_t bit = 1 << i;
  const int64_t *begin = (options->begin_mask & bit) != 0 ? NULL : &s->begin[i], *end = (options->end_mask & bit) != 0 ? NULL : &s->end[i];
  if ((options->shrink_mask & bit) != 0) return set_index(axis, begin, s->strides[i]);
  set_range(axis, begin, end, s->strides[i]);
  out->dims[out->rank++] = (int)axis->n;
  return NULL;
}

static const char *describe_strided_slice(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  const struct tvmq_copy_options *options = &view->node->options.copy_options;
  struct tvmq_copy_desc *copy = &desc->copy;
  struct subscripts s;
  const char *reason = tvmq_begin_copy(view, shapes, desc);
  if (reason == NULL) reason = read_subscripts(view, &s);
  if (reason != NULL) return reason;
  const int32_t all = (1 << s.n) - 1, new_axes = options->new_axis_mask & all, ellipsis = options->ellipsis_mask & all;
  const int n_new = __builtin_popcount((uint32_t)(new_axes & ~ellipsis)), n_open = copy->rank - (s.n - n_new - (ellipsis != 0));
  if ((ellipsis & (ellipsis - 1)) != 0) return "ellipsis_mask has more than one bit";
  if (((options->new_axis_mask | options->ellipsis_mask) & ~all) != 0) return "new_axis_mask or ellipsis_mask has more bits than begin has elements";
  if (((new_axes | ellipsis) & options->shrink_mask) != 0) return "shrink_axis_mask overlaps new_axis_mask or ellipsis_mask";
  if (n_open < 0 || copy->rank + n_new > TVMQ_MAX_RANK) return "begin has more elements than the input has dimensions";
  int d = 0;
  for (int i = 0; reason == NULL && i < s.n; i++) {
    const int32_t bit = 1 << i;
    if ((ellipsis & bit) != 0) {
      for (int k = 0; k < n_open; k++) shapes->out.dims[shapes->out.rank++] = (int)copy->axes[d++].n;
    } else if ((new_axes & bit) != 0) {
      shapes->out.dims[shapes->out.rank++] = 1;
    } else {
      reason = apply(options, &s, i, &copy->axes[d++], &shapes->out);
    }
  }
  for (; d < copy->rank; d++) shapes->out.dims[shapes->out.rank++] = (int)copy->axes[d].n;
  return reason;
}

const struct tvmq_node_kind tvmq_node_strided_slice = {
    .op_def = &tvmq_operator_copy, .n_in = 1, .min_inputs = 4, .max_inputs = 4, .read = read_strided_slice, .describe = describe_strided_slice};
