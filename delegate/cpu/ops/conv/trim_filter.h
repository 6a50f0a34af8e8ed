// A filter without the taps that only ever meet padding, which add nothing: maps smaller than the filter leave such at its sides.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "operators/desc.h"
#include "operators/geometry.h"

struct tvmq_trim {
  int32_t filter_h, filter_w;  // of the whole filter
  int32_t top, left;           // rows and columns of it before those that are kept
};

// Takes the taps off the description's filter and what lies before the first kept one off the padding. The weights stay where they are: see below.
struct tvmq_trim tvmq_trim(struct tvmq_conv_desc *desc, struct tvmq_geometry *geometry);

// The weights that are kept, in the filter's order, or with its rows and columns exchanged: the description's own where they are all, and in their order, else
// *copy, which is to be freed by tvmq_free(). NULL: out of memory.
const uint8_t *tvmq_trimmed_filter(const struct tvmq_trim *trim, const struct tvmq_conv_desc *desc, bool transposed, uint8_t **copy);
