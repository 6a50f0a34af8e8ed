#include "ops/elementwise/elements.h"

#include "base/arith.h"
#include "plan/blocks.h"

void tvmq_elements_cut(struct tvmq_elements *elements, size_t n, size_t granule, float cycles, const struct tvmq_env *env) {
  const size_t of_task = tvmq_round_up(tvmq_ceil_div(n, tvmq_tasks_wanted(env->machine, env->threads, cycles)), granule);
  *elements = (struct tvmq_elements){.n = n, .of_task = of_task, .tasks = n > 0 ? tvmq_ceil_div(n, of_task) : 0, .cycles = cycles};
}

struct tvmq_piece tvmq_elements_of(const struct tvmq_elements *elements, struct tvmq_task task) {
  const size_t first = task.index * elements->of_task;
  return (struct tvmq_piece){.first = first, .n = tvmq_min(elements->n - first, elements->of_task)};
}

size_t tvmq_elements_tasks(const struct tvmq_op *op, size_t pass) { return pass > 0 ? 0 : ((const struct tvmq_elements *)op)->tasks; }
