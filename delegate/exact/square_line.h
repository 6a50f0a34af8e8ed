// Float form of the output stage for squares.
#pragma once

#include "arithmetic/mul.h"

// Converts multiplier and shift to float form if a linear function gives the same results as fixed point. The
// results must agree for the squares of all differences up to `most`.
void tvmq_square_line(struct tvmq_mul_args *args, int32_t most);
