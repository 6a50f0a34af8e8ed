// Depthwise of 16x8 without dot products, any filter and stride.
//
// Tile: one output row, 4 columns, twice 8 channels. Products are added in int32 as long as they cannot overflow, then
// moved to int64. Reads: 16 bytes of each pixel of the window; after the last column, that column again. Hazards: an
// int16 times an int8 is at most 2^22, so 511 products fit int32.
#include "base/inline.h"
#include "kernels/arm64/stage_neon.h"
#include "kernels/kernel.h"

enum { NR = 16, CHANNELS = 8, COLUMNS = 4, MOST_PRODUCTS = 511 };

// The work of 8 channels.
struct half {
  const struct tvmq_depthwise_args *args;
  size_t channel_offset;
  const int64_t *bias;
  const int8_t *weights;
  const int32_t *multiplier, *shift;
  int16_t *out;
};

TVMQ_INLINE int16x8_t load_weight(const struct half *h, const int8_t *weight) {
  (void)h;
  return vmovl_s8(vld1_s8(weight));
}

TVMQ_INLINE int16x8_t load_pixel(const struct half *h, const void *pixel) { return vld1q_s16((const int16_t *)((const char *)pixel + h->channel_offset)); }

#include "kernels/arm64/depthwise_rows_neon_template.h"

TVMQ_INLINE void store(const struct half *h, const int32x4_t acc[2 * COLUMNS], const struct tvmq_neon_sums *sums, size_t n, int16_t *out) {
  const struct tvmq_neon_stage_s64 stage = tvmq_neon_stage_s64(h->args->stage);
  const struct tvmq_neon_scale_s64 scale[2] = {tvmq_neon_scale_s64(h->multiplier, h->shift), tvmq_neon_scale_s64(h->multiplier + 4, h->shift + 4)};
  int16x8_t values[COLUMNS];
  UNROLL for (size_t i = 0; i < COLUMNS; i++) values[i] = tvmq_neon_requantize_sums(&stage, scale, sums->from + i * sums->step, acc + 2 * i);
  // Tests for all columns first: with one test per column, compilers delay the work for a column until its test.
  const size_t stride = h->args->out_col_stride;
  if (n >= COLUMNS) {
    UNROLL for (size_t i = 0; i < COLUMNS; i++) vst1q_s16((int16_t *)((char *)out + i * stride), values[i]);
  } else {
    UNROLL for (size_t i = 0; i < COLUMNS; i++) {
      if (i < n) vst1q_s16((int16_t *)((char *)out + i * stride), values[i]);
    }
  }
}

// Computes 8 channels; n_kx and stride are the filter's constant values, or 0: any.
TVMQ_INLINE void depthwise(const struct half *h, size_t n_kx, size_t stride) {
  const struct tvmq_depthwise_args *args = h->args;
  int16_t *out = h->out;
  for (size_t x = 0; x < args->n_cols; x += COLUMNS, out = (int16_t *)((char *)out + COLUMNS * args->out_col_stride)) {
    const size_t n = args->n_cols - x;
    const void *const *row = args->pixels + x * args->stride_w;
    const int8_t *weights = h->weights;
    struct tvmq_neon_sums sums;
    sums.from = h->bias;
    sums.step = 0;
    int32x4_t acc[2 * COLUMNS];
    UNROLL for (int i = 0; i < 2 * COLUMNS; i++) acc[i] = vdupq_n_s32(0);
    size_t room = MOST_PRODUCTS;
    for (size_t ky = 0; ky < args->filter_h; ky++, row += args->pixels_stride, weights += args->filter_w * NR) {
      for (size_t kx = 0, taps; kx < args->filter_w; kx += taps, room -= taps) {
        if (room == 0 || room < n_kx) {
          tvmq_neon_move_sums(&sums, COLUMNS, acc);
          UNROLL for (int i = 0; i < 2 * COLUMNS; i++) acc[i] = vdupq_n_s32(0);
          room = MOST_PRODUCTS;
        }
        taps = args->filter_w - kx < room ? args->filter_w - kx : room;
        if (n_kx > 0 && n >= COLUMNS)
          add_row(h, row, (int)n_kx, (int)stride, weights, acc);
        else
          add_taps(h, row, n, kx, kx + taps, weights, acc);
      }
    }
    store(h, acc, &sums, n, out);
  }
}

static void any(const struct half *h) { depthwise(h, 0, 0); }
static void wide3s1(const struct half *h) { depthwise(h, 3, 1); }
static void wide3s2(const struct half *h) { depthwise(h, 3, 2); }
static void wide5s1(const struct half *h) { depthwise(h, 5, 1); }

static void single_row(const struct tvmq_depthwise_args *args) {
  void (*const run)(const struct half *) = args->stride_w == 1 && args->filter_w == 3   ? wide3s1
                                           : args->stride_w == 1 && args->filter_w == 5 ? wide5s1
                                           : args->stride_w == 2 && args->filter_w == 3 ? wide3s2
                                                                                        : any;
  const int64_t *bias = args->panel;
  const int8_t *weights = (const int8_t *)(bias + NR);
  const int32_t *multiplier = (const int32_t *)(weights + args->filter_h * args->filter_w * NR);
  for (size_t c = 0; c < NR; c += CHANNELS) {
    run(&(struct half){
        .args = args,
        .channel_offset = args->channel_offset + c * sizeof(int16_t),
        .bias = bias + c,
        .weights = weights + c,
        .multiplier = multiplier + c,
        .shift = multiplier + NR + c,
        .out = (int16_t *)args->out + c,
    });
  }
}

void tvmq_depthwise_s16_1x16a64__neon(const struct tvmq_depthwise_args *args) { tvmq_depthwise_tiles(args, 1, NR * sizeof(int16_t), single_row); }
