// Maps each operator to the CPU's implementation of the same name.
#include "cpu/ops/op.h"

#define ROW(name) {&tvmq_operator_##name, &tvmq_op_##name},
static const struct {
  const struct tvmq_operator *op_def;
  const struct tvmq_implementation *implementation;
} rows[] = {TVMQ_EACH_OPERATOR(ROW)};

// Every operator that is declared is in the list.
const struct tvmq_implementation *tvmq_implementation_of(const struct tvmq_operator *op_def) {
  size_t i = 0;
  while (rows[i].op_def != op_def) i++;
  return rows[i].implementation;
}
