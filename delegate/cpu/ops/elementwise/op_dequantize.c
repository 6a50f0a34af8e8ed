// DEQUANTIZE: scale * (element - zero point), rounded once to float32. Elementwise; threads divide the elements.
#include "base/memory.h"
#include "cpu/ops/cut.h"

struct dequantize {
  struct tvmq_cut cut;
  struct tvmq_dequantize_desc desc;
};

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (!*op) *op = tvmq_alloc(sizeof(struct dequantize));
  struct dequantize *q = (struct dequantize *)*op;
  if (!q) return "out of memory";
  q->desc = desc->dequantize;
  tvmq_cut_units(&q->cut, q->desc.n, TVMQ_LINE, (float)q->desc.n, env);
  return NULL;
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  *out = (struct tvmq_op_info){.kernel = "", .algorithm = "elementwise", .cycles = ((const struct dequantize *)op)->cut.cycles};
}

#define CONVERT(type)                                                                             \
  {                                                                                               \
    const type *restrict from = (const type *)in + piece.first;                                   \
    for (size_t i = 0; i < piece.n; i++) out[i] = scale * (float)((int32_t)from[i] - zero_point); \
  }

// The difference is exact in float32, so the float32 product equals the reference's float64 product rounded to float32.
static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct dequantize *q = (const struct dequantize *)op;
  const struct tvmq_piece piece = tvmq_cut_piece(&q->cut, task.index);
  const float scale = q->desc.in.scale;
  const int32_t zero_point = q->desc.in.zero_point;
  const void *in = pass->in[0];
  float *restrict out = (float *)pass->outs[0] + piece.first;
  if (q->desc.in_type == TVMQ_TYPE_S16)
    CONVERT(int16_t)
  else if (q->desc.in_type == TVMQ_TYPE_U8)
    CONVERT(uint8_t)
  else
    CONVERT(int8_t)
}

const struct tvmq_implementation tvmq_op_dequantize = {.n_tasks = tvmq_cut_tasks, .run_task = run_task, TVMQ_PLANNING(.plan = plan, .info = info)};
