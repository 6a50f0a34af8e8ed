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
//   store_bands(stage, value, out_rows, lanes, out, out_row_stride)   one column of the tile
//
// Tile: a band of out_rows output rows, one column at a time; LANES / lanes bands, one below the other, where the channels of a block fill a part of a vector.
// Reads: all channels of each pixel of the window. Where a group is not full it reads the band's last row again, against weights of zero.
// Interleaved groups are kept, because the next output columns want them again: a direct-mapped cache, which small filters never miss twice.
enum { VECTORS = LANE_CHANNELS / 4, MAX_OUT_ROWS = 2, CACHED_GROUPS = 32 };

struct window {
  const struct tvmq_depthwise_args *args;
  size_t rows, groups, band_rows;  // of a band: rows read, groups of them, rows to the next band
  size_t tags[CACHED_GROUPS];
  vector cache[CACHED_GROUPS][VECTORS];
};

// Group g of table column `column`, from the cache.
TVMQ_INLINE const vector *cached_group(struct window *window, size_t column, size_t g, bool flips, int lanes) {
  const struct tvmq_depthwise_args *args = window->args;
  const size_t key = column * window->groups + g, at = key % CACHED_GROUPS;
  if (window->tags[at] == key) return window->cache[at];
  window->tags[at] = key;
  vector row[GROUP_ROWS];
  UNROLL for (size_t r = 0; r < GROUP_ROWS; r++) {
    const size_t y = g * GROUP_ROWS + r < window->rows ? g * GROUP_ROWS + r : window->rows - 1;
    const void *const *pixel = args->pixels + y * args->pixels_stride + column;
    row[r] = load_pixels(pixel, window->band_rows * args->pixels_stride, args->channel_offset, lanes);
    if (flips) row[r] = flip_bytes(row[r], args->in_flip);
  }
  interleave(row, window->cache[at]);
  return window->cache[at];
}

// `width` and `groups` are the filter's and the window's if they are constants, or 0.
TVMQ_INLINE void depthwise(const struct tvmq_depthwise_args *args, bool flips, int out_rows, int lanes, size_t width, size_t groups, enum tvmq_path path) {
  const size_t filter_w = width ? width : args->filter_w, planes = width ? 1 : args->n_planes;
  const size_t nr = LANE_CHANNELS * (size_t)lanes, lanes_bytes = 16 * (size_t)lanes;
  struct window window;
  window.args = args;
  window.rows = (size_t)(out_rows - 1) * args->stride_h + args->filter_h;
  window.groups = groups ? groups : (window.rows + GROUP_ROWS - 1) / GROUP_ROWS;
  window.band_rows = (size_t)out_rows * args->stride_h;
  for (size_t i = 0; i < CACHED_GROUPS; i++) window.tags[i] = SIZE_MAX;

  const char *const bias = args->panel, *const weights = bias + nr * sizeof(int32_t);
  const char *const multiplier = weights + planes * filter_w * window.groups * (size_t)out_rows * nr * GROUP_ROWS * WEIGHT_BYTES;
  const char *const shift = multiplier + nr * sizeof(int32_t);
  const struct tvmq_stage stage = *args->stage;
  vector first[VECTORS];
  struct tvmq_short_stage short_stage[VECTORS];
  UNROLL for (int v = 0; v < VECTORS; v++) {
    const size_t at = (size_t)v * lanes_bytes;
    first[v] = load_repeated(bias + at, lanes);
    if (path == TVMQ_PATH_LONG) continue;
    first[v] = tvmq_short_bias(first[v]);
    short_stage[v] = tvmq_short_stage_make(&stage, path, load_repeated(multiplier + at, lanes), load_repeated(shift + at, lanes));
  }

  uint8_t *out = args->out;
  for (size_t x = 0; x < args->n_cols; x++, out += args->out_col_stride) {
    vector acc[MAX_OUT_ROWS][VECTORS];
    UNROLL for (int o = 0; o < out_rows; o++) UNROLL for (int v = 0; v < VECTORS; v++) acc[o][v] = first[v];
    const char *w = weights;
    for (size_t plane = 0; plane < planes; plane++) {
      for (size_t kx = 0; kx < filter_w; kx++) {
        for (size_t g = 0; g < window.groups; g++) {
          const vector *group = cached_group(&window, x * args->stride_w + kx, g, flips, lanes);
          UNROLL for (int o = 0; o < out_rows; o++) {
            UNROLL for (int v = 0; v < VECTORS; v++, w += lanes_bytes) acc[o][v] = multiply_add(acc[o][v], group[v], load_repeated(w, lanes));
          }
        }
      }
    }
    vector value[MAX_OUT_ROWS][VECTORS];
    UNROLL for (int o = 0; o < out_rows; o++) UNROLL for (int v = 0; v < VECTORS; v++) {
      const size_t at = (size_t)v * lanes_bytes;
      value[o][v] = path != TVMQ_PATH_LONG ? tvmq_short_rescale(&short_stage[v], path, acc[o][v])
                                           : tvmq_long_rescale(&stage, acc[o][v], load_repeated(multiplier + at, lanes), load_repeated(shift + at, lanes));
    }
    store_bands(&stage, value, out_rows, lanes, out, args->out_row_stride);
  }
}

// The usual 3x3 filter has bodies of its own, without a flip as well; `groups` is what its window has.
TVMQ_INLINE void depthwise_by_filter(const struct tvmq_depthwise_args *args, int out_rows, int lanes, size_t groups, enum tvmq_path path) {
  if (args->filter_h != 3 || args->filter_w != 3 || args->n_planes != 1)
    depthwise(args, true, out_rows, lanes, 0, 0, path);
  else if (args->in_flip != 0)
    depthwise(args, true, out_rows, lanes, 3, groups, path);
  else
    depthwise(args, false, out_rows, lanes, 3, groups, path);
}

// The tile is a copy, which no stored byte can be part of.
#define DEPTHWISE(SYMBOL, OUT_ROWS, LANES_USED, GROUPS)                                                                         \
  static void SYMBOL##_tile(const struct tvmq_depthwise_args *args) {                                                           \
    const struct tvmq_depthwise_args tile = *args;                                                                              \
    switch (tvmq_stage_path(tile.stage)) {                                                                                      \
      case TVMQ_PATH_LONG:                                                                                                      \
        depthwise(&tile, true, OUT_ROWS, LANES_USED, 0, 0, TVMQ_PATH_LONG);                                                     \
        break;                                                                                                                  \
      case TVMQ_PATH_SHORT:                                                                                                     \
        depthwise_by_filter(&tile, OUT_ROWS, LANES_USED, GROUPS, TVMQ_PATH_SHORT);                                              \
        break;                                                                                                                  \
      case TVMQ_PATH_UPWARD:                                                                                                    \
        depthwise_by_filter(&tile, OUT_ROWS, LANES_USED, GROUPS, TVMQ_PATH_UPWARD);                                             \
        break;                                                                                                                  \
    }                                                                                                                           \
  }                                                                                                                             \
  void SYMBOL(const struct tvmq_depthwise_args *args) {                                                                         \
    tvmq_depthwise_tiles(args, OUT_ROWS * sizeof(vector) / 16 / LANES_USED, (size_t)LANE_CHANNELS * LANES_USED, SYMBOL##_tile); \
  }
