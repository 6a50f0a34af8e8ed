// Algorithms with kernels that take pointers to the rows of A (conv.h).
#pragma once

#include "cpu/ops/conv/conv.h"

extern const struct tvmq_conv_algorithm tvmq_conv_by_table, tvmq_conv_by_im2col;

// Runs a task, as tvmq_conv_run_fn: a single tile whose rows are pixels.
void tvmq_conv_run_single(const struct tvmq_conv *conv, const struct tvmq_pass *pass, struct tvmq_task task);
