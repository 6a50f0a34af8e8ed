// Algorithm Winograd (conv.h).
#pragma once

#include "cpu/ops/conv/conv.h"

extern const struct tvmq_conv_algorithm tvmq_conv_by_winograd;

// Runs a task, as tvmq_conv_run_fn.
void tvmq_conv_run_winograd(const struct tvmq_conv *conv, const struct tvmq_pass *pass, struct tvmq_task task);
