// Depthwise without dot products, any filter, stride, dilation and zero points: int16 weights, from which the zero point is already subtracted, times pixels
// widened to int16, summed in int32.
//
// Tile: one output row, 4 columns, 8 channels: 8 accumulators, requantized together, because in-order cores need that much independent work. Reads: 8 bytes of
// each pixel of the window; past the last column the last again. Hazards: none, |w - zw| < 2^8.
#include "requant_neon.h"

#define INLINE static inline __attribute__((always_inline))
// Arrays of vectors are registers only where every index is a constant.
#define UNROLL _Pragma("GCC unroll 16")

enum { NR = 8, COLUMNS = 4 };

INLINE void store(enum tvmq_neon_path path, const struct tvmq_depthwise_args *args, const int32_t *params, const int32x4_t *acc, size_t n, int8_t *out) {
  const struct tvmq_neon_stage stage = tvmq_neon_stage(args->stage);
  const size_t stride = args->out_col_stride;
  const int32x4_t multiplier[4] = {vld1q_s32(params), vld1q_s32(params + 4), vld1q_s32(params), vld1q_s32(params + 4)};
  const int32x4_t shift[4] = {vld1q_s32(params + NR), vld1q_s32(params + NR + 4), vld1q_s32(params + NR), vld1q_s32(params + NR + 4)};
  int64x2_t bytes[2];
  UNROLL for (int i = 0; i < 2; i++) bytes[i] = vreinterpretq_s64_s8(tvmq_neon_requantize(path, &stage, acc + 4 * i, multiplier, shift));
  vst1q_lane_s64((int64_t *)out, bytes[0], 0);
  if (n > 1) vst1q_lane_s64((int64_t *)(out + stride), bytes[0], 1);
  if (n > 2) vst1q_lane_s64((int64_t *)(out + 2 * stride), bytes[1], 0);
  if (n > 3) vst1q_lane_s64((int64_t *)(out + 3 * stride), bytes[1], 1);
}

void tvmq_depthwise_s8_1x8w16__neon(const struct tvmq_depthwise_args *args) {
  const int32_t *const bias = args->panel;
  const int16_t *const weights = (const int16_t *)(bias + NR);
  const int32_t *const params = (const int32_t *)(weights + args->filter_h * args->filter_w * NR);
  const size_t row_step = args->dilation_h * args->pixels_stride, offset = args->channel_offset;
  const int8x8_t flip = vdup_n_s8((int8_t)args->in_flip);
  const enum tvmq_neon_path path = tvmq_neon_path(args->stage);
  const int32x4_t bias0 = vld1q_s32(bias), bias1 = vld1q_s32(bias + 4);
  int8_t *out = args->out;

  for (size_t x = 0; x < args->n_cols; x += COLUMNS, out += COLUMNS * args->out_col_stride) {
    const size_t left = args->n_cols - x;
    const void *const *column[COLUMNS];
    UNROLL for (size_t i = 0; i < COLUMNS; i++) column[i] = args->pixels + (x + (i < left ? i : left - 1)) * args->stride_w;
    int32x4_t acc[2 * COLUMNS] = {bias0, bias1, bias0, bias1, bias0, bias1, bias0, bias1};
    const int16_t *w = weights;
    for (size_t ky = 0; ky < args->filter_h; ky++) {
      size_t pixel = ky * row_step;
      for (size_t kx = 0; kx < args->filter_w; kx++, pixel += args->dilation_w, w += NR) {
        const int16x8_t weight = vld1q_s16(w);
        int16x8_t value[COLUMNS];
        UNROLL for (int i = 0; i < COLUMNS; i++) value[i] = vmovl_s8(veor_s8(vld1_s8((const int8_t *)column[i][pixel] + offset), flip));
        UNROLL for (int i = 0; i < COLUMNS; i++) {
          acc[2 * i] = vmlal_s16(acc[2 * i], vget_low_s16(value[i]), vget_low_s16(weight));
          acc[2 * i + 1] = vmlal_high_s16(acc[2 * i + 1], value[i], weight);
        }
      }
    }
    switch (path) {
      case TVMQ_NEON_PLAIN:
        store(TVMQ_NEON_PLAIN, args, params, acc, left, out);
        break;
      case TVMQ_NEON_INT16:
        store(TVMQ_NEON_INT16, args, params, acc, left, out);
        break;
      case TVMQ_NEON_DOUBLE:
        store(TVMQ_NEON_DOUBLE, args, params, acc, left, out);
        break;
      case TVMQ_NEON_SINGLE:
        store(TVMQ_NEON_SINGLE, args, params, acc, left, out);
        break;
    }
  }
}
