// Sums of weights as hybrid kernels compute them: by way of SSE in lanes of int16 that wrap, of rows of every length.
#include <stdint.h>
#include <string.h>

#include "cpu/ops/hybrid/weight_sums.h"
#include "support/random.h"
#include "unit.h"

enum { MOST = 2200, ROWS = 3 };

static int8_t weights[ROWS * MOST];

// x as int16 has it: the number of the same rest modulo 2^16.
static int64_t wrapped(int64_t x) {
  while (x > INT16_MAX) x -= 1 << 16;
  while (x < INT16_MIN) x += 1 << 16;
  return x;
}

// In which lane the weight i of a row of n is added; -1: in none.
static int lane_of(size_t i, size_t n) { return i < n / 16 * 16 ? (int)(i % 16 / 2) : i < n / 8 * 8 ? (int)(i % 8) : -1; }

static int32_t expected(const int8_t *row, size_t n, bool wraps) {
  int64_t lanes[8] = {0}, rest = 0;
  for (size_t i = 0; i < n; i++) *(lane_of(i, n) < 0 ? &rest : &lanes[lane_of(i, n)]) += row[i];
  for (int l = 0; l < 8; l++) rest += wraps ? wrapped(lanes[l]) : lanes[l];
  return (int32_t)rest;
}

static struct tvmq_conv_desc describe(enum tvmq_hybrid hybrid, size_t n) {
  return (struct tvmq_conv_desc){
      .fully_connected = true, .hybrid = hybrid, .filter_h = 1, .filter_w = 1, .filter_c = (int32_t)n, .out_c = ROWS, .filter = weights};
}

static void check_length(size_t n, const char *what) {
  const enum tvmq_hybrid kinds[] = {TVMQ_HYBRID_NEON, TVMQ_HYBRID_SSE, TVMQ_HYBRID_PORTABLE};
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    const struct tvmq_conv_desc desc = describe(kinds[k], n);
    for (size_t row = 0; row < ROWS; row++) {
      const int32_t got = tvmq_hybrid_weight_sum(&desc, row), wanted = expected(weights + row * n, n, kinds[k] == TVMQ_HYBRID_SSE);
      CHECK(got == wanted, "%zu weights, %s, kind %d, row %zu: got %d, want %d", n, what, (int)kinds[k], row, got, wanted);
    }
  }
}

// Sums of convolutions are exact, whatever the helpers do.
static void check_convolutions(void) {
  memset(weights, 127, sizeof weights);
  struct tvmq_conv_desc desc = describe(TVMQ_HYBRID_SSE, MOST);
  desc.fully_connected = false;
  CHECK(tvmq_hybrid_weight_sum(&desc, 1) == 127 * MOST, "CONV_2D");
  desc.filter_h = desc.filter_w = 30;
  desc.depthwise = true;
  desc.filter_c = 1;
  CHECK(tvmq_hybrid_weight_sum(&desc, 1) == 127 * 900, "DEPTHWISE_CONV_2D");
}

int main(void) {
  check_random_seed(1, "weight_sums");
  for (size_t n = 1; n <= MOST; n += n < 40 || n > 2040 ? 1 : 97) {
    memset(weights, 127, sizeof weights);
    check_length(n, "all 127");
    memset(weights, -127, sizeof weights);
    check_length(n, "all -127");
    for (size_t i = 0; i < sizeof weights; i++) weights[i] = (int8_t)(i % 16 < 2 ? 127 : check_between(-127, 127));
    check_length(n, "one lane of 127");
  }
  check_convolutions();
  return unit_report();
}
