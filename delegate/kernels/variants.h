// The list of kernel variants (variants.def) as an array.
#pragma once

#include <stddef.h>

#include "kernels/kernel.h"

extern const struct tvmq_variant tvmq_variants[];
extern const size_t tvmq_n_variants;
