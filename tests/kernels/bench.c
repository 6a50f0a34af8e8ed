#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "exact/float_stage.h"
#include "exact/fused_line.h"
#include "support/random.h"

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double time_calls(int n, void (*call)(void *), void *context) {
  const double start = now_ns();
  for (int i = 0; i < n; i++) call(context);
  return now_ns() - start;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Samples long enough for the clock; interrupts and cold caches only ever add time, so the slower half is dropped.
static double ns_per_call(void (*call)(void *), void *context) {
  enum { SAMPLES = 64, MIN_SAMPLE_NS = 200000 };
  int n = 1;
  while (time_calls(n, call, context) < MIN_SAMPLE_NS) n *= 2;
  double samples[SAMPLES], sum = 0;
  for (int i = 0; i < SAMPLES; i++) samples[i] = time_calls(n, call, context) / n;
  qsort(samples, SAMPLES, sizeof samples[0], by_value);
  for (int i = 0; i < SAMPLES / 2; i++) sum += samples[i];
  return sum / (SAMPLES / 2);
}

static bool is_quiet;
void check_bench_quiet(bool quiet) { is_quiet = quiet; }

static struct {
  bool wanted;
  int calls;
  const char *shape;
} counted;

void check_bench_counted(int calls, const char *shape) {
  counted.wanted = true;
  counted.calls = calls;
  counted.shape = shape;
}

// The speed that the portable variant of each family, type and shape reached.
static struct {
  char key[96];
  double rate;
} firsts[256];

static double first_rate(const struct tvmq_variant *variant, const char *shape, double rate) {
  char key[sizeof firsts[0].key];
  snprintf(key, sizeof key, "%d %d %d %d %s", variant->family, variant->layout.acc_bytes, variant->in_type, variant->out_type, shape);
  size_t i = 0;
  while (i < sizeof firsts / sizeof firsts[0] - 1 && firsts[i].key[0] && strcmp(firsts[i].key, key) != 0) i++;
  if (strcmp(firsts[i].key, key) != 0) {
    strcpy(firsts[i].key, key);
    firsts[i].rate = rate;
  }
  return firsts[i].rate;
}

void check_bench(const struct tvmq_variant *variant, const char *shape, double work, void (*call)(void *context), void *context) {
  if (counted.wanted) {
    if (counted.shape && strcmp(counted.shape, shape) != 0) return;
    for (int i = 0; i < counted.calls; i++) call(context);
    printf("%s\t%s\t%.0f\n", variant->name, shape, work);
    return;
  }
  const double rate = work / ns_per_call(call, context);
  const double first = first_rate(variant, shape, rate);
  if (is_quiet) return;
  printf("  %-44s %-36s %9.3f %8.2fx\n", variant->name, shape, rate, rate / first);
  fflush(stdout);
}

void check_bench_panels(const struct tvmq_variant *variant, const struct tvmq_panel *parts, size_t n, void *panels) {
  const enum tvmq_form form = tvmq_form_of(variant);
  const float two_to_23 = 0x1p23f;
  for (size_t i = 0; i < n; i++) {
    uint8_t *panel = (uint8_t *)panels + i * parts->size;
    check_random_bytes(panel, parts->size);
    memset(panel, 0, parts->weights);
    for (size_t c = 0; c < variant->layout.nr && form == TVMQ_FORM_FUSED; c++) memcpy(panel + c * sizeof two_to_23, &two_to_23, sizeof two_to_23);
    for (size_t c = 0; c < variant->layout.nr; c++) {
      const int32_t multiplier = (int32_t)check_between(1 << 30, INT32_MAX), shift = -9;
      const float line[] = {-ldexpf((float)multiplier, shift - 31), form == TVMQ_FORM_FUSED ? TVMQ_FUSED_ZERO : 0};
      memcpy(panel + parts->multiplier + c * sizeof multiplier, form != TVMQ_FORM_FIXED ? (const void *)&line[0] : &multiplier, sizeof multiplier);
      memcpy(panel + parts->shift + c * sizeof shift, form != TVMQ_FORM_FIXED ? (const void *)&line[1] : &shift, sizeof shift);
    }
  }
}
