// SOFTMAX of float32. A task computes several rows.
#include "base/memory.h"
#include "cpu/ops/cut.h"
#include "cpu/plan/library.h"

struct softmax {
  struct tvmq_cut cut;  // rows
  const struct tvmq_variant *variant;
  struct tvmq_float_softmax_args args;  // the kernel's arguments without tensors and rows
};

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  const struct tvmq_softmax_desc *d = &desc->softmax;
  if (*op == NULL) *op = tvmq_alloc(sizeof(struct softmax));
  struct softmax *s = (struct softmax *)*op;
  if (s == NULL) return "out of memory";
  const struct tvmq_target target = tvmq_target(env);
  s->variant = tvmq_select_float_softmax(&target);
  s->args = (struct tvmq_float_softmax_args){.depth = d->depth, .beta = d->beta, .exp = tvmq_library_function(TVMQ_FLOAT_EXP), .doubt = TVMQ_FLOAT_DOUBT};
  tvmq_cut_units(&s->cut, d->rows, 1, (float)d->rows * (float)d->depth / tvmq_speed_of(s->variant, env->machine).rate, env);
  return NULL;
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct softmax *s = (const struct softmax *)op;
  *out = (struct tvmq_op_info){.kernel = s->variant->name, .algorithm = "rows", .cycles = s->cut.cycles};
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct softmax *s = (const struct softmax *)op;
  const struct tvmq_piece rows = tvmq_cut_piece(&s->cut, task.index);
  struct tvmq_float_softmax_args args = s->args;
  args.in = (const float *)pass->in[0] + rows.first * args.depth;
  args.out = (float *)pass->outs[0] + rows.first * args.depth;
  args.rows = rows.n;
  s->variant->fn.float_softmax(&args);
}

const struct tvmq_implementation tvmq_op_float_softmax = {.n_tasks = tvmq_cut_tasks, .run_task = run_task, TVMQ_PLANNING(.plan = plan, .info = info)};
