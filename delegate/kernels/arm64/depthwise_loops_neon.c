// Depthwise convolution without dot products for the usual filters and output stages: chooses a loop in assembly.
// depthwise_neon.c and depthwise_pairs_neon.c compute other cases.
//
// Tile: one output row of 16 channels; for filters of one column, four.
#include "kernels/arm64/depthwise_loops_neon.h"

#include "kernels/arm64/depthwise_neon.h"
#include "kernels/arm64/stage_neon.h"

#define SYMMETRIC_PROTOTYPES(name, ...)                                                                                              \
  tvmq_depthwise_loop_fn tvmq_depthwise_3x3s1_##name##_neon, tvmq_depthwise_3x3s2_##name##_neon, tvmq_depthwise_5x5s1_##name##_neon, \
      tvmq_depthwise_5x5s2_##name##_neon, tvmq_depthwise_column_##name##_neon;
#define ASYMMETRIC_PROTOTYPES(name, ...) tvmq_depthwise_loop_fn tvmq_depthwise_3x3s1_##name##_neon, tvmq_depthwise_3x3s2_##name##_neon;
TVMQ_EACH_SYMMETRIC_LOOP(SYMMETRIC_PROTOTYPES)
TVMQ_EACH_ASYMMETRIC_LOOP(ASYMMETRIC_PROTOTYPES)

// The loops of a filter by is_unsigned, clamped, asymmetric and ties_up; NULL: none.
typedef tvmq_depthwise_loop_fn *const loop_table[2][2][2][2];
#define ENTRY(filter, name, is_unsigned, clamped, asymmetric, ties_up) [is_unsigned][clamped][asymmetric][ties_up] = tvmq_depthwise_##filter##_##name##_neon,
#define ENTRY_3X3S1(...) ENTRY(3x3s1, __VA_ARGS__)
#define ENTRY_3X3S2(...) ENTRY(3x3s2, __VA_ARGS__)
#define ENTRY_5X5S1(...) ENTRY(5x5s1, __VA_ARGS__)
#define ENTRY_5X5S2(...) ENTRY(5x5s2, __VA_ARGS__)
#define ENTRY_COLUMN(...) ENTRY(column, __VA_ARGS__)
static loop_table loops_3x3s1 = {TVMQ_EACH_SYMMETRIC_LOOP(ENTRY_3X3S1) TVMQ_EACH_ASYMMETRIC_LOOP(ENTRY_3X3S1)};
static loop_table loops_3x3s2 = {TVMQ_EACH_SYMMETRIC_LOOP(ENTRY_3X3S2) TVMQ_EACH_ASYMMETRIC_LOOP(ENTRY_3X3S2)};
static loop_table loops_5x5s1 = {TVMQ_EACH_SYMMETRIC_LOOP(ENTRY_5X5S1)};
static loop_table loops_5x5s2 = {TVMQ_EACH_SYMMETRIC_LOOP(ENTRY_5X5S2)};
static loop_table loops_column = {TVMQ_EACH_SYMMETRIC_LOOP(ENTRY_COLUMN)};

// Returns false, without computing anything, if the output stage is not supported.
static bool run_loops(const struct tvmq_depthwise_args *args, loop_table *loops) {
  const struct tvmq_stage *stage = args->stage;
  if (args->in_flip != stage->flip || stage->rounding == TVMQ_ROUNDING_SINGLE || !stage->right_shifts || (!stage->flip && !stage->fits_int16)) return false;
  tvmq_depthwise_loop_fn *const run = (*loops)[stage->flip != 0][tvmq_stage_clamps(stage)][args->filter_zero_point != 0][tvmq_stage_ties_up(stage)];
  if (!run) return false;

  const struct tvmq_neon_output output = tvmq_neon_output(stage);
  struct tvmq_depthwise_loop loop;
  vst1q_s32(loop.zero_point_s32, vdupq_n_s32((stage->zero_point + stage->flip) * (1 << 16)));
  memcpy(loop.zero_point_s16, output.zero_point, sizeof loop.zero_point_s16);
  memcpy(loop.min, output.min, sizeof loop.min);
  memcpy(loop.max, output.max, sizeof loop.max);
  loop.pixels = args->pixels;
  loop.n_rows = args->n_rows;
  loop.panel = args->panel;
  loop.channel = args->channel_offset;
  loop.panel_bytes = args->panel_bytes;
  loop.panels_end = loop.panel + args->n_blocks * args->panel_bytes;
  loop.out = args->out;
  loop.pitch = args->pixels_stride * sizeof(void *);
  loop.row_step = args->stride_h * loop.pitch;
  loop.n_cols = args->n_cols;
  loop.out_column = args->out_col_stride;
  loop.out_row = args->out_row_stride;
  loop.taps = args->filter_h * args->filter_w;
  loop.column_step = args->stride_w * sizeof(void *);
  loop.filter_zero_point = args->filter_zero_point;
  run(&loop);
  return true;
}

bool tvmq_depthwise_3x3_neon(const struct tvmq_depthwise_args *args) { return run_loops(args, args->stride_w == 1 ? &loops_3x3s1 : &loops_3x3s2); }

bool tvmq_depthwise_5x5_neon(const struct tvmq_depthwise_args *args) {
  return args->n_cols >= 2 && run_loops(args, args->stride_w == 1 ? &loops_5x5s1 : &loops_5x5s2);
}

bool tvmq_depthwise_column_neon(const struct tvmq_depthwise_args *args) { return run_loops(args, &loops_column); }
