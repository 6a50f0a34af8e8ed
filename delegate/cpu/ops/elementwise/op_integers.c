// ADD, SUB and MUL of int32 and int64, which graphs use to compute shapes: few elements, in a single task. Results
// wrap, as in the reference.
#include "cpu/ops/single.h"
#include "operators/integers.h"

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  (void)op;
  *out = (struct tvmq_op_info){.kernel = "", .algorithm = "integers"};
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  (void)task;
  tvmq_integers(&tvmq_single_desc(op)->binary, (const void *const[2]){pass->in[0], pass->in[1]}, pass->outs[0]);
}

const struct tvmq_implementation tvmq_op_integers = {.n_tasks = tvmq_single_tasks, .run_task = run_task, TVMQ_PLANNING(.plan = tvmq_single_plan, .info = info)};
