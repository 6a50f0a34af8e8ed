// The float form of the output stage of squares.
#pragma once

#include "arithmetic/mul.h"

// Puts multiplier and shift into float form if a line gives the square of every difference up to `most` the result that
// it has in fixed point.
void tvmq_square_line(struct tvmq_mul_args *args, int32_t most);
