// CAST: converts integers to another integer type, keeping the low bits, or to float32, rounded to nearest.
// Elementwise; threads divide the elements.
#include "base/memory.h"
#include "cpu/ops/cut.h"
#include "operators/cast.h"

struct cast {
  struct tvmq_cut cut;
  struct tvmq_cast_desc desc;
};

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (!*op) *op = tvmq_alloc(sizeof(struct cast));
  struct cast *c = (struct cast *)*op;
  if (!c) return "out of memory";
  c->desc = desc->cast;
  tvmq_cut_units(&c->cut, c->desc.n, TVMQ_LINE, (float)c->desc.n, env);
  return NULL;
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  *out = (struct tvmq_op_info){.kernel = "", .algorithm = "elementwise", .cycles = ((const struct cast *)op)->cut.cycles};
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct cast *c = (const struct cast *)op;
  const struct tvmq_piece piece = tvmq_cut_piece(&c->cut, task.index);
  tvmq_cast(&c->desc, pass->in[0], pass->outs[0], piece.first, piece.n);
}

const struct tvmq_implementation tvmq_op_cast = {.n_tasks = tvmq_cut_tasks, .run_task = run_task, TVMQ_PLANNING(.plan = plan, .info = info)};
