// Runs a depthwise convolution.
#include "cpu/ops/depthwise/depthwise.h"
#include "cpu/ops/depthwise/depthwise_rows.h"
#include "cpu/ops/pixels.h"

size_t tvmq_depthwise_n_tasks(const struct tvmq_depthwise *d) {
  return (size_t)d->desc.batch * tvmq_depthwise_phases(d) * d->tasks.m_blocks * d->tasks.n_blocks;
}

void tvmq_depthwise_run_task(const struct tvmq_depthwise *d, const void *in_tensor, void *out_tensor, struct tvmq_task task) {
  const struct tvmq_blocks *tasks = &d->tasks;
  const size_t bytes = d->element_bytes, stored = d->stored_bytes, nr = d->variant->layout.nr;
  const struct tvmq_depthwise_steps in_step = d->in_step, out_step = d->out_step;
  uint8_t *scratch = d->scratch->memory + (size_t)task.thread * d->slice.size;
  const void **table = (const void **)(scratch + d->slice.table);
  size_t image = task.index;
  const size_t group = tvmq_take_digit(&image, tasks->n_blocks), strip = tvmq_take_digit(&image, tasks->m_blocks);
  const size_t phase_w = tvmq_take_digit(&image, d->w.phases), phase_h = tvmq_take_digit(&image, d->h.phases);
  const size_t first_row = strip * tasks->rows, n_rows = tvmq_phase_outputs(&d->h, phase_h), n_cols = tvmq_phase_outputs(&d->w, phase_w);
  if (first_row >= n_rows || n_cols == 0) return;
  const size_t n = tvmq_min(tasks->rows, n_rows - first_row);
  const size_t end_block = group + 1 == tasks->n_blocks ? d->n_blocks : (group + 1) * tasks->panels;
  const uint8_t *in = (const uint8_t *)in_tensor + image * in_step.image;
  uint8_t *out = (uint8_t *)out_tensor + image * out_step.image;
  out += (phase_h + first_row * d->h.phases) * out_step.h + phase_w * out_step.w;

  // A tile that extends past the output reads table rows past the image, which are padding.
  const size_t rows = tvmq_grid_points(&d->h, tvmq_max(n, d->variant->mr)), columns = tvmq_grid_points(&d->w, n_cols);
  const ptrdiff_t y = tvmq_first_input(&d->h, phase_h, first_row), x = tvmq_first_input(&d->w, phase_w, 0);
  const struct tvmq_pixel_grid grid = {.h = &d->h, .w = &d->w, .y = y, .x = x, .rows = rows, .columns = columns};
  const struct tvmq_pixels in_place = {
      .origin = in + y * (ptrdiff_t)in_step.h + x * (ptrdiff_t)in_step.w, .row_step = d->h.dilation * in_step.h, .column_step = d->w.dilation * in_step.w};
  const struct tvmq_pixels gathered = {.origin = scratch + d->slice.expanded, .row_step = columns * nr * bytes, .column_step = nr * bytes};
  size_t whole = n_cols;
  const size_t pixels = d->side_by_side, rest = tvmq_take_digit(&whole, pixels);
  if (!tvmq_has_rows(tasks, &task)) {
    if (pixels > 1)
      tvmq_copy_lines(&grid, &in_place, d->padding, d->channels * bytes, d->reach, scratch + d->slice.expanded, table);
    else
      tvmq_fill_pixels(&grid, d->gathers ? &gathered : &in_place, d->padding, table);
    if (pixels == 1 && !d->gathers && d->reach > 1) tvmq_copy_last_pixels(&grid, &in_place, d->channels * bytes, d->reach, scratch + d->slice.expanded, table);
  }

  struct tvmq_depthwise_args args = {
      .pixels_stride = columns,
      .n_cols = whole,
      .filter_h = d->h.filter,
      .filter_w = d->w.filter,
      .stride_h = d->h.stride,
      .stride_w = d->w.stride * pixels,
      .panel_bytes = d->panel_bytes,
      .out_col_stride = d->w.phases * out_step.w * pixels,
      .out_row_stride = d->h.phases * out_step.h,
      .in_flip = tvmq_operand_flip(&d->quant, &d->variant->layout),
      .stage = &d->stage,
  };
  for (size_t b = group * tasks->panels; b < end_block; b += args.n_blocks) {
    const struct tvmq_depthwise_block *block = &d->blocks[b];
    if (d->gathers) {
      const struct tvmq_channels channels = {block->first, tvmq_min(nr, d->channels), (size_t)d->desc.depth_multiplier, bytes};
      tvmq_gather_pixels(&grid, &channels, &in_place, scratch + d->slice.expanded, nr * bytes);
    }
    args.n_blocks = d->gathers ? 1 : tvmq_min(block->n_alike, end_block - b);
    args.channel_offset = d->gathers ? 0 : block->first * bytes;
    args.filter_zero_point = block->planes == 0 ? d->quant.filter_zero_point : 0;
    args.n_planes = block->planes;
    args.panel = d->packed + b * d->panel_bytes;
    args.pixels = table;
    args.out = out + block->first * stored;
    tvmq_depthwise_rows(d->variant, &args, n, tvmq_depthwise_block_channels(d), stored, scratch + d->slice.tile);
  }
  if (rest > 0) {  // the last group of adjacent pixels; some pixels are computed again
    args.pixels = table + (n_cols - pixels);
    args.out = out + (n_cols - pixels) * out_step.w;
    args.n_cols = 1;
    tvmq_depthwise_rows(d->variant, &args, n, tvmq_depthwise_block_channels(d), stored, scratch + d->slice.tile);
  }
}
