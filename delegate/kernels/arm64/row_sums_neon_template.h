// Body of the row sums with NEON or dot products; the includer defines the name ROW_SUMS. Four rows at a time, so that
// their sums end in one vector.
//
// With a mask of 0x80, a byte becomes a signed byte plus 128: kernels sum the signed bytes directly.
//
// Reads: 16 bytes of a tap at a time; for the rest, the last 16 bytes, of which those already summed are masked out.
// Taps of 8 to 15 bytes: the first and the last 8, of which those already summed are shifted out. Taps of less than 8
// bytes: one by one.
#include <arm_neon.h>
#include <stdbool.h>

#include "base/inline.h"
#include "kernels/kernel.h"

// Adds the bytes where `ones` has ones; elsewhere the bytes are zeros.
TVMQ_INLINE uint32x4_t add_those(uint32x4_t sums, uint8x16_t bytes, uint8x16_t ones, bool is_signed) {
#if defined(__ARM_FEATURE_DOTPROD)
  if (is_signed) return vreinterpretq_u32_s32(vdotq_s32(vreinterpretq_s32_u32(sums), vreinterpretq_s8_u8(bytes), vreinterpretq_s8_u8(ones)));
  return vdotq_u32(sums, bytes, ones);
#else
  bytes = vandq_u8(bytes, vreinterpretq_u8_s8(vnegq_s8(vreinterpretq_s8_u8(ones))));
  if (is_signed) return vreinterpretq_u32_s32(vpadalq_s16(vreinterpretq_s32_u32(sums), vpaddlq_s8(vreinterpretq_s8_u8(bytes))));
  return vpadalq_u16(sums, vpaddlq_u8(bytes));
#endif
}

TVMQ_INLINE uint32x4_t add_bytes(uint32x4_t sums, uint8x16_t bytes, bool is_signed) { return add_those(sums, bytes, vdupq_n_u8(1), is_signed); }

// Returns ones for the last `n` of 16 bytes, zeros for the others.
TVMQ_INLINE uint8x16_t last_ones(size_t n) {
  static const uint8_t ones[32] = {[16] = 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  return vld1q_u8(ones + n);
}

// Loads the last n % 8 of `n` bytes, and zeros.
TVMQ_INLINE uint8x8_t load_rest(const uint8_t *x, size_t n) {
  if (n >= 8) return vreinterpret_u8_u64(vshl_u64(vreinterpret_u64_u8(vld1_u8(x + n - 8)), vdup_n_s64(-8 * (int64_t)(8 - n % 8))));
  uint64_t bytes = 0;
  for (size_t i = 0; i < n; i++) bytes |= (uint64_t)x[i] << 8 * i;
  return vcreate_u8(bytes);
}

TVMQ_INLINE void add_taps(const uint8_t *const taps[4], size_t n, bool is_signed, uint32x4_t sums[4]) {
  size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    UNROLL for (size_t r = 0; r < 4; r++) sums[r] = add_bytes(sums[r], vld1q_u8(taps[r] + i), is_signed);
  }
  if (i == n) return;
  if (n >= 16) {
    const uint8x16_t ones = last_ones(n % 16);
    UNROLL for (size_t r = 0; r < 4; r++) sums[r] = add_those(sums[r], vld1q_u8(taps[r] + n - 16), ones, is_signed);
    return;
  }
  if (n >= 8) {
    UNROLL for (size_t r = 0; r < 4; r++) sums[r] = add_bytes(sums[r], vcombine_u8(vld1_u8(taps[r]), vdup_n_u8(0)), is_signed);
  }
  if (n % 8 != 0) {
    UNROLL for (size_t r = 0; r < 4; r++) sums[r] = add_bytes(sums[r], vcombine_u8(load_rest(taps[r], n), vdup_n_u8(0)), is_signed);
  }
}

// The pointers of four rows of a tile are adjacent. If a tile's height is no multiple of four, each row is summed
// separately (four times).
TVMQ_INLINE void sum_rows(const struct tvmq_row_sums_args *args, bool is_signed) {
  const size_t n = args->n, mr = args->mr, n_taps = args->n_taps, k = args->k;
  const size_t step = mr % 4 == 0 ? 4 : 1, next = step / 4;
  const uint32_t factor = (uint32_t)args->factor, offset = (uint32_t)args->offset - (is_signed ? 128 * (uint32_t)(n_taps * k) : 0);
  const uint32x4_t start = vdupq_n_u32(-offset * factor);
  const void *const *cell = args->rows;  // cell of tap 0
  for (size_t m = 0, row = 0; m < n; m += step) {
    uint32x4_t sums[4] = {vdupq_n_u32(0), vdupq_n_u32(0), vdupq_n_u32(0), vdupq_n_u32(0)};
    for (size_t t = 0; t < n_taps; t++) {
      const void *const *tap = cell + t * mr;
      const uint8_t *const taps[4] = {tap[0], tap[next], tap[2 * next], tap[3 * next]};
      add_taps(taps, k, is_signed, sums);
    }
    const uint32x4_t four = vpaddq_u32(vpaddq_u32(sums[0], sums[1]), vpaddq_u32(sums[2], sums[3]));
    const int32x4_t terms = vreinterpretq_s32_u32(vmlaq_n_u32(start, four, factor));
    if (step == 4 && m + 4 <= n) {
      vst1q_s32(args->terms + m, terms);
    } else {
      int32_t some[4];
      vst1q_s32(some, terms);
      for (size_t r = 0; r < step && m + r < n; r++) args->terms[m + r] = some[r];
    }
    cell += step;
    row += step;
    if (row < mr) continue;
    row = 0;
    cell += (n_taps - 1) * mr;
  }
}

void ROW_SUMS(const struct tvmq_row_sums_args *args) {
  if (args->mask != 0) {
    sum_rows(args, true);
  } else {
    sum_rows(args, false);
  }
}
