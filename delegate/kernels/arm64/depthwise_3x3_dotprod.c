// 3x3 depthwise convolution by dot products down the rows, for the usual output stages: chooses a loop in assembly and
// calls it. depthwise_dotprod.c computes other cases.
//
// Tile: two output rows of 8 channels; an odd last row is computed alone.
#include "kernels/arm64/depthwise_3x3_dotprod.h"

#include "kernels/arm64/depthwise_dotprod.h"

enum { NR = 8, BIAS_BYTES = NR * sizeof(int32_t) };
enum tile { S1, S1_ROW, S2, S2_ROW, TILES };

#define PROTOTYPES(name, ...)                                                                                                          \
  tvmq_3x3_fn tvmq_depthwise_3x3s1_##name##_dotprod, tvmq_depthwise_3x3s1_row_##name##_dotprod, tvmq_depthwise_3x3s2_##name##_dotprod, \
      tvmq_depthwise_3x3s2_row_##name##_dotprod;
TVMQ_EACH_3X3_LOOP(PROTOTYPES)

// The loops by is_unsigned, clamped, saturating, fused, planes - 1 and tile; NULL: none.
#define ENTRIES(name, is_unsigned, clamped, saturating, fused, planes) \
  [is_unsigned][clamped][saturating][fused][planes - 1] = {            \
      [S1] = tvmq_depthwise_3x3s1_##name##_dotprod,                    \
      [S1_ROW] = tvmq_depthwise_3x3s1_row_##name##_dotprod,            \
      [S2] = tvmq_depthwise_3x3s2_##name##_dotprod,                    \
      [S2_ROW] = tvmq_depthwise_3x3s2_row_##name##_dotprod,            \
  },
static tvmq_3x3_fn *const loops[2][2][2][2][2][TILES] = {TVMQ_EACH_3X3_LOOP(ENTRIES)};

// Returns the loops of a panel, one for each tile, or NULL.
static tvmq_3x3_fn *const *find_loops(const struct tvmq_depthwise_args *args, bool fused) {
  const struct tvmq_stage *stage = args->stage;
  const bool is_unsigned = stage->flip != 0, clamped = tvmq_stage_clamps(stage);
  if (args->n_planes > 2 || (!is_unsigned && !stage->fits_int16)) return NULL;
  const bool saturating = !fused && is_unsigned && (clamped || args->n_planes == 2 || !stage->fits_int16);
  tvmq_3x3_fn *const *found = loops[is_unsigned][clamped][saturating][fused][args->n_planes - 1];
  return found[0] ? found : NULL;
}

// Returns `n_tiles` tiles from row `y` on, without blocks. Pairs of rows end with the table row `last` of their window, and single rows repeat their third.
static struct tvmq_3x3_tiles tiles_from(const struct tvmq_depthwise_args *args, size_t y, size_t n_tiles, size_t last, size_t out_second) {
  const size_t pitch = args->pixels_stride, stride = args->stride_h;
  const size_t in_loop = stride == 1 ? args->n_cols / 2 * 2 : args->n_cols;
  const void *const *row = args->pixels + y * stride * pitch;
  return (struct tvmq_3x3_tiles){
      .output = tvmq_neon_output(args->stage),
      .row = {row, row + pitch, row + 2 * pitch, row + (last < 3 ? last : 3) * pitch, row + last * pitch},
      .n_tiles = n_tiles,
      .n = stride == 1 ? args->n_cols + 1 : args->n_cols,
      .out_second = out_second,
      .row_step = 2 * stride * pitch * sizeof(void *),
      .out_step = 2 * args->out_row_stride - in_loop * args->out_col_stride,
      .panel_bytes = args->panel_bytes,
      .out_column = args->out_col_stride,
  };
}

// Computes the blocks from `begin` to `end`, whose outputs begin at row `y`.
static void run(tvmq_3x3_fn *loop, struct tvmq_3x3_tiles tiles, const struct tvmq_depthwise_args *args, size_t begin, size_t end, size_t y) {
  tiles.panel = (const char *)args->panel + begin * args->panel_bytes;
  tiles.panels_end = (const char *)args->panel + end * args->panel_bytes;
  tiles.channel = args->channel_offset + begin * NR;
  tiles.out = (char *)args->out + begin * NR + y * args->out_row_stride;
  loop(&tiles);
}

static bool is_fused(const struct tvmq_depthwise_args *args, size_t block) {
  const size_t plane_bytes = (args->stride_h == 1 ? 12 : 6) * 16;
  return *(const int32_t *)((const char *)args->panel + block * args->panel_bytes + BIAS_BYTES + args->n_planes * plane_bytes) < 0;
}

bool tvmq_depthwise_3x3_dotprod(const struct tvmq_depthwise_args *args) {
  const struct tvmq_stage *stage = args->stage;
  if (args->in_flip != stage->flip || stage->rounding != TVMQ_ROUNDING_REFERENCE || !stage->right_shifts) return false;
  const enum tile tile = args->stride_h == 1 ? S1 : S2;
  for (size_t begin = 0, end; begin < args->n_blocks; begin = end) {  // blocks whose panels have the same form
    const bool fused = is_fused(args, begin);
    for (end = begin + 1; end < args->n_blocks && is_fused(args, end) == fused; end++) continue;
    tvmq_3x3_fn *const *found = find_loops(args, fused);
    if (!found) return false;
    run(found[tile], tiles_from(args, 0, args->n_rows / 2, args->stride_h + 2, args->out_row_stride), args, begin, end, 0);
    const size_t odd = args->n_rows - 1;
    if (args->n_rows % 2 != 0) run(found[tile + 1], tiles_from(args, odd, 1, 2, args->out_col_stride), args, begin, end, odd);
  }
  return true;
}
