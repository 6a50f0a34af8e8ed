// DEQUANTIZE: scale * (element - zero point), rounded once to float32. Elementwise; threads share the elements.
#include "base/arith.h"
#include "base/memory.h"
#include "ops/claims/claim.h"
#include "ops/op.h"
#include "plan/blocks.h"

enum { LINE = TVMQ_LINE };

struct dequantize {
  struct tvmq_dequantize_desc desc;
  size_t task_elements, tasks;
  float cycles;  // estimated, on one thread
};

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (!*op) *op = tvmq_alloc(sizeof(struct dequantize));
  struct dequantize *q = (struct dequantize *)*op;
  if (!q) return "out of memory";
  q->desc = desc->dequantize;
  q->cycles = (float)q->desc.n;
  q->task_elements = tvmq_round_up(tvmq_ceil_div(q->desc.n, tvmq_tasks_wanted(env->machine, env->threads, q->cycles)), LINE);
  q->tasks = tvmq_ceil_div(q->desc.n, q->task_elements);
  return NULL;
}

static void release(struct tvmq_op *op) { tvmq_free(op); }

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  (void)op;
  *out = (struct tvmq_op_info){.kernel = "", .algorithm = "elementwise", .cycles = ((const struct dequantize *)op)->cycles};
}

static size_t n_tasks(const struct tvmq_op *op, size_t pass) { return pass > 0 ? 0 : ((const struct dequantize *)op)->tasks; }

#define CONVERT(type)                                                                       \
  {                                                                                         \
    const type *restrict from = (const type *)in + first;                                   \
    for (size_t i = 0; i < n; i++) out[i] = scale * (float)((int32_t)from[i] - zero_point); \
  }

// The difference is exact in float32, so the product is what the reference rounds from float64.
static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct dequantize *q = (const struct dequantize *)op;
  const size_t first = task.index * q->task_elements, n = tvmq_min(q->desc.n - first, q->task_elements);
  const float scale = q->desc.in.scale;
  const int32_t zero_point = q->desc.in.zero_point;
  const void *in = pass->in[0];
  float *restrict out = (float *)pass->out + first;
  if (q->desc.in_type == TVMQ_TYPE_S16)
    CONVERT(int16_t)
  else if (q->desc.in_type == TVMQ_TYPE_U8)
    CONVERT(uint8_t)
  else
    CONVERT(int8_t)
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_dequantize(&desc->dequantize); }

const struct tvmq_op_class tvmq_op_dequantize = {
    .claim = claim, .plan = plan, .n_tasks = n_tasks, .run_task = run_task, .release = release, .info = info, .converts = true};
