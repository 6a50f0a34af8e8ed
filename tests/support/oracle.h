// The standard that kernels are measured against: exact integers and rational numbers, written from the definitions and sharing no code with the delegate.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/kernel.h"

// Element i of a tensor of integers.
int32_t oracle_load(enum tvmq_type type, const void *tensor, size_t i);

// sum / taps to the nearest integer; ties away from zero for int8 and int16, up for uint8.
int32_t oracle_mean(enum tvmq_type type, int64_t sum, int64_t taps);

// x * multiplier * 2^(shift - 31) rounded to an integer, for 32-bit accumulators:
//   REFERENCE  x * 2^shift modulo 2^32 if shift > 0; times multiplier / 2^31 to the nearest, ties up, saturated; over 2^-shift if shift < 0 to the nearest,
//              ties away from zero
//   UPWARD     the same, but both ties up
//   SINGLE     one rounding of the exact product, ties up, modulo 2^32
int32_t oracle_round_s32(enum tvmq_rounding rounding, int32_t x, int32_t multiplier, int32_t shift);

// The same for 64-bit accumulators (16x8) in every mode: the multiplier is first rounded to 15 bits (ties up, at most 2^15 - 1); one rounding of the exact
// product with that, ties up, modulo 2^32.
int32_t oracle_round_s64(int64_t x, int32_t multiplier, int32_t shift);

// x / scale, or x * inverse, in float32, to the nearest integer, ties away from zero; beyond int32 as the machine converts.
int32_t oracle_quantize_f32(float x, float scale);
int32_t oracle_multiply_f32(float x, float inverse);

// real = multiplier * 2^(shift - 31), multiplier in [2^30, 2^31); below 2^-32, for 0 and for infinity both are 0.
void oracle_fixed_point(double real, int32_t *multiplier, int32_t *shift);

// Sum of x[i] * w[i].
int64_t oracle_dot(const int32_t *x, const int32_t *w, size_t n);

// Low 32 bits as a signed number.
int32_t oracle_wrap(__int128 x);

// GELU of float32: x/2 erfc(-x / sqrt 2), or by_tanh x/2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))). packets: with Eigen's approximations of degrees 9 and 8,
// else with erfcf and those of degrees 13 and 6. alone: an element whose exponential is expf's.
float oracle_gelu(float x, bool by_tanh, bool packets, bool alone);
