// A line in float32 by one fused multiply-add, for kernels that take panels in fused form (TVMQ_FUSED_STAGE).
//
// Accumulators that begin high enough are float32 numbers between 2^23 and 2^24 by their bits alone, with nothing converted: in this binade the last bit counts
// one. A fused multiply-add with an addend that brings the product into the same binade rounds it to a whole number, ties to even, and leaves the result in the
// lowest bits. Such an addend is a whole number itself, so that it is the accumulators' beginning that the intercept's fraction has to come from: of the
// millions of beginnings there are, one whose product with the slope has it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct tvmq_fused_line {
  int32_t lift;  // added to every accumulator
  float addend;  // fma(slope, accumulator + lift, addend) = TVMQ_FUSED_ZERO + result
};

// Results count from here, the middle of the binade, of which the lowest 16 bits are 0.
#define TVMQ_FUSED_ZERO 0x1.8p23f

// The least and the greatest accumulator lie less than this apart: the binade has no more numbers.
enum { TVMQ_FUSED_ACCUMULATORS = 1 << 23 };

// Finds the line of this slope for accumulators from `lo` to `hi`, with an intercept from `least` to `most`. False: there is none, or the slope is below 2^-15
// or above 1, or accumulators are beyond 2^30.
bool tvmq_fuse_line(float slope, double least, double most, int64_t lo, int64_t hi, struct tvmq_fused_line *line);

// The line that gives `value` to all accumulators, of which `lo` is the least.
static inline struct tvmq_fused_line tvmq_fused_level(int32_t value, int32_t lo) {
  return (struct tvmq_fused_line){.lift = (1 << 23) - lo, .addend = TVMQ_FUSED_ZERO + (float)value};
}

// Returns a constant. An accumulator plus this constant, modulo 2^32, has the bits of the float32 number
// accumulator + lift.
static inline int32_t tvmq_fused_bits(const struct tvmq_fused_line *line) { return (int32_t)((uint32_t)line->lift + 0x4b000000u - (1u << 23)); }
