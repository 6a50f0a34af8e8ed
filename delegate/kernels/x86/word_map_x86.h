// Body of the map of int16 on x86; the includer defines
//   gather(entries, index)         32-bit lanes of entries at the indices
//   blend_odd_words(even, odd)     the even int16 lanes of `even` and the odd ones of `odd`
//
// A vector's elements at even and at odd places are computed apart, in 32-bit lanes, so that no element changes its lane. pmaddwd interpolates: base and slope
// of an entry are a lane's two factors, 2^bits and the rest the others.
// Registers: the function's numbers, and of each half of a vector steps, signs and entries.
#include <string.h>

#include "kernels/kernel.h"
#include "kernels/x86/vector_x86.h"

struct curve {
  vec multiplier, half, most, mask, weight, round;
  __m128i shift, bits, out_bits;
  const int32_t *middle;
};

TVMQ_INLINE vec mapped(const struct curve *c, vec x, bool is_folded) {
  vec steps = x, sign = (vec){0};
  if (is_folded) {
    steps = MM(sra_epi32)(MM(add_epi32)(MM(mullo_epi32)(x, c->multiplier), c->half), c->shift);
    sign = MM(srai_epi32)(steps, 31);
    steps = MM(min_epi32)(MM(abs_epi32)(steps), c->most);
  }
  const vec entry = gather(c->middle, MM(sra_epi32)(steps, c->bits)), rest = vec_and(steps, c->mask);
  const vec p = MM(madd_epi16)(entry, vec_or(c->weight, MM(slli_epi32)(rest, 16)));
  return MM(sra_epi32)(MM(add_epi32)(is_folded ? vec_xor(p, sign) : p, c->round), c->out_bits);
}

TVMQ_INLINE void map_vector(const struct curve *c, const int16_t *in, int16_t *out, bool is_folded) {
  const vec x = vec_load(in);
  const vec even = mapped(c, MM(srai_epi32)(MM(slli_epi32)(x, 16), 16), is_folded), odd = mapped(c, MM(srai_epi32)(x, 16), is_folded);
  vec_store(out, blend_odd_words(even, MM(slli_epi32)(odd, 16)));
}

TVMQ_INLINE void map_all(const struct tvmq_word_map_args *args, bool is_folded) {
  enum { WORDS = sizeof(vec) / sizeof(int16_t) };
  const struct tvmq_word_map *const map = args->map;
  const struct curve c = {
      .multiplier = MM(set1_epi32)(map->multiplier),
      .half = MM(set1_epi32)(tvmq_word_map_half(map)),
      .most = MM(set1_epi32)((TVMQ_WORD_MAP_MIDDLE - 1) << map->bits),
      .mask = MM(set1_epi32)((1 << map->bits) - 1),
      .weight = MM(set1_epi32)(1 << map->bits),
      .round = MM(set1_epi32)(tvmq_word_map_round(map)),
      .shift = _mm_cvtsi32_si128(map->shift),
      .bits = _mm_cvtsi32_si128(map->bits),
      .out_bits = _mm_cvtsi32_si128(map->out_bits),
      .middle = map->entries + TVMQ_WORD_MAP_MIDDLE,
  };
  size_t i = 0;
  for (; args->n - i >= WORDS; i += WORDS) map_vector(&c, args->in + i, args->out + i, is_folded);
  if (i == args->n) return;
  int16_t rest[WORDS] = {0};
  memcpy(rest, args->in + i, (args->n - i) * sizeof *rest);
  map_vector(&c, rest, rest, is_folded);
  memcpy(args->out + i, rest, (args->n - i) * sizeof *rest);
}

TVMQ_INLINE void word_map(const struct tvmq_word_map_args *args) {
  if (args->map->is_folded)
    map_all(args, true);
  else
    map_all(args, false);
}
