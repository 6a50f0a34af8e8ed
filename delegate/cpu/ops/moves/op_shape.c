// SHAPE: the dimensions of a tensor, whatever is in it. They are nearly always known before anything runs, and then nobody reads the output.
#include "cpu/ops/single.h"
#include "operators/claims/claim.h"

static void write_dims(const struct tvmq_shape_desc *desc, void *out) {
  for (int d = 0; d < desc->rank; d++) {
    if (desc->out_type == TVMQ_TYPE_S64) {
      ((int64_t *)out)[d] = desc->dims[d];
    } else {
      ((int32_t *)out)[d] = desc->dims[d];
    }
  }
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  (void)op;
  *out = (struct tvmq_op_info){.kernel = "", .algorithm = "constant"};
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  (void)task;
  write_dims(&tvmq_single_desc(op)->shape, pass->outs[0]);
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_shape(&desc->shape); }

static bool evaluate(const union tvmq_desc *desc, const void *const in[], void *const outs[]) {
  (void)in;
  write_dims(&desc->shape, outs[0]);
  return true;
}

const struct tvmq_op_class tvmq_op_shape = {.claim = claim,
                                            .plan = tvmq_single_plan,
                                            .n_tasks = tvmq_single_tasks,
                                            .run_task = run_task,
                                            .info = info,
                                            .evaluate = evaluate,
                                            .light = TVMQ_LIGHT("tells a shape")};
