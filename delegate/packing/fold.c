#include "packing/fold.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// Adds `n` weights, `stride` apart, as numbers from 0 to 255. Compilers vectorize the loop if the stride is the
// constant 1.
static inline void add(const struct tvmq_channel *channel, const uint8_t *weights, size_t n, size_t stride, struct tvmq_sums *sums) {
  enum { MOST = 256 };  // a sum of 256 weights fits uint16
  const uint8_t flip = channel->flip ^ 0x80, zero_point = (uint8_t)(channel->zero_point - INT8_MIN);
  for (size_t first = 0; first < n; first += MOST) {
    const size_t end = n - first < MOST ? n : first + MOST;
    uint16_t all = 0, raised = 0;
    for (size_t k = first; k < end; k++) {
      const uint8_t weight = weights[k * stride] ^ flip;
      all = (uint16_t)(all + weight);
      raised = (uint16_t)(raised + (weight > zero_point ? weight : zero_point));
    }
    const int32_t zero = (int32_t)(end - first) * zero_point;
    sums->all += all - zero;
    sums->positive += raised - zero;
  }
}

#if defined(__SSE2__)
static int64_t sum_of_halves(__m128i x) { return _mm_cvtsi128_si64(_mm_add_epi64(x, _mm_unpackhi_epi64(x, x))); }
#endif

// Adds contiguous weights. x86 has an instruction that sums bytes, which compilers do not use by themselves.
static void add_side_by_side(const struct tvmq_channel *channel, const uint8_t *weights, size_t n, struct tvmq_sums *sums) {
  size_t first = 0;
#if defined(__SSE2__)
  enum { VECTOR = 16 };
  const uint8_t zero_point = (uint8_t)(channel->zero_point - INT8_MIN);
  const __m128i flip = _mm_set1_epi8((char)(channel->flip ^ 0x80)), zero_points = _mm_set1_epi8((char)zero_point), none = _mm_setzero_si128();
  __m128i all = none, raised = none;
  for (; n - first >= VECTOR; first += VECTOR) {
    const __m128i x = _mm_xor_si128(_mm_loadu_si128((const __m128i *)(weights + first)), flip);
    all = _mm_add_epi64(all, _mm_sad_epu8(x, none));
    raised = _mm_add_epi64(raised, _mm_sad_epu8(_mm_max_epu8(x, zero_points), none));
  }
  const int64_t zero = (int64_t)first * zero_point;
  sums->all += sum_of_halves(all) - zero;
  sums->positive += sum_of_halves(raised) - zero;
#endif
  add(channel, weights + first, n - first, 1, sums);
}

struct tvmq_sums tvmq_channel_sums(const struct tvmq_channel *channel) {
  struct tvmq_sums sums = {0};
  if (channel->depth_stride == 1 && channel->tap_stride == channel->n_depths) {
    add_side_by_side(channel, channel->weights, channel->n_taps * channel->n_depths, &sums);
    return sums;
  }
  if (channel->n_depths == 1) {
    add(channel, channel->weights, channel->n_taps, channel->tap_stride, &sums);
    return sums;
  }
  for (size_t t = 0; t < channel->n_taps; t++) {
    const uint8_t *weights = channel->weights + t * channel->tap_stride;
    if (channel->depth_stride == 1)
      add_side_by_side(channel, weights, channel->n_depths, &sums);
    else
      add(channel, weights, channel->n_depths, channel->depth_stride, &sums);
  }
  return sums;
}
