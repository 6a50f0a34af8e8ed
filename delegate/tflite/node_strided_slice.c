// STRIDED_SLICE.
#include <string.h>

#include "tflite/node_kind.h"

enum { IN, BEGIN, END, STRIDES };  // inputs
enum { OFFSET_VERSION = 8 };       // of the operator, that came with `offset`

static const char *read(const void *builtin_data, int version, union tvmq_desc *options) {
  const TfLiteStridedSliceParams *params = builtin_data;
  struct tvmq_copy_options *o = &options->copy_options;
  o->begin_mask = params->begin_mask;
  o->end_mask = params->end_mask;
  o->shrink_mask = params->shrink_axis_mask;
  if (version >= OFFSET_VERSION) return "a version of the operator that may count the end from the begin";
  return params->ellipsis_mask == 0 && params->new_axis_mask == 0 ? NULL : "ellipsis or new axes";
}

static int64_t clamp(int64_t value, int64_t low, int64_t high) { return value < low ? low : value > high ? high : value; }

// The range of one dimension, as Python's slices mean it.
static void set_range(struct tvmq_copy_axis *axis, const int64_t *begin, const int64_t *end, int64_t stride) {
  const int64_t size = (int64_t)axis->size, low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
  const int64_t first = begin == NULL ? (stride > 0 ? low : high) : clamp(*begin < 0 ? *begin + size : *begin, low, high);
  const int64_t last = end == NULL ? (stride > 0 ? high : low) : clamp(*end < 0 ? *end + size : *end, low, high);
  const int64_t span = stride > 0 ? last - first : first - last, step = stride > 0 ? stride : -stride;
  axis->first = first;
  axis->step = stride;
  axis->n = span > 0 ? (size_t)((span + step - 1) / step) : 0;
}

// A single index, whose dimension vanishes from the shape.
static const char *set_index(struct tvmq_copy_axis *axis, const int64_t *begin, int64_t stride) {
  const int64_t size = (int64_t)axis->size, index = begin == NULL ? 0 : *begin < 0 ? *begin + size : *begin;
  if (stride != 1) return "the stride of a single index is not 1";
  if (index < 0 || index >= size) return "an index is outside the input";
  axis->first = index;
  axis->n = 1;
  return NULL;
}

static const char *describe(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  const struct tvmq_copy_options *options = &view->node->options.copy_options;
  struct tvmq_copy_desc *copy = &desc->copy;
  int64_t begin[TVMQ_MAX_RANK], end[TVMQ_MAX_RANK], strides[TVMQ_MAX_RANK];
  memset(desc, 0, sizeof *desc);
  const char *reason = tvmq_begin_copy(view, shapes, copy);
  if (reason == NULL) reason = tvmq_read_n_integers(view, BEGIN, TVMQ_INTEGERS("the begin is"), copy->rank, begin);
  if (reason == NULL) reason = tvmq_read_n_integers(view, END, TVMQ_INTEGERS("the end is"), copy->rank, end);
  if (reason == NULL) reason = tvmq_read_n_integers(view, STRIDES, TVMQ_INTEGERS("the strides are"), copy->rank, strides);
  int rank = 0;
  for (int d = 0; reason == NULL && d < copy->rank; d++) {
    const int32_t bit = 1 << d;
    const int64_t *from = (options->begin_mask & bit) != 0 ? NULL : &begin[d], *to = (options->end_mask & bit) != 0 ? NULL : &end[d];
    if (strides[d] == 0 || strides[d] != (int32_t)strides[d]) return "a stride is 0 or exceeds 32 bits";
    if ((options->shrink_mask & bit) != 0) {
      reason = set_index(&copy->axes[d], from, strides[d]);
    } else {
      set_range(&copy->axes[d], from, to, strides[d]);
      shapes->out.dims[rank++] = (int)copy->axes[d].n;
    }
  }
  shapes->out.rank = rank;
  return reason;
}

const struct tvmq_node_kind tvmq_node_strided_slice = {
    .op_class = &tvmq_op_copy, .n_in = 1, .min_inputs = 4, .max_inputs = 4, .read = read, .describe = describe};
