// The list of kernel variants (variants.def) as an array.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/kernel.h"

extern const struct tvmq_variant tvmq_variants[];
extern const size_t tvmq_n_variants;
enum { TVMQ_MOST_VARIANTS = 320 };

extern const uint32_t tvmq_built;  // features that kernels were built for: rows that need others have no function

// Whether the kernel can run on a processor with these features. A function's member of the union says it for all.
static inline bool tvmq_runs_on(const struct tvmq_variant *variant, uint32_t cpu) { return variant->fn.gemm != NULL && (variant->cpu & ~cpu) == 0; }
