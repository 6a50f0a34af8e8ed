// CAST: converts integers to another integer type, keeping the low bits, or to float32, rounded to nearest.
#pragma once

#include <stddef.h>

#include "operators/desc.h"

// Converts `n` elements, beginning with element `first`.
void tvmq_cast(const struct tvmq_cast_desc *desc, const void *in, void *out, size_t first, size_t n);
