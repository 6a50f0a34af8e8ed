// Operators of one task that keep nothing but their description: what their implementations have in common.
#pragma once

#include "cpu/ops/op.h"

const char *tvmq_single_plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env);
const union tvmq_desc *tvmq_single_desc(const struct tvmq_op *op);
size_t tvmq_single_tasks(const struct tvmq_op *op, size_t pass);
