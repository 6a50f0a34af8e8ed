// Functions of one element of float32, as they stand between hybrid nodes: those whose results no library of mathematics decides on. Elementwise; threads share
// the elements.
#include "base/memory.h"
#include "ops/claims/claim.h"
#include "ops/cut.h"
#include "plan/select.h"

struct map {
  struct tvmq_cut cut;
  const struct tvmq_variant *variant;
  struct tvmq_float_map_args args;  // but for the tensors
};

static struct tvmq_float_map_args args_of(const struct tvmq_unary_desc *desc) {
  switch (desc->function) {
    case TVMQ_FUNCTION_LEAKY_RELU:
      return (struct tvmq_float_map_args){.mapping = TVMQ_MAP_BEND, .slope = desc->alpha};
    case TVMQ_FUNCTION_ABS:
      return (struct tvmq_float_map_args){.mapping = TVMQ_MAP_ABSOLUTE};
    default:
      return (struct tvmq_float_map_args){.mapping = TVMQ_MAP_HARD_SWISH};
  }
}

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (*op == NULL) *op = tvmq_alloc(sizeof(struct map));
  struct map *m = (struct map *)*op;
  if (m == NULL) return "out of memory";
  const struct tvmq_target target = tvmq_target(env);
  m->variant = tvmq_select_hybrid(TVMQ_FAMILY_FLOAT_MAP, &target);
  m->args = args_of(&desc->unary);
  tvmq_cut_units(&m->cut, desc->unary.n, TVMQ_LINE, (float)desc->unary.n / tvmq_speed_of(m->variant, env->machine).rate, env);
  return NULL;
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct map *m = (const struct map *)op;
  *out = (struct tvmq_op_info){.kernel = m->variant->name, .algorithm = "elementwise", .cycles = m->cut.cycles};
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct map *m = (const struct map *)op;
  const struct tvmq_piece piece = tvmq_cut_piece(&m->cut, task.index);
  struct tvmq_float_map_args args = m->args;
  args.in = (const float *)pass->in[0] + piece.first;
  args.out = (float *)pass->outs[0] + piece.first;
  args.n = piece.n;
  m->variant->fn.float_map(&args);
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_unary(&desc->unary); }

const struct tvmq_op_class tvmq_op_float_map = {.claim = claim, .plan = plan, .n_tasks = tvmq_cut_tasks, .run_task = run_task, .info = info};
