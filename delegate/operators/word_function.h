// Functions of int16 as maps (arithmetic/word_map.h).
#pragma once

#include "arithmetic/word_map.h"
#include "operators/desc.h"

// Sets *map to the function by the reference's own formula. Returns NULL, or why the result is not known (static
// string). If `map` is NULL, only the reason is returned. Scales must be valid and zero points 0, and the function none that rescales (tvmq_unary_line()).
const char *tvmq_unary_words(const struct tvmq_unary_desc *desc, struct tvmq_word_map *map);
