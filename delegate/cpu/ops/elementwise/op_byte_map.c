// Any function of a byte, through a table. Elementwise; threads divide the elements.
#include "base/memory.h"
#include "cpu/ops/cut.h"
#include "cpu/plan/select.h"
#include "exact/byte_slopes.h"

struct byte_map {
  struct tvmq_cut cut;
  const struct tvmq_variant *variant;
  struct tvmq_byte_map map;
};

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (!*op) *op = tvmq_alloc(sizeof(struct byte_map));
  struct byte_map *m = (struct byte_map *)*op;
  if (!m) return "out of memory";
  const struct tvmq_target target = tvmq_target(env);
  m->variant = tvmq_select_untyped(TVMQ_FAMILY_BYTE_MAP, &target);
  const struct tvmq_byte_map_desc *d = &desc->byte_map;
  for (int x = 0; x < TVMQ_N_BYTES; x++) m->map.table[x] = d->table[x ^ d->in_flip] ^ d->out_flip;
  tvmq_complete_byte_map(&m->map, m->variant->flags & TVMQ_SLOPES);
  tvmq_cut_units(&m->cut, d->n, TVMQ_LINE, (float)d->n / tvmq_speed_of(m->variant, env->machine).rate, env);
  return NULL;
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct byte_map *m = (const struct byte_map *)op;
  *out = (struct tvmq_op_info){.kernel = m->variant->name, .algorithm = "byte table", .cycles = m->cut.cycles};
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct byte_map *m = (const struct byte_map *)op;
  const struct tvmq_piece piece = tvmq_cut_piece(&m->cut, task.index);
  m->variant->fn.byte_map(&(struct tvmq_byte_map_args){
      .in = (const uint8_t *)pass->in[0] + piece.first,
      .out = (uint8_t *)pass->outs[0] + piece.first,
      .n = piece.n,
      .map = &m->map,
  });
}

const struct tvmq_implementation tvmq_op_byte_map = {
    .n_tasks = tvmq_cut_tasks, .run_task = run_task, .in_place = true, TVMQ_PLANNING(.plan = plan, .info = info)};
