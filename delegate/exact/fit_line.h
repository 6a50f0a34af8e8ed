// Finds parameters with which the 16-bit formula of arithmetic/line.h reproduces a table of bytes.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arithmetic/line.h"

// Table that rescales int8 to int8 by multiplier * 2^(shift - 31). wanted[x + 128] is the output for input x.
struct tvmq_byte_table {
  int8_t wanted[256];
  int32_t in_zero_point;
  int32_t multiplier, shift;
};

// Sets *line to parameters that reproduce the table at each of the 256 inputs. Returns false if there are none near the
// rounded real parameters; *line is then undefined. This happens for one in some hundred ratios between 1/8 and 8, and
// for all ratios outside [2^-8, 2^8].
bool tvmq_fit_line(const struct tvmq_byte_table *table, struct tvmq_line *line);
