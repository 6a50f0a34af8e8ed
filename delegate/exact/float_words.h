// Functions of int16 that the reference interpolates in a table of 513 entries, which it computes in float32.
#pragma once

#include <stdbool.h>

#include "arithmetic/word_map.h"

enum tvmq_word_function { TVMQ_WORDS_GELU, TVMQ_WORDS_GELU_TANH, TVMQ_WORDS_EXP, TVMQ_WORDS_LOG, TVMQ_WORDS_RSQRT };

// How the compiler of the runtime rounds sums with a product.
enum tvmq_contraction {
  TVMQ_CONTRACTION_UNKNOWN,
  TVMQ_CONTRACTION_NONE,       // the product first
  TVMQ_CONTRACTION_EXPRESSION  // once, if both are in one expression
};

// Sets *map, unless it is NULL, to the function between tensors with these scales, with the math library of the process, as the reference
// uses it. Returns NULL, or why the reference's table is not known (static string).
const char *tvmq_word_function_map(enum tvmq_word_function function, float in_scale, float out_scale, enum tvmq_contraction contraction,
                                   struct tvmq_word_map *map);
