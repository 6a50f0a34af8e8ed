// CAST: integers of one type to another, of which low bits stay, or to float32, rounded to nearest.
#pragma once

#include <stddef.h>

#include "operators/desc.h"

// Converts `n` elements from the first on.
void tvmq_cast(const struct tvmq_cast_desc *desc, const void *in, void *out, size_t first, size_t n);
