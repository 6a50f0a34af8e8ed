// Trims a filter: removes the taps that read only padding, and so add nothing. Maps smaller than the filter have such
// taps at its sides.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "operators/desc.h"
#include "operators/geometry.h"

struct tvmq_trim {
  int32_t filter_h, filter_w;  // size of the whole filter
  int32_t top, left;           // rows and columns removed before the kept ones
};

// Removes such taps from the description's filter size, and what precedes the first kept tap from the padding. The
// weights stay in place: see below.
struct tvmq_trim tvmq_trim(struct tvmq_conv_desc *desc, struct tvmq_geometry *geometry);

// Returns the kept weights in the filter's order, or with rows and columns exchanged if `transposed`. Returns the
// description's own weights if all are kept in order, else *copy, which the caller frees with tvmq_free(). Returns NULL
// if out of memory.
const uint8_t *tvmq_trimmed_filter(const struct tvmq_trim *trim, const struct tvmq_conv_desc *desc, bool transposed, uint8_t **copy);
