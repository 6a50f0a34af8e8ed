#include "cpu/ops/cut.h"

#include "base/arith.h"
#include "cpu/plan/blocks.h"

void tvmq_cut_units(struct tvmq_cut *cut, size_t n, size_t granule, float cycles, const struct tvmq_env *env) {
  const size_t of_task = tvmq_round_up(tvmq_ceil_div(n, tvmq_tasks_wanted(env->machine, env->threads, cycles)), granule);
  *cut = (struct tvmq_cut){.n = n, .of_task = of_task, .tasks = n > 0 ? tvmq_ceil_div(n, of_task) : 0, .cycles = cycles};
}

struct tvmq_piece tvmq_cut_piece(const struct tvmq_cut *cut, size_t task) {
  const size_t first = task * cut->of_task;
  return (struct tvmq_piece){.first = first, .n = tvmq_min(cut->n - first, cut->of_task)};
}

size_t tvmq_cut_tasks(const struct tvmq_op *op, size_t pass) { return pass > 0 ? 0 : ((const struct tvmq_cut *)op)->tasks; }
