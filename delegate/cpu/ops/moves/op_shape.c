// SHAPE: the dimensions of a tensor, regardless of its values. They are nearly always known before an inference, and
// then no node reads the output.
#include "cpu/ops/single.h"

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  (void)op;
  *out = (struct tvmq_op_info){.kernel = "", .algorithm = "constant"};
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  (void)task;
  tvmq_operator_shape.evaluate(tvmq_single_desc(op), NULL, pass->outs);
}

const struct tvmq_implementation tvmq_op_shape = {.n_tasks = tvmq_single_tasks, .run_task = run_task, TVMQ_PLANNING(.plan = tvmq_single_plan, .info = info)};
