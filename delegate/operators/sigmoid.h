// LOGISTIC and TANH of int16 in fixed point, by interpolation in a table of the logistic function.
#pragma once

#include "arithmetic/word_map.h"
#include "operators/desc.h"

// Sets *map, unless it is NULL. Returns NULL, or why the reference's formula is undefined for the scale (static string). The description
// must be LOGISTIC or TANH with a valid scale.
const char *tvmq_sigmoid_map(const struct tvmq_unary_desc *desc, struct tvmq_word_map *map);
