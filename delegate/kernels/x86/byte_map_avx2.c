// Map of bytes by a table in AVX2 vectors.
//
// The table is split into two sides with a common index. If many bytes map to one value, only the other bytes are
// looked up. Their index is the distance from the middle, to the right or to the left; distances beyond the last entry
// count as the last. If all bytes must be looked up, the sides are the halves of the table, and the index is the low
// seven bits.
//
// vpshufb looks up the low four bits of an index in a part of sixteen bytes, or gives 0 if the index is negative. 16 is
// subtracted from the index before each next part. So an index finds an entry in every part up to its own. Each part is
// stored as the xor with the previous part, so that xor of all results leaves the entry of the index's own part.
//
// Registers: indices, values of both sides for two vectors, the constant 16, and the parts, loaded from memory.
#include <immintrin.h>
#include <string.h>

#include "base/inline.h"
#include "kernels/kernel.h"

enum { BYTES = 64, VECTORS = 2, PART = 16, MAX_PARTS = TVMQ_N_BYTES / 2 / PART };

struct parts {
  __m256i middle, last;  // last: the last distance
  struct {
    __m256i right, left;
  } part[MAX_PARTS];
};

TVMQ_INLINE __m256i part_of(const uint8_t *first) { return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)first)); }

TVMQ_INLINE __m256i left_part(const struct tvmq_byte_map *map, uint8_t middle, size_t n, size_t p) {
  const __m128i backward = _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  if (n == MAX_PARTS) return part_of(map->table + TVMQ_N_BYTES / 2 + p * PART);
  return _mm256_shuffle_epi8(part_of(map->table + TVMQ_N_BYTES + middle - (p + 1) * PART), _mm256_broadcastsi128_si256(backward));
}

TVMQ_INLINE struct parts parts_of(const struct tvmq_byte_map *map, size_t n) {
  // The right side has the additional entry of an odd number.
  const uint8_t middle = n == MAX_PARTS ? 0 : (uint8_t)(map->first + map->n_live / 2);
  struct parts parts = {.middle = _mm256_set1_epi8((char)middle), .last = _mm256_set1_epi8((char)(n * PART - 1))};
  UNROLL for (size_t p = 0; p < n; p++) {
    parts.part[p].right = part_of(map->table + middle + p * PART);
    parts.part[p].left = left_part(map, middle, n, p);
    if (p == 0) continue;
    parts.part[p].right = _mm256_xor_si256(parts.part[p].right, part_of(map->table + middle + (p - 1) * PART));
    parts.part[p].left = _mm256_xor_si256(parts.part[p].left, left_part(map, middle, n, p - 1));
  }
  return parts;
}

// Returns the distance from the middle; the sign bit of `place` is set on the left side.
TVMQ_INLINE __m256i index_of(const struct parts *parts, size_t n, __m256i place) {
  if (n == MAX_PARTS) return _mm256_and_si256(place, _mm256_set1_epi8(INT8_MAX));
  return _mm256_min_epu8(_mm256_xor_si256(place, _mm256_cmpgt_epi8(_mm256_setzero_si256(), place)), parts->last);
}

TVMQ_INLINE void look_up(const struct parts *parts, size_t n, const uint8_t *in, uint8_t *out) {
  const __m256i part = _mm256_set1_epi8(PART);
  __m256i place[VECTORS], index[VECTORS], right[VECTORS], left[VECTORS];
  UNROLL for (int v = 0; v < VECTORS; v++) {
    place[v] = _mm256_loadu_si256((const __m256i *)in + v);
    if (n < MAX_PARTS) place[v] = _mm256_sub_epi8(place[v], parts->middle);
    index[v] = index_of(parts, n, place[v]);
    right[v] = _mm256_shuffle_epi8(parts->part[0].right, index[v]);
    left[v] = _mm256_shuffle_epi8(parts->part[0].left, index[v]);
  }
  UNROLL for (size_t p = 1; p < n; p++) {
    UNROLL for (int v = 0; v < VECTORS; v++) {
      index[v] = _mm256_sub_epi8(index[v], part);
      right[v] = _mm256_xor_si256(right[v], _mm256_shuffle_epi8(parts->part[p].right, index[v]));
      left[v] = _mm256_xor_si256(left[v], _mm256_shuffle_epi8(parts->part[p].left, index[v]));
      // Otherwise compilers compute all indices first and run out of registers.
      __asm__("" : "+x"(index[v]), "+x"(right[v]), "+x"(left[v]));
    }
  }
  UNROLL for (int v = 0; v < VECTORS; v++) _mm256_storeu_si256((__m256i *)out + v, _mm256_blendv_epi8(right[v], left[v], place[v]));
}

// Looks up the last bytes before all others, and stores them after all others, because the tensors may be identical.
TVMQ_INLINE void look_up_all(const struct tvmq_byte_map_args *args, size_t n_parts) {
  const uint8_t *const in = args->in;
  uint8_t *const out = args->out;
  const size_t n = args->n;
  const struct parts parts = parts_of(args->map, n_parts);
  uint8_t last[BYTES];
  if (n % BYTES != 0) look_up(&parts, n_parts, in + n - BYTES, last);
  for (size_t i = 0; i + BYTES <= n; i += BYTES) look_up(&parts, n_parts, in + i, out + i);
  if (n % BYTES != 0) memcpy(out + n - BYTES, last, BYTES);
}

// Defines a function for each number of parts.
#define LOOK_UP(n) \
  static void look_up_##n(const struct tvmq_byte_map_args *args) { look_up_all(args, n); }
LOOK_UP(1)
LOOK_UP(2)
LOOK_UP(3)
LOOK_UP(4)
LOOK_UP(5)
LOOK_UP(6)
LOOK_UP(7)
LOOK_UP(8)

void tvmq_byte_map__avx2(const struct tvmq_byte_map_args *args) {
  static const tvmq_byte_map_fn by_parts[MAX_PARTS] = {look_up_1, look_up_2, look_up_3, look_up_4, look_up_5, look_up_6, look_up_7, look_up_8};
  if (args->n < BYTES) {
    tvmq_byte_map__c(args);
    return;
  }
  // One distance more than each side has stands for all distances beyond.
  const size_t n_distances = (args->map->n_live + 1) / 2 + 1;
  by_parts[tvmq_min(tvmq_ceil_div(n_distances, PART), MAX_PARTS) - 1](args);
}
