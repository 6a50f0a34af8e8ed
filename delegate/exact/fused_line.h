// Linear function in float32 by one fused multiply-add, for kernels that accept panels in fused form
// (TVMQ_FUSED_STAGE).
//
// If accumulators are lifted far enough, their bits are float32 numbers between 2^23 and 2^24, without a conversion: in
// this binade the last bit counts 1. A fused multiply-add, whose addend brings the product into the same binade, rounds
// the sum to an integer, ties to even. The result is in the lowest bits. Such an addend is an integer itself, so the
// fraction of the intercept must come from the lift. Among millions of possible lifts, the search finds one whose
// product with the slope has that fraction.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct tvmq_fused_line {
  int32_t lift;  // added to every accumulator
  float addend;  // fma(slope, accumulator + lift, addend) = TVMQ_FUSED_ZERO + result
};

// Float32 number of result 0: the middle of the binade, whose lowest 16 bits are 0.
#define TVMQ_FUSED_ZERO 0x1.8p23f

// The greatest accumulator minus the least must be below this number, because the binade has no more numbers.
enum { TVMQ_FUSED_ACCUMULATORS = 1 << 23 };

// Finds a line with the given slope for accumulators from `lo` to `hi`, with an intercept from `least` to `most`.
// Returns false if there is none, if the slope is below 2^-15 or above 1, or if an accumulator exceeds 2^30 in size.
bool tvmq_fuse_line(float slope, double least, double most, int64_t lo, int64_t hi, struct tvmq_fused_line *line);

// Returns the line of slope 0 that gives `value` for all accumulators; `lo` is the least accumulator.
static inline struct tvmq_fused_line tvmq_fused_level(int32_t value, int32_t lo) {
  return (struct tvmq_fused_line){.lift = (1 << 23) - lo, .addend = TVMQ_FUSED_ZERO + (float)value};
}

// Returns a constant. An accumulator plus this constant, modulo 2^32, has the bits of the float32 number
// accumulator + lift.
static inline int32_t tvmq_fused_bits(const struct tvmq_fused_line *line) { return (int32_t)((uint32_t)line->lift + 0x4b000000u - (1u << 23)); }
