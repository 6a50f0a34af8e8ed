// Products of int16, and what the output stage makes of them, for AVX2 and AVX-512: what mul and square share.
//
// pmaddwd multiplies pairs of int16 and adds: with one of a pair zero, it is the product of the others, in 32 bits. Bytes at even and at odd places become
// int16 apart, and of those again the even and the odd are multiplied apart. So every fourth byte is in one vector, and packing four of them leaves in each
// 128-bit lane four times four bytes, which a shuffle transposes.
//
// The includer defines vec, MM(name), the intrinsic of that name for its vectors, load(p), store(p, x), both(a, b) and exclusive(a, b), bitwise, all_lanes(x),
// a vector of four int32 for every lane, multiply_add(sum, a, b), which adds the sums of pairs of products of int16, and struct factors with the members stage,
// short_stage, in_zero_point, flip, start, with which sums begin, multiplier and shift.
#pragma once

#include "kernels/inline.h"
#include "kernels/kernel.h"

typedef enum tvmq_path stage_path;

enum { BLOCK_BYTES = sizeof(vec) };

// The int16 at even places of a vector, and those at odd ones, beside zeros.
struct apart {
  vec even, odd;
};

TVMQ_INLINE struct apart apart(vec x) {
  const vec even = both(x, MM(set1_epi32)(UINT16_MAX));
  return (struct apart){even, exclusive(x, even)};
}

// The value of a sum that began with `start`.
TVMQ_INLINE vec value_of(const struct factors *f, stage_path path, vec sum) {
  return path == TVMQ_PATH_LONG ? tvmq_long_rescale(&f->stage, sum, f->multiplier, f->shift) : tvmq_short_rescale(&f->short_stage, path, sum);
}

// The values of the products of the int16 at even places, and at odd ones.
TVMQ_INLINE void values_of(const struct factors *f, stage_path path, vec a, const struct apart *b, vec *even, vec *odd) {
  *even = value_of(f, path, multiply_add(f->start, a, b->even));
  *odd = value_of(f, path, multiply_add(f->start, a, b->odd));
}

// The bytes at even places, and at odd ones, less the zero point.
TVMQ_INLINE void raise_bytes(const struct factors *f, int i, const uint8_t *in, vec x[2]) {
  const vec bytes = exclusive(load(in), f->flip);
  x[0] = MM(sub_epi16)(MM(srai_epi16)(MM(slli_epi16)(bytes, 8), 8), f->in_zero_point[i]);
  x[1] = MM(sub_epi16)(MM(srai_epi16)(bytes, 8), f->in_zero_point[i]);
}

// Stores 4 vectors of values as bytes; vector i has those at places i, i + 4 and so on.
TVMQ_INLINE void store_bytes(const struct factors *f, stage_path path, const vec value[4], uint8_t *out) {
  const vec order = all_lanes(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
  store(out, MM(shuffle_epi8)(tvmq_pack_lanes(&f->stage, path, value), order));
}
