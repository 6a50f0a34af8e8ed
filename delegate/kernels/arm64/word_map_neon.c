// Map of int16 on any Arm processor: eight elements at a time, whose entries are loaded one by one.
//
// Registers: the function's numbers, and of each half of a vector steps, signs and entries.
#include <arm_neon.h>
#include <string.h>

#include "base/inline.h"
#include "kernels/kernel.h"

enum { WORDS = 8 };

struct curve {
  int16x4_t weight;
  int32x4_t multiplier, half, most, mask, round, right, bits_right, out_right;
  const int32_t *middle;
};

TVMQ_INLINE int32x4_t look_up(const int32_t *middle, int32x4_t index) {
  int32x4_t entry = vdupq_n_s32(0);
  entry = vld1q_lane_s32(middle + vgetq_lane_s32(index, 0), entry, 0);
  entry = vld1q_lane_s32(middle + vgetq_lane_s32(index, 1), entry, 1);
  entry = vld1q_lane_s32(middle + vgetq_lane_s32(index, 2), entry, 2);
  return vld1q_lane_s32(middle + vgetq_lane_s32(index, 3), entry, 3);
}

// Returns the lowest 16 bits of each result.
TVMQ_INLINE int16x4_t mapped(const struct curve *c, int16x4_t x, bool is_folded) {
  int32x4_t steps = vmovl_s16(x), sign = vdupq_n_s32(0);
  if (is_folded) {
    steps = vshlq_s32(vmlaq_s32(c->half, steps, c->multiplier), c->right);
    sign = vshrq_n_s32(steps, 31);
    steps = vminq_s32(vabsq_s32(steps), c->most);
  }
  const int32x4_t entry = look_up(c->middle, vshlq_s32(steps, c->bits_right));
  const int16x4_t base = vmovn_s32(entry), slope = vshrn_n_s32(entry, 16), rest = vmovn_s32(vandq_s32(steps, c->mask));
  const int32x4_t p = vmlal_s16(vmull_s16(base, c->weight), slope, rest);
  return vmovn_s32(vshlq_s32(vaddq_s32(veorq_s32(p, sign), c->round), c->out_right));
}

TVMQ_INLINE void map_vector(const struct curve *c, const int16_t *in, int16_t *out, bool is_folded) {
  const int16x8_t x = vld1q_s16(in);
  vst1q_s16(out, vcombine_s16(mapped(c, vget_low_s16(x), is_folded), mapped(c, vget_high_s16(x), is_folded)));
}

// Maps whole vectors, n / WORDS of them.
TVMQ_INLINE void map_vectors(const struct tvmq_word_map_args *args, bool is_folded) {
  const struct tvmq_word_map *const map = args->map;
  const struct curve c = {
      .weight = vdup_n_s16((int16_t)(1 << map->bits)),
      .multiplier = vdupq_n_s32(map->multiplier),
      .half = vdupq_n_s32(tvmq_word_map_half(map)),
      .most = vdupq_n_s32((TVMQ_WORD_MAP_MIDDLE - 1) << map->bits),
      .mask = vdupq_n_s32((1 << map->bits) - 1),
      .round = vdupq_n_s32(tvmq_word_map_round(map)),
      .right = vdupq_n_s32(-map->shift),
      .bits_right = vdupq_n_s32(-map->bits),
      .out_right = vdupq_n_s32(-map->out_bits),
      .middle = map->entries + TVMQ_WORD_MAP_MIDDLE,
  };
  for (size_t i = 0; args->n - i >= WORDS; i += WORDS) map_vector(&c, args->in + i, args->out + i, is_folded);
}

static void map_all(const struct tvmq_word_map_args *args) {
  if (args->map->is_folded)
    map_vectors(args, true);
  else
    map_vectors(args, false);
}

void tvmq_word_map__neon(const struct tvmq_word_map_args *args) {
  map_all(args);
  const size_t left = args->n % WORDS, first = args->n - left;
  if (left == 0) return;
  int16_t rest[WORDS] = {0};
  memcpy(rest, args->in + first, left * sizeof *rest);
  map_all(&(struct tvmq_word_map_args){.map = args->map, .in = rest, .out = rest, .n = WORDS});
  memcpy(args->out + first, rest, left * sizeof *rest);
}
