#include "cpu/ops/single.h"

#include "base/memory.h"

const char *tvmq_single_plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  (void)env;
  if (!*op) *op = tvmq_alloc(sizeof *desc);
  if (!*op) return "out of memory";
  *(union tvmq_desc *)*op = *desc;
  return NULL;
}

const union tvmq_desc *tvmq_single_desc(const struct tvmq_op *op) { return (const union tvmq_desc *)op; }

size_t tvmq_single_tasks(const struct tvmq_op *op, size_t pass) { return (void)op, pass == 0; }
