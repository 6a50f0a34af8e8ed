// Integer arithmetic, mostly on sizes, for every layer.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline size_t tvmq_min(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t tvmq_max(size_t a, size_t b) { return a > b ? a : b; }
static inline int64_t tvmq_min_s64(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t tvmq_max_s64(int64_t a, int64_t b) { return a > b ? a : b; }
static inline size_t tvmq_ceil_div(size_t a, size_t b) { return a / b + (a % b != 0); }
static inline size_t tvmq_round_up(size_t a, size_t b) { return tvmq_ceil_div(a, b) * b; }

// Removes the lowest digit in base `n` from a number and returns it. The case n == 1 is common and avoids a slow
// division.
static inline size_t tvmq_take_digit(size_t *number, size_t n) {
  if (n == 1) return 0;
  const size_t digit = *number % n;
  *number /= n;
  return digit;
}

// The following functions return false and leave *out unchanged if the result overflows size_t.
static inline bool tvmq_mul_size(size_t a, size_t b, size_t *out) {
  size_t product;
  if (__builtin_mul_overflow(a, b, &product)) return false;
  *out = product;
  return true;
}

static inline bool tvmq_add_size(size_t a, size_t b, size_t *out) {
  size_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return false;
  *out = sum;
  return true;
}

static inline bool tvmq_round_up_size(size_t a, size_t b, size_t *out) {
  size_t sum;
  if (!tvmq_add_size(a, b - 1, &sum)) return false;
  *out = sum / b * b;
  return true;
}
