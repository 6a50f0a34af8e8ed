// Body of the depthwise kernels on x86, down the rows: the rows of a column are interleaved in groups of GROUP_ROWS, so that each 32-bit lane holds one
// channel's rows, and one instruction multiplies them with a column of the filter. A file includes this after its vectors:
//   vector, LANES                vector type, and 128-bit lanes of it
//   GROUP_ROWS                   rows of a group
//   LANE_CHANNELS                channels that a lane of pixels holds
//   WEIGHT_BYTES                 of a weight: a lane of weights is 4 channels x GROUP_ROWS
//   load_repeated(p, lanes)      `lanes` lanes at p, repeated to fill a vector
//   load_pixels(pixel, band_step, offset, lanes)   `lanes` lanes at pixel[0] + offset, then at pixel[band_step] + offset and so on
//   flip_bytes(row, flip)        a row of pixels with each byte flipped
//   interleave(row, group)       GROUP_ROWS rows -> VECTORS vectors of 4 channels a lane
//   multiply_add(acc, x, w)      adds the dot products of x and w in each 32-bit lane
//   store_bands(stage, path, value, out_rows, lanes, out, out_row_stride)   one column of the tile
//
// Tile: a band of out_rows output rows, one column at a time; LANES / lanes bands, one below the other, where the channels of a block fill a part of a vector.
// Reads: all channels of each pixel of the window. Where a group is not full it reads the band's last row again, against weights of zero.
//
// The columns of the table that some output columns read are interleaved at once, group behind group: then the window of each is a stretch of groups in the
// order of the weights, and both loops have registers enough. Of a filter too large for that, every window is interleaved piece by piece.
enum { VECTORS = LANE_CHANNELS / 4, MAX_OUT_ROWS = 2, KEPT_GROUPS = 32 };

struct window {
  size_t rows, groups, band_rows;  // of a band: rows read, groups of them, rows to the next band
  size_t width, n_groups;          // columns of the filter, and groups of them all
  size_t n_planes;
};

// The weights and rescaling parameters of a block's channels.
struct block {
  const char *weights, *multiplier, *shift;
  vector first[VECTORS];
  struct tvmq_short_stage short_stage[VECTORS];
};

// Group g of the table column at `pixels`.
TVMQ_INLINE void load_group(const struct tvmq_depthwise_args *args, const struct window *window, const void *const *pixels, size_t g, int lanes, vector *out) {
  vector row[GROUP_ROWS];
  UNROLL for (size_t r = 0; r < GROUP_ROWS; r++) {
    const size_t y = g * GROUP_ROWS + r < window->rows ? g * GROUP_ROWS + r : window->rows - 1;
    row[r] = flip_bytes(load_pixels(pixels + y * args->pixels_stride, window->band_rows * args->pixels_stride, args->channel_offset, lanes), args->in_flip);
  }
  interleave(row, out);
}

TVMQ_INLINE void multiply_group(vector acc[MAX_OUT_ROWS][VECTORS], const vector *group, const char *weights, int out_rows, int lanes) {
  const size_t lanes_bytes = 16 * (size_t)lanes;
  UNROLL for (int v = 0; v < VECTORS; v++) {
    UNROLL for (int o = 0; o < out_rows; o++) acc[o][v] =
        multiply_add(acc[o][v], group[v], load_repeated(weights + (size_t)(o * VECTORS + v) * lanes_bytes, lanes));
  }
}

// The groups of a window that does not fit what is kept.
TVMQ_INLINE void multiply_large(const struct tvmq_depthwise_args *args, const struct window *window, const void *const *pixels, const char *weights,
                                int out_rows, int lanes, vector acc[MAX_OUT_ROWS][VECTORS]) {
  const size_t group_bytes = (size_t)(out_rows * VECTORS * lanes) * 16;
  for (size_t kx = 0; kx < window->width; kx++) {
    for (size_t g = 0; g < window->groups; g++, weights += group_bytes) {
      vector group[VECTORS];
      load_group(args, window, pixels + kx, g, lanes, group);
      multiply_group(acc, group, weights, out_rows, lanes);
    }
  }
}

TVMQ_INLINE void rescale(const struct tvmq_stage *stage, const struct block *block, const vector acc[VECTORS], int lanes, enum tvmq_path path, vector *value) {
  UNROLL for (int v = 0; v < VECTORS; v++) {
    const size_t at = (size_t)(v * lanes) * 16;
    value[v] = path != TVMQ_PATH_LONG ? tvmq_short_rescale(&block->short_stage[v], path, acc[v])
                                      : tvmq_long_rescale(stage, acc[v], load_repeated(block->multiplier + at, lanes), load_repeated(block->shift + at, lanes));
  }
}

// One tile of one block.
TVMQ_INLINE void compute_tile(const struct tvmq_depthwise_args *args, const struct tvmq_stage *stage, const struct window *window, const struct block *block,
                              const void *const *pixels, uint8_t *out, int out_rows, int lanes, enum tvmq_path path) {
  const size_t group_bytes = (size_t)(out_rows * VECTORS * lanes) * 16, stride = args->stride_w, n_groups = window->n_groups;
  const bool keeps = n_groups <= KEPT_GROUPS;
  const size_t most = keeps ? (KEPT_GROUPS - n_groups) / (stride * window->groups) + 1 : args->n_cols;
  vector kept[KEPT_GROUPS][VECTORS];
  for (size_t x = 0; x < args->n_cols; x += most) {
    const size_t n = args->n_cols - x < most ? args->n_cols - x : most;
    const void *const *columns = pixels + x * stride;
    for (size_t i = 0; keeps && i < (n - 1) * stride + window->width; i++) {
      for (size_t g = 0; g < window->groups; g++) load_group(args, window, columns + i, g, lanes, kept[i * window->groups + g]);
    }
    for (size_t i = 0; i < n; i++, out += args->out_col_stride) {
      vector acc[MAX_OUT_ROWS][VECTORS], value[MAX_OUT_ROWS][VECTORS];
      UNROLL for (int o = 0; o < out_rows; o++) UNROLL for (int v = 0; v < VECTORS; v++) acc[o][v] = block->first[v];
      const char *w = block->weights;
      for (size_t plane = 0; plane < window->n_planes; plane++) {
        if (!keeps) multiply_large(args, window, columns + i * stride, w, out_rows, lanes, acc);
        for (size_t g = 0; keeps && g < n_groups; g++) multiply_group(acc, kept[i * stride * window->groups + g], w + g * group_bytes, out_rows, lanes);
        w += n_groups * group_bytes;
      }
      // With 16 registers the constants of the stage stay in memory, or products would have to.
      if (LANES == 2) __asm__("" : : "r"(block) : "memory");
      UNROLL for (int o = 0; o < out_rows; o++) rescale(stage, block, acc[o], lanes, path, value[o]);
      store_bands(stage, path, value, out_rows, lanes, out, args->out_row_stride);
    }
  }
}

// `filter` is a constant where the filter is square, of that size and one plane; 0 for any. Kernels of two output rows have stride 1.
TVMQ_INLINE struct window make_window(const struct tvmq_depthwise_args *args, int out_rows, size_t filter) {
  struct window window = {
      .rows = (size_t)(out_rows - 1) + (filter ? filter : args->filter_h),
      .width = filter ? filter : args->filter_w,
      .band_rows = (size_t)out_rows * args->stride_h,
      .n_planes = filter ? 1 : args->n_planes,
  };
  window.groups = (window.rows + GROUP_ROWS - 1) / GROUP_ROWS;
  window.n_groups = window.groups * window.width;
  return window;
}

// The multipliers of a block's panel.
TVMQ_INLINE const char *multipliers(const struct tvmq_depthwise_args *block, const struct window *window, int out_rows, size_t nr) {
  const size_t depth = window->n_planes * window->n_groups * (size_t)out_rows * GROUP_ROWS;
  return (const char *)block->panel + nr * (sizeof(int32_t) + depth * WEIGHT_BYTES);
}

TVMQ_INLINE void compute_block(const struct tvmq_depthwise_args *call, int out_rows, int lanes, size_t filter, enum tvmq_path path) {
  const struct tvmq_depthwise_args args = *call;  // copies, which no stored byte can be part of
  const struct tvmq_stage stage = *args.stage;
  const size_t nr = LANE_CHANNELS * (size_t)lanes, lanes_bytes = 16 * (size_t)lanes, mr = (size_t)(out_rows * LANES / lanes);
  const struct window window = make_window(&args, out_rows, filter);
  const char *const bias = args.panel;
  struct block block = {.weights = bias + nr * sizeof(int32_t), .multiplier = multipliers(&args, &window, out_rows, nr)};
  block.shift = block.multiplier + nr * sizeof(int32_t);
  UNROLL for (int v = 0; v < VECTORS; v++) {
    const size_t at = (size_t)v * lanes_bytes;
    block.first[v] = tvmq_short_bias(path, load_repeated(bias + at, lanes));
    if (path == TVMQ_PATH_LONG) continue;
    block.short_stage[v] = tvmq_short_stage_make(&stage, path, load_repeated(block.multiplier + at, lanes), load_repeated(block.shift + at, lanes));
  }
  for (size_t row = 0; row < args.n_rows; row = tvmq_next_tile(row, mr, args.n_rows)) {
    compute_tile(&args, &stage, &window, &block, args.pixels + row * args.stride_h * args.pixels_stride, (uint8_t *)args.out + row * args.out_row_stride,
                 out_rows, lanes, path);
  }
}

// The usual 3x3 filter in float form has bodies of its own.
TVMQ_INLINE void depthwise(const struct tvmq_depthwise_args *args, int out_rows, int lanes) {
  const size_t nr = LANE_CHANNELS * (size_t)lanes;
  const struct window window = make_window(args, out_rows, 0);
  const bool is_3x3 = args->filter_h == 3 && args->filter_w == 3 && args->n_planes == 1;
  struct tvmq_depthwise_args block = *args;
  for (size_t b = 0; b < args->n_blocks; b++) {
    const enum tvmq_path path = tvmq_panel_path(args->stage, (const int32_t *)multipliers(&block, &window, out_rows, nr));
    if (is_3x3 && path == TVMQ_PATH_FLOAT)
      compute_block(&block, out_rows, lanes, 3, TVMQ_PATH_FLOAT);
    else if (is_3x3 && path == TVMQ_PATH_FLOAT_ODD)
      compute_block(&block, out_rows, lanes, 3, TVMQ_PATH_FLOAT_ODD);
    else
      TVMQ_FOR_PATH(path, compute_block, &block, out_rows, lanes, 0);
    block.channel_offset += nr;
    block.panel = (const char *)block.panel + args->panel_bytes;
    block.out = (uint8_t *)block.out + nr;
  }
}

#define DEPTHWISE(SYMBOL, OUT_ROWS, LANES_USED) \
  void SYMBOL(const struct tvmq_depthwise_args *args) { depthwise(args, OUT_ROWS, LANES_USED); }
