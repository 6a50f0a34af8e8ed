// Float form of the output stage for squares.
#pragma once

#include "arithmetic/mul.h"

// Converts multiplier and shift to float form if a linear function gives the same result as fixed point for the square
// of every difference up to `most`.
void tvmq_square_line(struct tvmq_mul_args *args, int32_t most);
