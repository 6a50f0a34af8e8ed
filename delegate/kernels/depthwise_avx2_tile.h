// Body of the depthwise kernels in 256-bit vectors, down the rows: the rows of a column are interleaved in groups of GROUP_ROWS, so that each 32-bit lane holds
// one channel's rows, and one instruction multiplies them with a column of the filter. A file includes this with the instructions that it has:
//   GROUP_ROWS                   rows of a group
//   LANE_CHANNELS                channels that a 128-bit lane of pixels holds: 4 * VECTORS
//   WEIGHT_BYTES                 of a weight: a vector of weights is 8 channels x GROUP_ROWS
//   multiply_add(acc, x, w)      adds the dot products of x and w in each 32-bit lane
//   load_lanes(pixel, next, flip, lanes)   LANE_CHANNELS * lanes channels of one pixel, or one lane of each of two, flipped
//   interleave(row, group)       GROUP_ROWS rows -> VECTORS vectors of 4 channels a lane
//
// Tile: a band of out_rows output rows, one column at a time; where a vector holds the channels of a block twice, two bands, one below the other.
// Reads: all channels of each pixel of the window. Where a group is not full it reads the band's last row again, against weights of zero.
// Interleaved groups are kept, because the next output columns want them again: a direct-mapped cache, which small filters never miss twice.
#include <immintrin.h>

#include "requant_avx2.h"

enum { VECTORS = LANE_CHANNELS / 4, MAX_OUT_ROWS = 2, VECTOR_BYTES = 32, CACHED_GROUPS = 32 };

// The vector at `p`, or its half, repeated.
TVMQ_INLINE __m256i load_repeated(const void *p, int lanes) { return lanes == 2 ? _mm256_loadu_si256(p) : _mm256_broadcastsi128_si256(_mm_loadu_si128(p)); }

TVMQ_INLINE void store_half(void *out, __m256i bytes, int half) {
  _mm_storeu_si128(out, half ? _mm256_extracti128_si256(bytes, 1) : _mm256_castsi256_si128(bytes));
}

// Rows of one output column; bands of one lane stand one below the other.
TVMQ_INLINE void store(const struct tvmq_depthwise_args *args, const __m256i value[MAX_OUT_ROWS][VECTORS], int out_rows, int lanes, uint8_t *out) {
#if LANE_CHANNELS == 8
  // Two rows fill a vector: each lane has 8 channels of the first row, then of the second.
  const int second = out_rows - 1;
  const __m256i four[] = {value[0][0], value[0][1], value[second][0], value[second][1]};
  const __m256i bytes = _mm256_permute4x64_epi64(tvmq_pack_lanes(args->stage, four), 0xd8);
  (void)lanes;
  store_half(out, bytes, 0);
  if (second) store_half(out + args->out_row_stride, bytes, 1);
#else
  UNROLL for (int o = 0; o < out_rows; o++) {
    const __m256i bytes = tvmq_pack_lanes(args->stage, value[o]);
    uint8_t *row = out + (size_t)o * args->out_row_stride;
    if (lanes == 2) {
      _mm256_storeu_si256((__m256i *)row, bytes);
    } else {
      store_half(row, bytes, 0);
      store_half(row + (size_t)out_rows * args->out_row_stride, bytes, 1);
    }
  }
#endif
}

// Group g of table column `column`, from the cache.
TVMQ_INLINE const __m256i *cached_group(const struct tvmq_depthwise_args *args, size_t column, size_t g, size_t groups, size_t rows, size_t band_rows,
                                        bool flips, int lanes, size_t *tags, __m256i cache[][VECTORS]) {
  const size_t key = column * groups + g, at = key % CACHED_GROUPS;
  if (tags[at] == key) return cache[at];
  tags[at] = key;
  const size_t row_pitch = args->dilation_h * args->pixels_stride;
  __m256i row[GROUP_ROWS];
  UNROLL for (size_t r = 0; r < GROUP_ROWS; r++) {
    const size_t y = g * GROUP_ROWS + r < rows ? g * GROUP_ROWS + r : rows - 1;
    const void *const *pixel = args->pixels + y * row_pitch + column;
    const char *p = (const char *)*pixel + args->channel_offset,
               *next = lanes == 2 ? p : (const char *)pixel[band_rows * args->pixels_stride] + args->channel_offset;
    row[r] = load_lanes(p, next, flips ? args->in_flip : 0, lanes);
  }
  interleave(row, cache[at]);
  return cache[at];
}

TVMQ_INLINE void depthwise(const struct tvmq_depthwise_args *args, bool flips, int out_rows, int lanes, enum tvmq_path path) {
  const size_t nr = LANE_CHANNELS * (size_t)lanes, vector_bytes = 16 * (size_t)lanes;
  const size_t rows = (size_t)(out_rows - 1) * args->stride_h + args->filter_h, groups = (rows + GROUP_ROWS - 1) / GROUP_ROWS;
  const size_t band_rows = (size_t)out_rows * args->stride_h;
  const char *bias = args->panel;
  const char *weights = bias + nr * sizeof(int32_t);
  const size_t group_bytes = (size_t)out_rows * nr * GROUP_ROWS * WEIGHT_BYTES;
  const char *multiplier = weights + args->n_planes * args->filter_w * groups * group_bytes, *shift = multiplier + nr * sizeof(int32_t);
  const struct tvmq_stage stage = *args->stage;

  __m256i first[VECTORS];
  struct tvmq_short_stage short_stage[VECTORS];
  UNROLL for (int v = 0; v < VECTORS; v++) {
    const size_t at = (size_t)v * vector_bytes;
    first[v] = load_repeated(bias + at, lanes);
    if (path == TVMQ_PATH_LONG) continue;
    first[v] = _mm256_xor_si256(first[v], _mm256_set1_epi32(INT32_MIN));
    short_stage[v] = tvmq_short_stage_make(&stage, path, load_repeated(multiplier + at, lanes), load_repeated(shift + at, lanes));
  }

  __m256i cache[CACHED_GROUPS][VECTORS];
  size_t tags[CACHED_GROUPS];
  for (size_t i = 0; i < CACHED_GROUPS; i++) tags[i] = SIZE_MAX;

  uint8_t *out = args->out;
  for (size_t x = 0; x < args->n_cols; x++, out += args->out_col_stride) {
    __m256i acc[MAX_OUT_ROWS][VECTORS];
    UNROLL for (int o = 0; o < out_rows; o++) UNROLL for (int v = 0; v < VECTORS; v++) acc[o][v] = first[v];

    const char *w = weights;
    for (size_t plane = 0; plane < args->n_planes; plane++) {
      for (size_t kx = 0; kx < args->filter_w; kx++) {
        for (size_t g = 0; g < groups; g++) {
          const __m256i *group = cached_group(args, x * args->stride_w + kx * args->dilation_w, g, groups, rows, band_rows, flips, lanes, tags, cache);
          UNROLL for (int o = 0; o < out_rows; o++) {
            UNROLL for (int v = 0; v < VECTORS; v++, w += vector_bytes) acc[o][v] = multiply_add(acc[o][v], group[v], load_repeated(w, lanes));
          }
        }
      }
    }

    __m256i value[MAX_OUT_ROWS][VECTORS];
    UNROLL for (int o = 0; o < out_rows; o++) UNROLL for (int v = 0; v < VECTORS; v++) {
      const size_t at = (size_t)v * vector_bytes;
      value[o][v] = path != TVMQ_PATH_LONG ? tvmq_short_rescale(&short_stage[v], path, acc[o][v])
                                           : tvmq_long_rescale(&stage, acc[o][v], load_repeated(multiplier + at, lanes), load_repeated(shift + at, lanes));
    }
    store(args, value, out_rows, lanes, out);
  }
}

// One body per way: whether pixels are flipped and which path the output stage takes is decided once a call.
#define DEPTHWISE(SYMBOL, OUT_ROWS, LANES)                                 \
  void SYMBOL(const struct tvmq_depthwise_args *args) {                    \
    if (args->in_flip != 0)                                                \
      TVMQ_FOR_PATH(args->stage, depthwise, args, true, OUT_ROWS, LANES);  \
    else                                                                   \
      TVMQ_FOR_PATH(args->stage, depthwise, args, false, OUT_ROWS, LANES); \
  }
