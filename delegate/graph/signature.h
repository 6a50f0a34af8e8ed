// Signature of a node: a text with everything that determines the choice of its computation. Nodes with equal
// signatures have the same candidates, which take the same time.
#pragma once

#include "cpu/ops/op.h"
#include "records/records.h"

// Writes the signature of a node called `op`, with operator `op_def`, planned for `desc`. Writes "" if there is no
// choice.
void tvmq_sign(const char *op, const struct tvmq_operator *op_def, const union tvmq_desc *desc, const struct tvmq_env *env, char text[TVMQ_TASK_SIZE]);
