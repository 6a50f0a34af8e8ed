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
//   multiply_loaded(acc, x, w)   the same, where w is to be in a register
//   ACCUMULATORS                 sums that find registers beside weights and pixels
//   WORDS                        vectors of int16 that the values of an output row's column fill
//   WINDOW                       whether registers hold a window of 3x3 in float form, and its weights
//   store_bands(stage, words, out_rows, lanes, out, out_row_stride)   one column of the tile, of words[out_rows][WORDS] by tvmq_pack_pair()
//   store_sums(acc, lanes, out, band)   one column of one row of each band, int32; bands are `band` bytes apart
//
// Tile: a band of out_rows output rows, one or several columns at a time. LANES / lanes bands are one below the other
// if a block's channels fill only a part of a vector.
// Reads: all channels of the window's pixels. A group of fewer than GROUP_ROWS rows repeats rows; weights are zero.
//
// The table columns of several output columns are interleaved together, group by group. The groups of each window are
// then contiguous, in the order of the weights, and both loops have enough registers. Table columns that the next
// output columns read, too, are moved to the front. Windows of larger filters are interleaved piece by piece.
//
// Column by column, every weight is read for each column. Columns together read each weight once, into a register; with
// two output rows, half of the channels come first, so that the loop over the window changes only sums. The last
// columns are computed with previous columns, some of which are computed again.
//
// With WINDOW, 3x3 filters in float form load weights and columns once: both stay in registers, and each new column
// shifts the others. With two output rows, half of the channels come first, for several columns.
// ROLLED marks loops that must not be unrolled: small networks spend time on fetching code.
#define ROLLED _Pragma("GCC unroll 1")

enum {
  VECTORS = LANE_CHANNELS / 4,
  MAX_OUT_ROWS = 2,
  KEPT_GROUPS = 32,
  TOGETHER_BYTES = 5 * 1024,  // on the stack: clang needs 7 KiB for the rest of a frame, and the build refuses frames beyond 12 KiB
  TOGETHER_GROUPS = TOGETHER_BYTES / (VECTORS * sizeof(vector)),
  MAX_COLUMNS = 4
};

struct window {
  size_t rows, groups, band_rows;  // per band: rows read, groups of rows, rows to the next band
  size_t width, n_groups;          // columns of the filter, and groups of all columns
  size_t n_planes;
};

// The weights and rescaling parameters of a block's channels.
struct block {
  const char *weights, *multiplier, *shift;
  vector first[VECTORS];
  struct tvmq_short_stage short_stage[VECTORS];
};

// The rows of the table that make a group. A group is `is_few` if it has one or two rows of four; then rows 2 and 3 repeat rows 0 and 1.
struct rows {
  const void *const *row[GROUP_ROWS];
  bool is_few;
};

TVMQ_INLINE struct rows rows_of(const struct tvmq_depthwise_args *args, const struct window *window, const void *const *pixels, size_t g) {
  const size_t first = g * GROUP_ROWS;
  struct rows rows = {.is_few = GROUP_ROWS == 4 && window->rows - first <= 2};
  UNROLL for (size_t r = 0; r < GROUP_ROWS; r++) rows.row[r] = pixels + tvmq_min(first + r, window->rows - 1) * args->pixels_stride;
  return rows;
}

TVMQ_INLINE vector load_row(const struct tvmq_depthwise_args *args, const struct window *window, const void *const *pixel, int lanes) {
  return flip_bytes(load_pixels(pixel, window->band_rows * args->pixels_stride, args->channel_offset, lanes), args->in_flip);
}

// Interleaves the rows of column i. Two calls, so that compilers interleave repeated rows only once.
TVMQ_INLINE void load_group(const struct tvmq_depthwise_args *args, const struct window *window, const struct rows *rows, size_t i, int lanes, vector *out) {
  vector row[GROUP_ROWS];
  UNROLL for (int r = 0; r < 2; r++) row[r] = load_row(args, window, rows->row[r] + i, lanes);
  if (rows->is_few) {
    UNROLL for (int r = 2; r < GROUP_ROWS; r++) row[r] = row[r - 2];
    interleave(row, out);
  } else {
    UNROLL for (int r = 2; r < GROUP_ROWS; r++) row[r] = load_row(args, window, rows->row[r] + i, lanes);
    interleave(row, out);
  }
}

// Interleaves group g of the column at `pixels`.
TVMQ_INLINE void load_one(const struct tvmq_depthwise_args *args, const struct window *window, const void *const *pixels, size_t g, int lanes, vector *out) {
  const struct rows rows = rows_of(args, window, pixels, g);
  load_group(args, window, &rows, 0, lanes, out);
}

// Interleaves all groups of n table columns at `pixels`; the groups of a column are contiguous in `out`.
TVMQ_INLINE void load_columns(const struct tvmq_depthwise_args *args, const struct window *window, const void *const *pixels, size_t n, int lanes,
                              vector (*out)[VECTORS]) {
  for (size_t g = 0; g < window->groups; g++) {
    const struct rows rows = rows_of(args, window, pixels, g);
    ROLLED for (size_t i = 0; i < n; i++) load_group(args, window, &rows, i, lanes, out[i * window->groups + g]);
  }
}

TVMQ_INLINE void multiply_group(vector acc[MAX_OUT_ROWS][VECTORS], const vector *group, const char *weights, int out_rows, int lanes) {
  const size_t lanes_bytes = 16 * (size_t)lanes;
  UNROLL for (int v = 0; v < VECTORS; v++) {
    UNROLL for (int o = 0; o < out_rows; o++) acc[o][v] =
        multiply_add(acc[o][v], group[v], load_repeated(weights + (size_t)(o * VECTORS + v) * lanes_bytes, lanes));
  }
}

// Multiplies the groups of a window that is too large to keep.
TVMQ_INLINE void multiply_large(const struct tvmq_depthwise_args *args, const struct window *window, const void *const *pixels, const char *weights,
                                int out_rows, int lanes, vector acc[MAX_OUT_ROWS][VECTORS]) {
  const size_t group_bytes = (size_t)(out_rows * VECTORS * lanes) * 16;
  for (size_t kx = 0; kx < window->width; kx++) {
    for (size_t g = 0; g < window->groups; g++, weights += group_bytes) {
      vector group[VECTORS];
      load_one(args, window, pixels + kx, g, lanes, group);
      multiply_group(acc, group, weights, out_rows, lanes);
    }
  }
}

TVMQ_INLINE vector rescale(const struct tvmq_stage *stage, const struct block *block, vector acc, int v, int lanes, enum tvmq_path path) {
  const size_t at = (size_t)(v * lanes) * 16;
  return path != TVMQ_PATH_LONG ? tvmq_short_rescale(&block->short_stage[v], path, acc)
                                : tvmq_long_rescale(stage, acc, load_repeated(block->multiplier + at, lanes), load_repeated(block->shift + at, lanes));
}

// Rescales vectors v and v + 1 of a column, and packs them to int16.
TVMQ_INLINE vector rescale_pair(const struct tvmq_stage *stage, const struct block *block, const vector acc[2], int v, int lanes, enum tvmq_path path) {
  return tvmq_pack_pair(stage, path, rescale(stage, block, acc[0], v, lanes, path), rescale(stage, block, acc[1], v + 1, lanes, path));
}

// `filter`: constant size of a square filter with one plane, or 0: any. Kernels of two output rows have stride 1.
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

TVMQ_INLINE int columns_together(int out_rows) { return out_rows == 2 ? ACCUMULATORS / 4 : ACCUMULATORS / VECTORS; }

// Returns whether to compute columns together: for large windows, and for 3x3 in long bands of two full-vector rows.
TVMQ_INLINE bool is_together(const struct tvmq_depthwise_args *args, int out_rows, int lanes) {
  const struct window window = make_window(args, out_rows, 0);
  const size_t together = (size_t)columns_together(out_rows);
  if (args->n_cols < together || (together - 1) * args->stride_w * window.groups + window.n_groups > TOGETHER_GROUPS) return false;
  if (window.n_groups > 3) return true;
  return out_rows == 2 && lanes == LANES && args->n_cols >= 2 * together;
}

// Computes `columns` output columns; their windows begin at kept[0], kept[step] and so on.
TVMQ_INLINE void compute_columns(const struct tvmq_depthwise_args *args, const struct tvmq_stage *stage, const struct window *window, const struct block *block,
                                 const vector (*kept)[VECTORS], size_t step, uint8_t *out, int out_rows, int columns, int lanes, enum tvmq_path path) {
  const size_t lanes_bytes = 16 * (size_t)lanes, group_bytes = (size_t)(out_rows * VECTORS) * lanes_bytes;
  const int together = out_rows == 2 ? 2 : VECTORS;  // vectors of a column whose sums are made at a time
  vector words[MAX_COLUMNS][MAX_OUT_ROWS][WORDS];
  ROLLED for (int first = 0; first < VECTORS; first += together) {
    vector acc[MAX_COLUMNS][MAX_OUT_ROWS][VECTORS];
    UNROLL for (int c = 0; c < columns; c++) UNROLL for (int o = 0; o < out_rows; o++) UNROLL for (int v = 0; v < together; v++) acc[c][o][v] =
        block->first[first + v];
    const char *weights = block->weights + (size_t)first * lanes_bytes;
    for (size_t plane = 0; plane < window->n_planes; plane++) {
      const vector(*group)[VECTORS] = kept;
      ROLLED for (size_t g = 0; g < window->n_groups; g++, group++, weights += group_bytes) {
        vector w[MAX_OUT_ROWS][VECTORS];
        UNROLL for (int o = 0; o < out_rows; o++) UNROLL for (int v = 0; v < together; v++) w[o][v] =
            load_repeated(weights + (size_t)(o * VECTORS + v) * lanes_bytes, lanes);
        UNROLL for (int c = 0; c < columns; c++) UNROLL for (int v = 0; v < together; v++) {
          const vector x = group[(size_t)c * step][first + v];
          UNROLL for (int o = 0; o < out_rows; o++) acc[c][o][v] = multiply_loaded(acc[c][o][v], x, w[o][v]);
        }
      }
    }
    __asm__("" : : "r"(block) : "memory");  // the constants of the stage stay in memory, or sums would have to
    UNROLL for (int c = 0; c < columns; c++) UNROLL for (int o = 0; o < out_rows; o++) UNROLL for (int v = 0; v < together; v += 2) {
      words[c][o][(first + v) / 2] = rescale_pair(stage, block, &acc[c][o][v], first + v, lanes, path);
    }
  }
  UNROLL for (int c = 0; c < columns; c++) store_bands(stage, words[c], out_rows, lanes, out + (size_t)c * args->out_col_stride, args->out_row_stride);
}

// Computes one tile of one block, column by column.
TVMQ_INLINE void compute_tile(const struct tvmq_depthwise_args *args, const struct tvmq_stage *stage, const struct window *window, const struct block *block,
                              const void *const *pixels, uint8_t *out, int out_rows, int lanes, enum tvmq_path path) {
  const size_t group_bytes = (size_t)(out_rows * VECTORS * lanes) * 16, stride = args->stride_w, n_groups = window->n_groups;
  const bool keeps = n_groups <= KEPT_GROUPS;
  const size_t most = keeps ? (KEPT_GROUPS - n_groups) / (stride * window->groups) + 1 : args->n_cols;
  vector kept[KEPT_GROUPS][VECTORS];
  for (size_t x = 0; x < args->n_cols; x += most) {
    const size_t n = args->n_cols - x < most ? args->n_cols - x : most;
    const void *const *columns = pixels + x * stride;
    if (keeps) load_columns(args, window, columns, (n - 1) * stride + window->width, lanes, kept);
    for (size_t i = 0; i < n; i++, out += args->out_col_stride) {
      vector acc[MAX_OUT_ROWS][VECTORS], words[MAX_OUT_ROWS][WORDS];
      UNROLL for (int o = 0; o < out_rows; o++) UNROLL for (int v = 0; v < VECTORS; v++) acc[o][v] = block->first[v];
      const char *w = block->weights;
      for (size_t plane = 0; plane < window->n_planes; plane++) {
        if (!keeps) multiply_large(args, window, columns + i * stride, w, out_rows, lanes, acc);
        for (size_t g = 0; keeps && g < n_groups; g++) multiply_group(acc, kept[i * stride * window->groups + g], w + g * group_bytes, out_rows, lanes);
        w += n_groups * group_bytes;
      }
      if (path == TVMQ_PATH_SUMS) {
        UNROLL for (int o = 0; o < out_rows; o++) store_sums(acc[o], lanes, out + (size_t)o * args->out_row_stride, (size_t)out_rows * args->out_row_stride);
        continue;
      }
      // With 16 registers, keeps the constants of the stage in memory, so that products need not be there.
      if (LANES == 2) __asm__("" : : "r"(block) : "memory");
      UNROLL for (int o = 0; o < out_rows; o++) UNROLL for (int v = 0; v < VECTORS; v += 2) words[o][v / 2] =
          rescale_pair(stage, block, &acc[o][v], v, lanes, path);
      store_bands(stage, words, out_rows, lanes, out, args->out_row_stride);
    }
  }
}

// Computes one tile of one block; windows fit `kept`, and there are at least columns_together() columns.
TVMQ_INLINE void compute_together(const struct tvmq_depthwise_args *args, const struct tvmq_stage *stage, const struct window *window,
                                  const struct block *block, const void *const *pixels, vector (*kept)[VECTORS], uint8_t *out, int out_rows, int lanes,
                                  enum tvmq_path path) {
  const int columns = columns_together(out_rows);
  const size_t stride = args->stride_w, n_cols = args->n_cols, step = stride * window->groups, together = (size_t)columns;
  const size_t most = (TOGETHER_GROUPS - window->n_groups) / step + 1;
  size_t first = 0, end = 0;  // the columns of the table that are kept
  for (size_t x = 0, n; x < n_cols; x += n) {
    n = tvmq_min(n_cols - x, most - most % together);
    if (n < together) x = n_cols - (n = together);
    const size_t wanted = x * stride, known = end > wanted ? end - wanted : 0, passed = (wanted - first) * window->groups;
    ROLLED for (size_t k = 0; k < known * window->groups; k++) UNROLL for (int v = 0; v < VECTORS; v++) kept[k][v] = kept[passed + k][v];
    first = wanted;
    end = wanted + (n - 1) * stride + window->width;
    load_columns(args, window, pixels + first + known, end - first - known, lanes, kept + known * window->groups);
    for (size_t done = 0; done < n; done += together) {
      const size_t i = tvmq_min(done, n - together);
      compute_columns(args, stage, window, block, kept + i * step, step, out + (x + i) * args->out_col_stride, out_rows, columns, lanes, path);
    }
  }
}

// Output columns whose first half of the channels waits as int16 for the second half.
enum { WAITING = 16 };

// Computes one tile of one block with a 3x3 filter whose columns fit a group.
TVMQ_INLINE void compute_window(const struct tvmq_depthwise_args *args, const struct tvmq_stage *stage, const struct window *window, const struct block *block,
                                const void *const *pixels, uint8_t *out, int out_rows, int stride, int lanes, enum tvmq_path path) {
  enum { WIDTH = 3 };
  const size_t lanes_bytes = 16 * (size_t)lanes, group_bytes = (size_t)(out_rows * VECTORS) * lanes_bytes;
  const int together = out_rows == 2 ? 2 : VECTORS;
  vector waiting[WAITING][MAX_OUT_ROWS];
  for (size_t x = 0, n; x < args->n_cols; x += n, pixels += n * (size_t)stride, out += n * args->out_col_stride) {
    n = tvmq_min(args->n_cols - x, WAITING);
    UNROLL for (int first = 0; first < VECTORS; first += together) {
      const char *const weights = block->weights + (size_t)first * lanes_bytes;
      vector w[WIDTH][MAX_OUT_ROWS][VECTORS], column[WIDTH][VECTORS];
      UNROLL for (int i = 0; i < WIDTH; i++) UNROLL for (int o = 0; o < out_rows; o++) UNROLL for (int v = 0; v < together; v++) w[i][o][v] =
          load_repeated(weights + (size_t)i * group_bytes + (size_t)(o * VECTORS + v) * lanes_bytes, lanes);
      UNROLL for (int i = 0; i < WIDTH - stride; i++) load_one(args, window, pixels + i, 0, lanes, column[i + stride]);
      const void *const *in = pixels;
      uint8_t *to = out;
      ROLLED for (size_t done = 0; done < n; done++, in += stride, to += args->out_col_stride) {
        UNROLL for (int i = 0; i < WIDTH - stride; i++) UNROLL for (int v = 0; v < VECTORS; v++) column[i][v] = column[i + stride][v];
        UNROLL for (int i = WIDTH - stride; i < WIDTH; i++) load_one(args, window, in + i, 0, lanes, column[i]);
        vector acc[MAX_OUT_ROWS][VECTORS], words[MAX_OUT_ROWS][WORDS];
        UNROLL for (int o = 0; o < out_rows; o++) UNROLL for (int v = 0; v < together; v++) acc[o][v] = block->first[first + v];
        UNROLL for (int i = 0; i < WIDTH; i++) UNROLL for (int v = 0; v < together; v++) UNROLL for (int o = 0; o < out_rows; o++) acc[o][v] =
            multiply_loaded(acc[o][v], column[i][first + v], w[i][o][v]);
        UNROLL for (int o = 0; o < out_rows; o++) UNROLL for (int v = 0; v < together; v += 2) words[o][(first + v) / 2] =
            rescale_pair(stage, block, &acc[o][v], first + v, lanes, path);
        UNROLL for (int o = 0; o < out_rows && together < VECTORS; o++) {
          if (first == 0)
            waiting[done][o] = words[o][0];
          else
            words[o][0] = waiting[done][o];
        }
        if (first + together == VECTORS) store_bands(stage, words, out_rows, lanes, to, args->out_row_stride);
      }
    }
  }
}

// Returns the multipliers of a block's panel.
TVMQ_INLINE const char *multipliers(const struct tvmq_depthwise_args *block, const struct window *window, int out_rows, size_t nr) {
  const size_t depth = window->n_planes * window->n_groups * (size_t)out_rows * GROUP_ROWS;
  return (const char *)block->panel + nr * (sizeof(int32_t) + depth * WEIGHT_BYTES);
}

TVMQ_INLINE void compute_block(const struct tvmq_depthwise_args *call, vector (*kept)[VECTORS], int out_rows, int lanes, size_t filter, enum tvmq_path path) {
  const struct tvmq_depthwise_args args = *call;  // copies, which no stored byte can be part of
  const struct tvmq_stage stage = *args.stage;
  const size_t nr = LANE_CHANNELS * (size_t)lanes, lanes_bytes = 16 * (size_t)lanes, mr = (size_t)(out_rows * LANES / lanes);
  const struct window window = make_window(&args, out_rows, filter);
  const char *const bias = args.panel;
  struct block block;  // without an initializer, which would clear all of it
  block.weights = bias + nr * sizeof(int32_t);
  block.multiplier = multipliers(&args, &window, out_rows, nr);
  block.shift = block.multiplier + nr * sizeof(int32_t);
  UNROLL for (int v = 0; v < VECTORS; v++) {
    const size_t at = (size_t)v * lanes_bytes;
    block.first[v] = tvmq_short_bias(path, load_repeated(bias + at, lanes));
    if (path == TVMQ_PATH_LONG || path == TVMQ_PATH_SUMS) continue;
    block.short_stage[v] = tvmq_short_stage_make(&stage, path, load_repeated(block.multiplier + at, lanes), load_repeated(block.shift + at, lanes));
  }
  for (size_t row = 0; row < args.n_rows; row = tvmq_next_tile(row, mr, args.n_rows)) {
    const void *const *pixels = args.pixels + row * args.stride_h * args.pixels_stride;
    uint8_t *const out = (uint8_t *)args.out + row * args.out_row_stride;
    if (WINDOW && filter == 3) {
      if (args.stride_w == 1)
        compute_window(&args, &stage, &window, &block, pixels, out, out_rows, 1, lanes, path);
      else if (out_rows == 1)
        compute_window(&args, &stage, &window, &block, pixels, out, out_rows, 2, lanes, path);
      continue;
    }
    if (kept)
      compute_together(&args, &stage, &window, &block, pixels, kept, out, out_rows, lanes, path);
    else
      compute_tile(&args, &stage, &window, &block, pixels, out, out_rows, lanes, path);
  }
}

TVMQ_INLINE enum tvmq_path block_path(const struct tvmq_depthwise_args *block, int out_rows, int lanes) {
  const struct window window = make_window(block, out_rows, 0);
  return tvmq_panel_path(block->stage, (const int32_t *)multipliers(block, &window, out_rows, LANE_CHANNELS * (size_t)lanes));
}

TVMQ_INLINE void advance(struct tvmq_depthwise_args *block, int lanes, size_t n_blocks, size_t value_bytes) {
  const size_t channels = n_blocks * LANE_CHANNELS * (size_t)lanes;
  block->channel_offset += channels;
  block->panel = (const char *)block->panel + n_blocks * block->panel_bytes;
  block->out = (uint8_t *)block->out + channels * value_bytes;
}

// `kept`: of columns that are computed together, or NULL. `by_window`: whether compute_window() serves all blocks. The usual 3x3 filter in float form has
// bodies of its own. `sums`: whether the stage has them.
TVMQ_INLINE void depthwise(const struct tvmq_depthwise_args *args, vector (*kept)[VECTORS], int out_rows, int lanes, bool by_window, bool sums) {
  const bool is_3x3 = by_window || (!WINDOW && args->filter_h == 3 && args->filter_w == 3 && args->n_planes == 1);
  struct tvmq_depthwise_args block = *args;
  for (size_t b = 0; b < args->n_blocks; b++, advance(&block, lanes, 1, sums ? sizeof(int32_t) : 1)) {
    const enum tvmq_path path = block_path(&block, out_rows, lanes);
    if (sums)
      compute_block(&block, kept, out_rows, lanes, 0, TVMQ_PATH_SUMS);
    else if (is_3x3 && path == TVMQ_PATH_FLOAT)
      compute_block(&block, kept, out_rows, lanes, 3, TVMQ_PATH_FLOAT);
    else if (is_3x3 && path == TVMQ_PATH_FLOAT_ODD)
      compute_block(&block, kept, out_rows, lanes, 3, TVMQ_PATH_FLOAT_ODD);
    else if (!by_window)
      TVMQ_FOR_PATH(path, compute_block, &block, kept, out_rows, lanes, 0);
  }
}

TVMQ_INLINE bool is_float(const struct tvmq_depthwise_args *block, int out_rows, int lanes) {
  const enum tvmq_path path = block_path(block, out_rows, lanes);
  return path == TVMQ_PATH_FLOAT || path == TVMQ_PATH_FLOAT_ODD;
}

// Shortens `run` to its first blocks that all are, or all are not, for compute_window(); returns which.
TVMQ_INLINE bool cut_run(struct tvmq_depthwise_args *run, int out_rows, int lanes) {
  if (!WINDOW || run->filter_h != 3 || run->filter_w != 3 || run->n_planes != 1 || run->stride_w > 2) return false;
  const bool by_window = is_float(run, out_rows, lanes);
  struct tvmq_depthwise_args block = *run;
  size_t n = 0;
  do advance(&block, lanes, 1, 1);
  while (++n < run->n_blocks && is_float(&block, out_rows, lanes) == by_window);
  run->n_blocks = n;
  return by_window;
}

// Functions of their own, because in one compilers find registers for none. The kernel itself has almost no frame, so that frames do not add up on the caller's
// stack. Sums are computed column by column.
#define FUNCTIONS(SYMBOL, OUT_ROWS, LANES_USED)                                                                                                               \
  static __attribute__((noinline)) void SYMBOL##_together(const struct tvmq_depthwise_args *args) {                                                           \
    vector kept[TOGETHER_GROUPS][VECTORS];                                                                                                                    \
    depthwise(args, kept, OUT_ROWS, LANES_USED, false, false);                                                                                                \
  }                                                                                                                                                           \
  static __attribute__((noinline)) void SYMBOL##_apart(const struct tvmq_depthwise_args *args) { depthwise(args, NULL, OUT_ROWS, LANES_USED, false, false); } \
  static __attribute__((noinline)) void SYMBOL##_window(const struct tvmq_depthwise_args *args) { depthwise(args, NULL, OUT_ROWS, LANES_USED, true, false); } \
  static __attribute__((noinline)) void SYMBOL##_sums(const struct tvmq_depthwise_args *args) { depthwise(args, NULL, OUT_ROWS, LANES_USED, false, true); }

// Blocks in float form and other blocks may alternate in any order.
#define DEPTHWISE(SYMBOL, OUT_ROWS, LANES_USED)                                            \
  FUNCTIONS(SYMBOL, OUT_ROWS, LANES_USED)                                                  \
  void SYMBOL(const struct tvmq_depthwise_args *args) {                                    \
    if (args->stage->sums) {                                                               \
      SYMBOL##_sums(args);                                                                 \
      return;                                                                              \
    }                                                                                      \
    struct tvmq_depthwise_args run = *args;                                                \
    for (size_t left = args->n_blocks; left > 0; left -= run.n_blocks) {                   \
      run.n_blocks = left;                                                                 \
      const bool by_window = cut_run(&run, OUT_ROWS, LANES_USED);                          \
      const bool together = !by_window && is_together(&run, OUT_ROWS, LANES_USED);         \
      (by_window ? SYMBOL##_window : together ? SYMBOL##_together : SYMBOL##_apart)(&run); \
      advance(&run, LANES_USED, run.n_blocks, 1);                                          \
    }                                                                                      \
  }
