#include "measure/draws.h"

#include <stdint.h>
#include <string.h>

// SplitMix64: has a single state, and any initial state is good.
static uint64_t draw(uint64_t *state) {
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

enum { SEED_WEIGHTS = 1, SEED_BIASES, SEED_INPUTS };

void tvmq_draw_weights(void *weights, size_t n, bool is_unsigned, bool least) {
  uint64_t state = SEED_WEIGHTS;
  uint8_t *bytes = weights;
  for (size_t i = 0; i < n; i++) {
    const uint64_t bits = draw(&state);
    const int sum = (int)(bits & 63) + (int)(bits >> 8 & 63) + (int)(bits >> 16 & 63) + (int)(bits >> 24 & 63) - 126;  // -126 to 126
    bytes[i] = (uint8_t)(is_unsigned ? sum + 128 : sum);
  }
  if (least && n > 0) bytes[0] = is_unsigned ? 0 : (uint8_t)INT8_MIN;
}

void tvmq_draw_biases(void *biases, size_t n, size_t bytes) {
  uint64_t state = SEED_BIASES;
  for (size_t i = 0; i < n; i++) {
    const int64_t wide = (int64_t)(draw(&state) & 8191) - 4096;
    const int32_t narrow = (int32_t)wide;
    memcpy((uint8_t *)biases + i * bytes, bytes == sizeof wide ? (const void *)&wide : (const void *)&narrow, bytes);
  }
}

void tvmq_draw_input(void *input, size_t bytes, bool floats, int number) {
  uint64_t state = SEED_INPUTS + (uint64_t)number;
  for (size_t at = 0; at < bytes; at += sizeof(uint64_t)) {
    const uint64_t bits = draw(&state);
    const float values[2] = {(float)(int32_t)(bits >> 32) * 0x1p-29f, (float)(int32_t)bits * 0x1p-29f};
    memcpy((uint8_t *)input + at, floats ? (const void *)values : (const void *)&bits, bytes - at < sizeof bits ? bytes - at : sizeof bits);
  }
}
