// AVERAGE_POOL_2D and MAX_POOL_2D of float32, as they stand between hybrid nodes: sums are taken in the reference's order. Threads share the rows.
#include <float.h>

#include "base/arith.h"
#include "base/memory.h"
#include "ops/claims/claim.h"
#include "ops/cut.h"
#include "ops/geometry.h"
#include "ops/op.h"
#include "ops/quant_params.h"
#include "plan/select.h"

struct pool {
  struct tvmq_cut cut;  // of the rows of all images
  struct tvmq_pool_desc desc;
  struct tvmq_geometry geometry;
  const struct tvmq_variant *variant;
  struct tvmq_bounds bounds;
};

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (*op == NULL) *op = tvmq_alloc(sizeof(struct pool));
  struct pool *p = (struct pool *)*op;
  if (p == NULL) return "out of memory";
  const struct tvmq_pool_desc *d = &desc->pool;
  const struct tvmq_target target = tvmq_target(env);
  p->desc = *d;
  p->variant = tvmq_select_hybrid(TVMQ_FAMILY_FLOAT_POOL, &target);
  p->bounds = tvmq_activation_bounds(d->activation, FLT_MAX);  // without an activation, the reference cuts infinities off
  const char *why = tvmq_pool_geometry(d, &p->geometry);
  if (why != NULL) return why;
  const size_t rows = (size_t)d->batch * (size_t)d->out_h;
  const float taps = (float)rows * (float)d->out_w * (float)d->filter_h * (float)d->filter_w;
  tvmq_cut_units(&p->cut, rows, 1, taps * (float)d->channels / tvmq_speed_of(p->variant, env->machine).rate, env);
  return NULL;
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct pool *p = (const struct pool *)op;
  *out = (struct tvmq_op_info){.kernel = p->variant->name, .algorithm = "windows", .cycles = p->cut.cycles};
}

// The part of a window that lies in the input.
struct span {
  size_t first, n;
};

static struct span span_at(ptrdiff_t origin, int32_t filter, int32_t in) {
  const ptrdiff_t first = origin > 0 ? origin : 0, end = origin + filter < in ? origin + filter : in;
  return (struct span){(size_t)first, end > first ? (size_t)(end - first) : 0};
}

static void run_row(const struct pool *p, const float *image, size_t y, float *out) {
  const struct tvmq_pool_desc *d = &p->desc;
  const size_t channels = (size_t)d->channels, line = (size_t)d->in_w * channels;
  const struct span rows = span_at((ptrdiff_t)y * d->stride_h - p->geometry.pad_top, d->filter_h, d->in_h);
  struct tvmq_float_pool_args args = {.row_stride = line,
                                      .col_stride = channels,
                                      .n_rows = rows.n,
                                      .channels = channels,
                                      .out = out,
                                      .largest = d->pooling == TVMQ_POOLING_MAX,
                                      .min = p->bounds.low,
                                      .max = p->bounds.high};
  for (size_t x = 0; x < (size_t)d->out_w; x++, args.out += channels) {
    const struct span columns = span_at((ptrdiff_t)x * d->stride_w - p->geometry.pad_left, d->filter_w, d->in_w);
    args.in = image + rows.first * line + columns.first * channels;
    args.n_cols = columns.n;
    p->variant->fn.float_pool(&args);
  }
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct pool *p = (const struct pool *)op;
  const size_t in_h = (size_t)p->desc.in_h, out_h = (size_t)p->desc.out_h, channels = (size_t)p->desc.channels;
  const size_t image = in_h * (size_t)p->desc.in_w * channels, line = (size_t)p->desc.out_w * channels;
  const struct tvmq_piece piece = tvmq_cut_piece(&p->cut, task.index);
  for (size_t row = piece.first; row < piece.first + piece.n; row++)
    run_row(p, (const float *)pass->in[0] + row / out_h * image, row % out_h, (float *)pass->outs[0] + row * line);
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_pool(&desc->pool); }

const struct tvmq_op_class tvmq_op_float_pool = {.claim = claim, .plan = plan, .n_tasks = tvmq_cut_tasks, .run_task = run_task, .info = info};
