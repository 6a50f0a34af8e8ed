// Throughput of a kernel on a shape, as a row of a table.
#pragma once

#include "../../delegate/kernels/select.h"

// Times `call(context)` and prints work done per nanosecond (multiply-accumulates, or elements for requantize), and the ratio to the first variant benched with
// the same family, accumulator and shape: the portable one, as the list begins with it.
void check_bench(const struct tvmq_variant *variant, const char *shape, double work, void (*call)(void *context), void *context);

// Panels of random weights with zero bias and shifts that keep every promise of a stage.
void check_bench_panels(const struct tvmq_layout *layout, const struct tvmq_panel *parts, size_t n, void *panels);
