// Kernels are bodies with constant tile sizes, inlined wherever a variant gives the constants.
#pragma once

#define TVMQ_INLINE static inline __attribute__((always_inline))

// Loops over accumulators are unrolled where they stand, or gcc keeps the accumulators in memory.
#define UNROLL _Pragma("GCC unroll 16")
