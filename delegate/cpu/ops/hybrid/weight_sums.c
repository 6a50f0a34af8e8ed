#include "cpu/ops/hybrid/weight_sums.h"

#include <string.h>

// The SSE helper adds the weights of a row in eight int16 lanes, which wrap: pairs of neighbours, sixteen weights at a
// time, then eight if that many remain. Only the last seven at most are added in int32.
typedef uint16_t words __attribute__((vector_size(16)));
typedef int16_t signed_words __attribute__((vector_size(16)));
enum { LANES = sizeof(words) / sizeof(uint16_t) };

// Adds neighbours; the one with the lower address is the low byte of a word.
static words add_neighbours(words pairs) { return (words)((signed_words)(pairs << 8) >> 8) + (words)((signed_words)pairs >> 8); }

static int32_t sum_in_lanes(const int8_t *row, size_t n) {
  words lanes = {0}, pairs;
  size_t i = 0;
  for (; i + sizeof pairs <= n; i += sizeof pairs) {
    memcpy(&pairs, row + i, sizeof pairs);
    lanes += add_neighbours(pairs);
  }
  if (i + LANES <= n) {
    for (size_t l = 0; l < LANES; l++) lanes[l] = (uint16_t)(lanes[l] + row[i + l]);
    i += LANES;
  }
  int32_t sum = 0;
  for (size_t l = 0; l < LANES; l++) sum += (int16_t)lanes[l];
  for (; i < n; i++) sum += row[i];
  return sum;
}

static int32_t plain_sum(const int8_t *weights, size_t n, size_t stride) {
  uint32_t sum = 0;
  for (size_t i = 0; i < n; i++) sum += (uint32_t)weights[i * stride];
  return (int32_t)sum;
}

int32_t tvmq_hybrid_weight_sum(const struct tvmq_conv_desc *desc, size_t channel) {
  const int8_t *const filter = desc->filter;
  const size_t taps = (size_t)desc->filter_h * (size_t)desc->filter_w;
  if (desc->depthwise) return plain_sum(filter + channel, taps, (size_t)desc->out_c);
  const size_t n = taps * (size_t)desc->filter_c;
  const int8_t *const row = filter + channel * n;
  return desc->fully_connected && desc->hybrid == TVMQ_HYBRID_SSE ? sum_in_lanes(row, n) : plain_sum(row, n, 1);
}
