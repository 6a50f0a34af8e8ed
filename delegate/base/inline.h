// Kernels are bodies with constant tile sizes, inlined wherever a variant gives the constants.
#pragma once

#define TVMQ_INLINE static inline __attribute__((always_inline))

// For loops over accumulators: arrays of vectors are registers only where every index is a constant.
#define UNROLL _Pragma("GCC unroll 24")
