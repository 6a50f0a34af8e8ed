// The signature of a node says in words what it is to the choice of its computation: nodes of equal signatures have the same candidates, which take the same
// time.
#pragma once

#include "cpu/ops/op.h"
#include "records/records.h"

// Writes the signature of a node called `op` with that operator, planned for `desc`: "" if it leaves no choice.
void tvmq_sign(const char *op, const struct tvmq_operator *op_def, const union tvmq_desc *desc, const struct tvmq_env *env, char text[TVMQ_TASK_SIZE]);
