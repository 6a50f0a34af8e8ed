// MIRROR_PAD pads with the input mirrored at its ends.
#include "tflite/node_kind.h"

enum { IN, PADDINGS };  // inputs

static const char *read_mirror_pad(const void *builtin_data, int version, union tvmq_desc *options) {
  (void)version;
  const int mode = ((const TfLiteMirrorPaddingParams *)builtin_data)->mode;
  options->copy_options.symmetric = mode == kTfLiteMirrorPaddingSymmetric;
  return mode == kTfLiteMirrorPaddingSymmetric || mode == kTfLiteMirrorPaddingReflect ? NULL : "mode is neither REFLECT nor SYMMETRIC";
}

static const char *describe_mirror_pad(const struct tvmq_node_view *view, struct tvmq_shapes *shapes, union tvmq_desc *desc) {
  const int64_t symmetric = view->node->options.copy_options.symmetric;
  struct tvmq_copy_desc *copy = &desc->copy;
  int64_t paddings[TVMQ_MAX_RANK][2];
  const char *reason = tvmq_begin_copy(view, shapes, desc);
  if (reason == NULL) reason = tvmq_read_paddings(view, PADDINGS, copy->rank, paddings);
  for (int d = 0; reason == NULL && d < copy->rank; d++) {
    struct tvmq_copy_axis *axis = &copy->axes[d];
    const int64_t before = paddings[d][0], after = paddings[d][1], most = (int64_t)axis->size - (symmetric ? 0 : 1);
    if (before == 0 && after == 0) continue;  // of an empty dimension too, which has no inner elements
    if (before > most || after > most) return "a padding exceeds the input dimension (REFLECT: minus 1)";
    axis->kind = TVMQ_COPY_MIRRORED;
    axis->first = before;
    axis->step = symmetric;
    axis->n += (size_t)(before + after);
  }
  copy->wants_same_quant = true;
  return reason != NULL ? reason : tvmq_copy_shape(copy, &shapes->out);
}

const struct tvmq_node_kind tvmq_node_mirror_pad = {
    .op_def = &tvmq_operator_copy, .n_in = 1, .min_inputs = 2, .max_inputs = 2, .read = read_mirror_pad, .describe = describe_mirror_pad};
