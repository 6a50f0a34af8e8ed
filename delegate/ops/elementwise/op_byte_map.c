// Any function of a byte, by its table. Elementwise; threads share the elements.
#include "base/arith.h"
#include "base/memory.h"
#include "ops/op.h"
#include "plan/blocks.h"
#include "plan/select.h"

// Tasks begin on cache lines.
enum { LINE = 64 };

struct byte_map {
  const struct tvmq_variant *variant;
  struct tvmq_byte_map_desc desc;
  size_t task_elements, tasks;
  float cycles;  // estimated, on one thread
};

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (!*op) *op = tvmq_alloc(sizeof(struct byte_map));
  struct byte_map *m = (struct byte_map *)*op;
  if (!m) return "out of memory";
  const struct tvmq_target target = tvmq_target(env);
  *m = (struct byte_map){.variant = tvmq_select_byte_map(&target), .desc = desc->byte_map};
  m->cycles = (float)m->desc.n / tvmq_speed_of(m->variant, env->machine).rate;
  m->task_elements = tvmq_round_up(tvmq_ceil_div(m->desc.n, tvmq_tasks_wanted(env->machine, env->threads, m->cycles)), LINE);
  m->tasks = m->desc.n > 0 ? tvmq_ceil_div(m->desc.n, m->task_elements) : 0;
  return NULL;
}

static void release(struct tvmq_op *op) { tvmq_free(op); }

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  *out =
      (struct tvmq_op_info){.kernel = ((const struct byte_map *)op)->variant->name, .algorithm = "byte table", .cycles = ((const struct byte_map *)op)->cycles};
}

static size_t n_tasks(const struct tvmq_op *op, size_t pass) { return pass > 0 ? 0 : ((const struct byte_map *)op)->tasks; }

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct byte_map *m = (const struct byte_map *)op;
  const size_t first = task.index * m->task_elements, n = tvmq_min(m->desc.n - first, m->task_elements);
  m->variant->fn.byte_map(&(struct tvmq_byte_map_args){
      .in = (const uint8_t *)pass->in[0] + first,
      .out = (uint8_t *)pass->out + first,
      .n = n,
      .table = m->desc.table,
  });
}

const struct tvmq_op_class tvmq_op_byte_map = {.plan = plan, .n_tasks = n_tasks, .run_task = run_task, .release = release, .info = info, .in_place = true};
