// Whether the 16-bit formula of arithmetic/line.h gives a table of bytes.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arithmetic/line.h"

// A table that rescales by multiplier * 2^(shift - 31), as int8 to int8: wanted[x + 128] is what x becomes.
struct tvmq_byte_table {
  int8_t wanted[256];
  int32_t in_zero_point;
  int32_t multiplier, shift;
};

// Sets *line to parameters that give the table at each of the 256 inputs. False: there are none near the obvious ones, as for one in some hundred of ratios
// between 1/8 and 8, and for ratios beyond 2^-8 and 2^8; *line is then of no use.
bool tvmq_fit_line(const struct tvmq_byte_table *table, struct tvmq_line *line);
