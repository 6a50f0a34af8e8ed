// SOFTMAX. A task computes several rows. For bytes, a table of 256 exponentials replaces everything except the sums.
// int16 uses tables of its own and no kernel.
#include "base/memory.h"
#include "cpu/ops/cut.h"
#include "cpu/ops/reduce/softmax_s16.h"
#include "cpu/plan/select.h"
#include "exact/softmax_exps.h"
#include "operators/softmax_scale.h"

struct softmax {
  struct tvmq_cut cut;  // rows
  struct tvmq_softmax_desc desc;
  const struct tvmq_variant *variant;  // NULL: int16
  int32_t exps[TVMQ_SOFTMAX_EXPS], least_difference;
  struct tvmq_softmax_s16 wide;  // int16 only
};

static const char *plan_bytes(struct softmax *s, const struct tvmq_env *env) {
  const struct tvmq_target target = tvmq_target(env);
  struct tvmq_scale scale;
  s->variant = tvmq_select_softmax(tvmq_kernel_type(s->desc.out_type), s->desc.rows * s->desc.depth, &target);
  if (!s->variant) return "no kernel for this combination of types";
  if (!tvmq_softmax_scale(&s->desc, &scale.multiplier, &scale.shift)) return "beta x input scale is out of range";
  s->least_difference = tvmq_softmax_exps(scale.multiplier, scale.shift, s->exps);
  return NULL;
}

static const char *plan_wide(struct softmax *s, const struct tvmq_env *env) {
  s->wide.rounding = env->rounding;
  if (!tvmq_softmax_scale(&s->desc, &s->wide.scale.multiplier, &s->wide.scale.shift)) return "beta x input scale is out of range";
  tvmq_softmax_s16_tables(&s->wide);
  return NULL;
}

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  enum { WIDE_CYCLES = 10 };
  if (!*op) *op = tvmq_alloc(sizeof(struct softmax));
  struct softmax *s = (struct softmax *)*op;
  if (!s) return "out of memory";
  s->desc = desc->softmax;
  s->variant = NULL;
  const char *why = s->desc.in_type == TVMQ_TYPE_S16 ? plan_wide(s, env) : plan_bytes(s, env);
  if (why) return why;
  const float each = s->variant ? 1 / tvmq_speed_of(s->variant, env->machine).rate : WIDE_CYCLES;
  tvmq_cut_units(&s->cut, s->desc.rows, 1, (float)s->desc.rows * (float)s->desc.depth * each, env);
  return NULL;
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct softmax *s = (const struct softmax *)op;
  *out = (struct tvmq_op_info){.kernel = s->variant ? s->variant->name : "", .algorithm = "rows", .cycles = s->cut.cycles};
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct softmax *s = (const struct softmax *)op;
  const struct tvmq_softmax_desc *d = &s->desc;
  const struct tvmq_piece rows = tvmq_cut_piece(&s->cut, task.index);
  const size_t offset = rows.first * d->depth;
  const void *const in = (const uint8_t *)pass->in[0] + offset * tvmq_type_bytes(d->in_type);
  void *const out = (uint8_t *)pass->outs[0] + offset * tvmq_type_bytes(d->out_type);
  if (!s->variant) {
    tvmq_softmax_s16_rows(&s->wide, in, rows.n, d->depth, out);
    return;
  }
  s->variant->fn.softmax(&(struct tvmq_softmax_args){
      .in = in,
      .out = out,
      .rows = rows.n,
      .depth = d->depth,
      .in_flip = tvmq_flip_to_s8(d->in_type),
      .out_flip = tvmq_flip_to_s8(d->out_type),
      .exps = s->exps,
      .least_difference = s->least_difference,
  });
}

static const struct tvmq_implementation *computed_by(const union tvmq_desc *desc, const struct tvmq_env *env) {
  (void)env;
  return desc->softmax.in_type == TVMQ_TYPE_F32 ? &tvmq_op_float_softmax : NULL;
}

const struct tvmq_implementation tvmq_op_softmax = {
    .n_tasks = tvmq_cut_tasks, .run_task = run_task, TVMQ_PLANNING(.computed_by = computed_by, .plan = plan, .info = info)};
