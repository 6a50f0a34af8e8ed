// Output size and padding of a convolution, in integers, overflow-checked, as TFLite computes them.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "desc.h"

struct tvmq_geometry {
  int32_t out_h, out_w;
  int32_t pad_top, pad_left;  // never negative: SAME padding that comes out negative is clamped to 0
};

// Fills *geometry. Returns NULL, or the reason why the shape cannot be (static string).
const char *tvmq_geometry(const struct tvmq_conv_desc *desc, struct tvmq_geometry *geometry);
