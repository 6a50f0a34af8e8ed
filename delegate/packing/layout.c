#include "packing/layout.h"

#include <stdio.h>

#include "base/arith.h"
#include "base/memory.h"

size_t tvmq_layout_name(const struct tvmq_layout *layout, char *name, size_t size) {
  const char *acc = layout->acc_bytes == 8 ? "a64" : "";
  int length = snprintf(name, size, "s%dn%dk%du%d%s", layout->weight_bytes * 8, layout->nr, layout->kr, layout->ku, acc);
  if (layout->out_rows != 0 && (size_t)length < size)
    length += snprintf(name + length, size - (size_t)length, "v%ds%dl%d", layout->out_rows, layout->row_step, layout->lanes);
  if (layout->a_offset != 0 && (size_t)length < size) length += snprintf(name + length, size - (size_t)length, "+%d", layout->a_offset);
  if (layout->rotation != 0 && (size_t)length < size) length += snprintf(name + length, size - (size_t)length, "r%d", layout->rotation);
  return (size_t)length;
}

bool tvmq_panel_layout(const struct tvmq_layout *layout, size_t depth, struct tvmq_panel *panel) {
  const size_t weights = (size_t)layout->nr * layout->acc_bytes;
  const size_t params = (size_t)layout->nr * sizeof(int32_t);
  size_t size;
  if (!tvmq_mul_size(depth, (size_t)layout->nr * layout->weight_bytes, &size)) return false;
  if (!tvmq_add_size(size, weights + 2 * params, &size) || !tvmq_round_up_size(size, TVMQ_ALIGNMENT, &size)) return false;
  panel->weights = weights;
  panel->multiplier = weights + depth * layout->nr * layout->weight_bytes;
  panel->shift = panel->multiplier + params;
  panel->size = size;
  return true;
}

size_t tvmq_row_groups(const struct tvmq_layout *layout, size_t filter_h) {
  const size_t rows = (size_t)(layout->out_rows - 1) * layout->row_step + filter_h;
  return tvmq_ceil_div(rows, layout->kr);
}

size_t tvmq_depthwise_depth(const struct tvmq_layout *layout, size_t filter_h, size_t filter_w, size_t n_planes) {
  if (layout->out_rows == 0) return filter_h * filter_w;
  return n_planes * filter_w * tvmq_row_groups(layout, filter_h) * layout->out_rows * layout->kr;
}
