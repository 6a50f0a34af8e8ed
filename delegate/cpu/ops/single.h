// Common functions of operators with a single task and no data except their description.
#pragma once

#include "cpu/ops/op.h"

const char *tvmq_single_plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env);
const union tvmq_desc *tvmq_single_desc(const struct tvmq_op *op);
size_t tvmq_single_tasks(const struct tvmq_op *op, size_t pass);
