// Inlining of kernel bodies. Each variant inlines a shared body with its own constant tile size.
#pragma once

#define TVMQ_INLINE static inline __attribute__((always_inline))

// Unrolls loops over accumulators. Compilers keep an array of vectors in registers only if every index is a constant.
#define UNROLL _Pragma("GCC unroll 24")
