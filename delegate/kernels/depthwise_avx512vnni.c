// Depthwise on AVX-512 VNNI, down the rows: four input rows of a column are interleaved so that each 32-bit lane holds one channel's four rows, and one
// vpdpbusd multiplies them with a column of the filter. The same interleaved rows serve `mr` output rows, whose weights the packer has shifted to their places.
//
// Tile: mr output rows of 1, 2 or 4 columns by nr = 64, 32 or 16 channels: a 512-bit vector takes nr channels of as many columns as fit, and the weights are
// repeated for each. Reads: nr bytes of each pixel of the window; where a group of four rows is not full it reads the window's last row again, against weights
// of zero, and past the last column it reads the last again. Interleaving works within 128-bit lanes; so does the packing of results to bytes, which undoes the
// order. Hazards: vpdpbusd does not saturate. Its first operand is unsigned (a_offset 128).
#include <immintrin.h>

#include "requant_avx512.h"

// Vectors of a group of four rows of 16 channels a lane, and rows of a group.
enum { VECTORS = 4, GROUP_ROWS = 4, MAX_OUT_ROWS = 2, MAX_COLUMNS = 4 };

// The `lanes` 128-bit lanes at `p`, repeated to fill a vector.
TVMQ_INLINE __m512i load_repeated(const void *p, int lanes) {
  if (lanes == 4) return _mm512_loadu_si512(p);
  if (lanes == 2) return _mm512_broadcast_i64x4(_mm256_loadu_si256(p));
  return _mm512_broadcast_i32x4(_mm_loadu_si128(p));
}

// Channels of the 4 / lanes pixels side by side.
TVMQ_INLINE __m512i load_pixels(const void *const *pixels, const size_t *column, size_t channel_offset, int lanes) {
#define PIXEL(I) ((const char *)pixels[column[I]] + channel_offset)
  if (lanes == 4) return _mm512_loadu_si512(PIXEL(0));
  if (lanes == 2) {
    const __m512i low = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)PIXEL(0)));
    return _mm512_inserti64x4(low, _mm256_loadu_si256((const __m256i *)PIXEL(1)), 1);
  }
  __m512i all = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)PIXEL(0)));
  all = _mm512_inserti32x4(all, _mm_loadu_si128((const __m128i *)PIXEL(1)), 1);
  all = _mm512_inserti32x4(all, _mm_loadu_si128((const __m128i *)PIXEL(2)), 2);
  return _mm512_inserti32x4(all, _mm_loadu_si128((const __m128i *)PIXEL(3)), 3);
#undef PIXEL
}

// row[r] holds bytes of channels; quad[v] gets four rows of every channel whose place in its lane is 4 v to 4 v + 3.
TVMQ_INLINE void interleave(const __m512i row[GROUP_ROWS], __m512i quad[VECTORS]) {
  const __m512i low01 = _mm512_unpacklo_epi8(row[0], row[1]), high01 = _mm512_unpackhi_epi8(row[0], row[1]);
  const __m512i low23 = _mm512_unpacklo_epi8(row[2], row[3]), high23 = _mm512_unpackhi_epi8(row[2], row[3]);
  quad[0] = _mm512_unpacklo_epi16(low01, low23);
  quad[1] = _mm512_unpackhi_epi16(low01, low23);
  quad[2] = _mm512_unpacklo_epi16(high01, high23);
  quad[3] = _mm512_unpackhi_epi16(high01, high23);
}

TVMQ_INLINE void store(const struct tvmq_depthwise_args *args, __m512i bytes, size_t columns, int lanes, uint8_t *out) {
  if (lanes == 4) {
    _mm512_storeu_si512(out, bytes);
  } else if (lanes == 2) {
    _mm256_storeu_si256((__m256i *)out, _mm512_castsi512_si256(bytes));
    if (columns > 1) _mm256_storeu_si256((__m256i *)(out + args->out_col_stride), _mm512_extracti64x4_epi64(bytes, 1));
  } else {
    _mm_storeu_si128((__m128i *)out, _mm512_castsi512_si128(bytes));
    if (columns > 1) _mm_storeu_si128((__m128i *)(out + args->out_col_stride), _mm512_extracti32x4_epi32(bytes, 1));
    if (columns > 2) _mm_storeu_si128((__m128i *)(out + 2 * args->out_col_stride), _mm512_extracti32x4_epi32(bytes, 2));
    if (columns > 3) _mm_storeu_si128((__m128i *)(out + 3 * args->out_col_stride), _mm512_extracti32x4_epi32(bytes, 3));
  }
}

TVMQ_INLINE void depthwise(const struct tvmq_depthwise_args *args, int mr, int lanes, enum tvmq_path path) {
  const size_t nr = 16 * (size_t)lanes, vector_bytes = 16 * (size_t)lanes, n_columns = (size_t)(4 / lanes);
  const size_t rows = (size_t)(mr - 1) * args->stride_h + args->filter_h, groups = (rows + GROUP_ROWS - 1) / GROUP_ROWS;
  const char *bias = args->panel;
  const char *weights = bias + nr * sizeof(int32_t);
  const char *multiplier = weights + args->n_planes * args->filter_w * groups * (size_t)mr * nr * GROUP_ROWS, *shift = multiplier + nr * sizeof(int32_t);
  const struct tvmq_stage stage = *args->stage;
  const __m512i flip = _mm512_set1_epi8((int8_t)args->in_flip);
  const size_t row_pitch = args->dilation_h * args->pixels_stride;

  __m512i first[VECTORS];
  struct tvmq_short_stage short_stage[VECTORS];
  UNROLL for (int v = 0; v < VECTORS; v++) {
    const size_t at = (size_t)v * vector_bytes;
    first[v] = load_repeated(bias + at, lanes);
    if (path == TVMQ_PATH_LONG) continue;
    first[v] = _mm512_xor_si512(first[v], _mm512_set1_epi32(INT32_MIN));
    short_stage[v] = tvmq_short_stage_make(&stage, path, load_repeated(multiplier + at, lanes), load_repeated(shift + at, lanes));
  }

  for (size_t x = 0; x < args->n_cols; x += n_columns) {
    __m512i acc[MAX_OUT_ROWS][VECTORS];
    UNROLL for (int o = 0; o < mr; o++) UNROLL for (int v = 0; v < VECTORS; v++) acc[o][v] = first[v];

    size_t column[MAX_COLUMNS];
    for (size_t i = 0; i < n_columns; i++) column[i] = (x + i < args->n_cols ? x + i : args->n_cols - 1) * args->stride_w;
    const char *w = weights;
    for (size_t plane = 0; plane < args->n_planes; plane++) {
      for (size_t kx = 0; kx < args->filter_w; kx++) {
        for (size_t g = 0; g < groups; g++) {
          __m512i row[GROUP_ROWS], quad[VECTORS];
          for (size_t r = 0; r < GROUP_ROWS; r++) {
            const size_t y = g * GROUP_ROWS + r < rows ? g * GROUP_ROWS + r : rows - 1;
            row[r] = _mm512_xor_si512(load_pixels(args->pixels + y * row_pitch + kx * args->dilation_w, column, args->channel_offset, lanes), flip);
          }
          interleave(row, quad);
          UNROLL for (int o = 0; o < mr; o++, w += nr * GROUP_ROWS) {
            UNROLL for (int v = 0; v < VECTORS; v++) acc[o][v] = _mm512_dpbusd_epi32(acc[o][v], quad[v], load_repeated(w + (size_t)v * vector_bytes, lanes));
          }
        }
      }
    }

    UNROLL for (int o = 0; o < mr; o++) {
      __m512i value[VECTORS];
      UNROLL for (int v = 0; v < VECTORS; v++) {
        const size_t at = (size_t)v * vector_bytes;
        value[v] = path != TVMQ_PATH_LONG ? tvmq_short_rescale(&short_stage[v], path, acc[o][v])
                                          : tvmq_long_rescale(&stage, acc[o][v], load_repeated(multiplier + at, lanes), load_repeated(shift + at, lanes));
      }
      store(args, tvmq_pack_lanes(&stage, value), args->n_cols - x, lanes, (uint8_t *)args->out + (size_t)o * args->out_row_stride + x * args->out_col_stride);
    }
  }
}

#define KERNEL(NAME, MR, LANES) \
  void tvmq_depthwise_s8_##NAME##__avx512vnni(const struct tvmq_depthwise_args *args) { TVMQ_FOR_PATH(args->stage, depthwise, args, MR, LANES); }

KERNEL(1x16v4, 1, 1)
KERNEL(1x32v4, 1, 2)
KERNEL(1x64v4, 1, 4)
KERNEL(2x16v4s1, 2, 1)
KERNEL(2x32v4s1, 2, 2)
KERNEL(2x64v4s1, 2, 4)
KERNEL(2x16v4s2, 2, 1)
KERNEL(2x32v4s2, 2, 2)
KERNEL(2x64v4s2, 2, 4)
