// The pairs listed are those near a multiple, each once.
#include <stdlib.h>

#include "exact/near_pairs.h"
#include "unit.h"

static void check(const int32_t multiplier[2], int64_t constant, int32_t shift, int32_t reach) {
  static uint8_t listed[TVMQ_N_BYTES][TVMQ_N_BYTES];
  memset(listed, 0, sizeof listed);
  struct tvmq_near_pairs pairs;
  tvmq_near_pairs(multiplier, constant, shift, reach, &pairs);
  for (int32_t a, b; tvmq_next_pair(&pairs, &a, &b);) listed[a][b]++;
  const int64_t modulus = INT64_C(1) << shift;
  int wrong = 0;
  for (int64_t a = 0; a < TVMQ_N_BYTES; a++) {
    for (int64_t b = 0; b < TVMQ_N_BYTES; b++) {
      const int64_t rest = llabs(a * multiplier[0] + b * multiplier[1] + constant) % modulus;
      wrong += listed[a][b] != (rest <= reach || rest >= modulus - reach);
    }
  }
  CHECK(wrong == 0, "a * %d + b * %d + %lld within %d of a multiple of 2^%d: %d pairs", multiplier[0], multiplier[1], (long long)constant, reach, shift, wrong);
}

int main(void) {
  unsigned long long state = 1;
  for (int i = 0; i < 300; i++) {
    const int32_t shift = 1 + (int32_t)(unit_random(&state) % 24), half = 1 << (shift - 1);
    int32_t multiplier[2] = {(int32_t)(unit_random(&state) % (1u << 23)), (int32_t)(unit_random(&state) % (i % 3 ? 1u << 23 : 3))};
    if (i % 5 < 2) multiplier[i % 5] *= -1;
    const int64_t constant = (int64_t)(unit_random(&state) >> 32) - INT32_MAX;
    check(multiplier, constant, shift, i % 4 == 0 ? half : (int32_t)(unit_random(&state) % (unsigned)half) >> (i % 8));
  }
  const int32_t alike[2] = {1 << 21, 1 << 21}, none[2] = {0, 0};
  check(alike, 1 << 20, 22, 1000);
  check(none, 0, 22, 0);
  check(none, 1 << 21, 22, 1000);
  return unit_report();
}
