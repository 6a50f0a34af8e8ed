// Vectors of the compiler's own, interleaved: for elements of one to eight bytes, in vectors of sixteen, the lower halves of two vectors and the upper ones.
#pragma once

#include <stdint.h>

#ifdef __clang__
#define TVMQ_SHUFFLE(bits, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
typedef uint8_t tvmq_places_8 __attribute__((vector_size(16)));
typedef uint16_t tvmq_places_16 __attribute__((vector_size(16)));
typedef uint32_t tvmq_places_32 __attribute__((vector_size(16)));
typedef uint64_t tvmq_places_64 __attribute__((vector_size(16)));
#define TVMQ_SHUFFLE(bits, a, b, ...) __builtin_shuffle(a, b, (tvmq_places_##bits){__VA_ARGS__})
#endif
#define TVMQ_LOW_1(a, b) TVMQ_SHUFFLE(8, a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define TVMQ_HIGH_1(a, b) TVMQ_SHUFFLE(8, a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define TVMQ_LOW_2(a, b) TVMQ_SHUFFLE(16, a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define TVMQ_HIGH_2(a, b) TVMQ_SHUFFLE(16, a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define TVMQ_LOW_4(a, b) TVMQ_SHUFFLE(32, a, b, 0, 4, 1, 5)
#define TVMQ_HIGH_4(a, b) TVMQ_SHUFFLE(32, a, b, 2, 6, 3, 7)
#define TVMQ_LOW_8(a, b) TVMQ_SHUFFLE(64, a, b, 0, 2)
#define TVMQ_HIGH_8(a, b) TVMQ_SHUFFLE(64, a, b, 1, 3)
