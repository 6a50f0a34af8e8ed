// AVERAGE_POOL_2D and MAX_POOL_2D of float32 between hybrid nodes. Sums are added in the reference's order. Threads
// divide the rows.
//
// Adjacent windows with all of their columns in the input are joined: the kernel sees one window with the channels of
// all of them. With a stride, the joined window includes the windows in between, whose results are dropped. That is
// more work, but in full vectors.
#include <float.h>

#include "base/arith.h"
#include "base/memory.h"
#include "cpu/ops/cut.h"
#include "cpu/ops/op.h"
#include "cpu/ops/pools/pick_pixels.h"
#include "cpu/ops/pools/pool_window.h"
#include "cpu/plan/select.h"
#include "operators/geometry.h"
#include "operators/quant_params.h"

// Windows [first, first + n) of a row.
struct span {
  size_t first, n;
};

struct pool {
  struct tvmq_cut cut;  // units: the rows of all images
  struct tvmq_pool_desc desc;
  struct tvmq_geometry geometry;
  const struct tvmq_variant *variant;
  struct tvmq_bounds bounds;
  struct span joined;    // windows that the kernel computes as one
  size_t slice;          // bytes of a thread's scratch: the results of the joined windows and of those in between
  size_t scratch_bytes;  // for all threads
  const struct tvmq_scratch *scratch;
};

// Returns the windows with all of their columns in the input. Returns none if the windows in between cost more than
// joining saves.
static struct span whole_windows(const struct tvmq_pool_desc *d, int32_t pad_left) {
  enum { MOST_STEP = 64 };
  const int64_t stride = d->stride_w, room = (int64_t)d->in_w - d->filter_w + pad_left;
  const int64_t first = (pad_left + stride - 1) / stride, end = room < 0 ? 0 : tvmq_min_s64(room / stride + 1, d->out_w);
  const bool pays = stride == 1 ? end > first : end > first + 1 && d->channels * stride <= MOST_STEP;
  return (struct span){(size_t)first, pays ? (size_t)(end - first) : 0};
}

// Returns the number of windows of a row that are computed, including those between joined ones.
static size_t computed_windows(const struct pool *p) {
  const size_t n = p->joined.n;
  return (size_t)p->desc.out_w - n + (n > 0 ? tvmq_windows_between(n, p->desc.stride_w) : 0);
}

// Returns the floats of the joined windows, including those in between.
static size_t joined_channels(const struct pool *p) { return tvmq_windows_between(p->joined.n, p->desc.stride_w) * (size_t)p->desc.channels; }

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (*op == NULL) *op = tvmq_alloc(sizeof(struct pool));
  struct pool *p = (struct pool *)*op;
  if (p == NULL) return "out of memory";
  const struct tvmq_pool_desc *d = &desc->pool;
  const struct tvmq_target target = tvmq_target(env);
  p->desc = *d;
  p->variant = tvmq_select_untyped(TVMQ_FAMILY_FLOAT_POOL, &target);
  p->bounds = tvmq_activation_bounds(d->activation, FLT_MAX);  // without an activation, the reference clamps infinities to finite values
  p->scratch = env->scratch;
  p->slice = 0;
  const char *why = tvmq_pool_geometry(d, &p->geometry);
  if (why != NULL) return why;
  p->joined = whole_windows(d, p->geometry.pad_left);
  size_t at;
  if (p->joined.n > 0 && d->stride_w > 1 && !tvmq_scratch_append(&p->slice, joined_channels(p), sizeof(float), &at)) return "scratch exceeds the address space";
  const size_t rows = (size_t)d->batch * (size_t)d->out_h;
  const float taps = (float)rows * (float)computed_windows(p) * (float)d->filter_h * (float)d->filter_w;
  tvmq_cut_units(&p->cut, rows, 1, taps * (float)d->channels / tvmq_speed_of(p->variant, env->machine).rate, env);
  const size_t n_threads = (size_t)tvmq_threads_count(env->threads);
  p->scratch_bytes = p->slice * n_threads;
  return tvmq_scratch_reserve(env->scratch, 0, p->slice, n_threads) ? NULL : "out of memory";
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct pool *p = (const struct pool *)op;
  *out = (struct tvmq_op_info){.kernel = p->variant->name, .algorithm = "windows", .scratch_bytes = p->scratch_bytes, .cycles = p->cut.cycles};
}

static void run_row(const struct pool *p, const float *image, size_t y, float *out, float *scratch) {
  const struct tvmq_pool_desc *d = &p->desc;
  const size_t channels = (size_t)d->channels, line = (size_t)d->in_w * channels;
  const struct tvmq_window rows = tvmq_window_row(d, &p->geometry, y);
  struct tvmq_float_pool_args args = {.row_stride = line,
                                      .col_stride = channels,
                                      .n_rows = tvmq_window_taps(rows),
                                      .channels = channels,
                                      .largest = d->pooling == TVMQ_POOLING_MAX,
                                      .min = p->bounds.low,
                                      .max = p->bounds.high};
  const float *const in = image + rows.begin * line;
  for (size_t x = 0; x < (size_t)d->out_w; x++) {
    if (x - p->joined.first < p->joined.n) continue;
    const struct tvmq_window columns = tvmq_window_column(d, &p->geometry, x);
    args.in = in + columns.begin * channels;
    args.n_cols = tvmq_window_taps(columns);
    args.out = out + x * channels;
    p->variant->fn.float_pool(&args);
  }
  if (p->joined.n == 0) return;
  const size_t step = (size_t)d->stride_w * channels;
  out += p->joined.first * channels;
  args.in = in + p->joined.first * step - (size_t)p->geometry.pad_left * channels;
  args.n_cols = (size_t)d->filter_w;
  args.channels = joined_channels(p);
  args.out = d->stride_w == 1 ? out : scratch;
  p->variant->fn.float_pool(&args);
  if (d->stride_w > 1) tvmq_pick_pixels(scratch, step * sizeof(float), channels * sizeof(float), p->joined.n, out);
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct pool *p = (const struct pool *)op;
  const size_t in_h = (size_t)p->desc.in_h, out_h = (size_t)p->desc.out_h, channels = (size_t)p->desc.channels;
  const size_t image = in_h * (size_t)p->desc.in_w * channels, line = (size_t)p->desc.out_w * channels;
  const struct tvmq_piece piece = tvmq_cut_piece(&p->cut, task.index);
  float *const scratch = p->slice > 0 ? (float *)(p->scratch->memory + (size_t)task.thread * p->slice) : NULL;
  for (size_t row = piece.first; row < piece.first + piece.n; row++)
    run_row(p, (const float *)pass->in[0] + row / out_h * image, row % out_h, (float *)pass->outs[0] + row * line, scratch);
}

const struct tvmq_implementation tvmq_op_float_pool = {.n_tasks = tvmq_cut_tasks, .run_task = run_task, TVMQ_PLANNING(.plan = plan, .info = info)};
