// Throughput of a kernel on a shape, as a row of a table.
#pragma once

#include "cpu/plan/select.h"

// Times `call(context)` and prints work done per nanosecond (multiply-accumulates; elements of quantize, bytes of row sums, outputs of average pool), and
// the ratio to the portable variant of the same family, types and shape, which is benched first.
void check_bench(const struct tvmq_variant *variant, const char *shape, double work, void (*call)(void *context), void *context);

// Keeps rows from being printed; they are still compared with.
void check_bench_quiet(bool quiet);

// Has check_bench() time nothing: it makes `calls` calls and prints name, shape and work with tabs between, for emulators that count instructions. `shape` is
// the only one to be called and printed; NULL: all.
void check_bench_counted(int calls, const char *shape);

// Panels of random weights with shifts that keep every invariant of a stage, in float or fused form where the kernel takes it; biases are zero, or the bits of
// 2^23.
void check_bench_panels(const struct tvmq_variant *variant, const struct tvmq_panel *parts, size_t n, void *panels);
