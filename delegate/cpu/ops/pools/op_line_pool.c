// MAX_POOL_2D of pixels that are shorter than a vector. Step 1 computes the maximum down each column of a line; the
// kernel sees the line as one long pixel. Step 2 computes the maximum along the line. All windows of the line, with a
// stride also those in between, are one long pixel. Column k of every window is row k of that pixel, and begins k
// pixels further on. Threads divide the rows.
#include <string.h>

#include "base/memory.h"
#include "cpu/ops/cut.h"
#include "cpu/ops/pools/pick_pixels.h"
#include "cpu/ops/pools/pool_window.h"
#include "cpu/plan/select.h"
#include "operators/quant_params.h"

struct pool {
  struct tvmq_cut cut;  // units: the rows of all images
  struct tvmq_pool_desc desc;
  struct tvmq_geometry geometry;
  const struct tvmq_variant *variant;
  int32_t min, max;       // clamp of the output
  size_t pixel, windows;  // bytes of a pixel; windows of a line, including those in between
  size_t line;            // pixels of a padded line
  size_t results, slice;  // offset of the results in a thread's scratch, and size of that scratch
  size_t scratch_bytes;   // for all threads
  const struct tvmq_scratch *scratch;
};

// Limits in bytes. MOST_STEP: with a longer step, most windows would be dropped. LEAST_LINE: a shorter line has no
// whole vectors. MOST_LINE: a longer line does not stay in the first levels of cache.
bool tvmq_pools_by_lines(const struct tvmq_pool_desc *d) {
  enum { VECTOR = 16, MOST_STEP = 128, LEAST_LINE = 32, MOST_LINE = 1 << 16 };
  const size_t pixel = (size_t)d->channels * tvmq_type_bytes(d->in_type), stride = (size_t)d->stride_w, in_w = (size_t)d->in_w;
  if (d->pooling != TVMQ_POOLING_MAX || pixel >= VECTOR || stride > MOST_STEP / pixel || d->filter_w > d->in_w || in_w > MOST_LINE / pixel) return false;
  const size_t windows = tvmq_windows_between((size_t)d->out_w, d->stride_w);
  return tvmq_min(windows, in_w) * pixel >= LEAST_LINE && windows <= MOST_LINE / pixel;
}

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (*op == NULL) *op = tvmq_alloc(sizeof(struct pool));
  struct pool *p = (struct pool *)*op;
  if (p == NULL) return "out of memory";
  const struct tvmq_pool_desc *d = &desc->pool;
  const struct tvmq_target target = tvmq_target(env);
  const size_t channels = (size_t)d->channels, in_w = (size_t)d->in_w, windows = tvmq_windows_between((size_t)d->out_w, d->stride_w);
  *p = (struct pool){.desc = *d,
                     .variant = tvmq_select_pool(TVMQ_FAMILY_MAX_POOL, d->in_type, tvmq_min(windows, in_w) * channels, &target),
                     .pixel = channels * tvmq_type_bytes(d->in_type),
                     .windows = windows,
                     .scratch = env->scratch};
  if (p->variant == NULL) return "no kernel for this type";
  const char *why = tvmq_pool_geometry(d, &p->geometry);
  if (why != NULL) return why;
  tvmq_activation_range(d->activation, d->out_type, d->out, &p->min, &p->max);
  p->line = tvmq_max(windows + (size_t)d->filter_w - 1, (size_t)p->geometry.pad_left + in_w);
  size_t at;
  if (!tvmq_scratch_append(&p->slice, p->line, p->pixel, &at) || !tvmq_scratch_append(&p->slice, windows, p->pixel, &p->results))
    return "scratch exceeds the address space";
  const size_t rows = (size_t)d->batch * (size_t)d->out_h;
  const struct tvmq_speed speed = tvmq_speed_of(p->variant, env->machine);
  const float taps = (float)d->filter_h * (float)in_w + (float)d->filter_w * (float)windows;
  tvmq_cut_units(&p->cut, rows, 1, (float)rows * (float)channels * (taps / speed.rate + (float)(in_w + windows) * speed.tile_cycles / p->variant->layout.nr),
                 env);
  const size_t n_threads = (size_t)tvmq_threads_count(env->threads);
  p->scratch_bytes = p->slice * n_threads;
  return tvmq_scratch_reserve(env->scratch, 0, p->slice, n_threads) ? NULL : "out of memory";
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct pool *p = (const struct pool *)op;
  *out = (struct tvmq_op_info){.kernel = p->variant->name, .algorithm = "windows", .scratch_bytes = p->scratch_bytes, .cycles = p->cut.cycles};
}

// Fills pixels [first, end) of a line.
static void fill(const struct pool *p, uint8_t *line, size_t first, size_t end, int32_t value) {
  const size_t element = tvmq_type_bytes(p->desc.in_type);
  for (size_t at = first * p->pixel; at < end * p->pixel; at += element) memcpy(line + at, &value, element);
}

// Fills the pixels left and right of the input: the border, and the type's minimum outside of the border.
static void fill_padding(const struct pool *p, uint8_t *line) {
  const int32_t nothing = tvmq_type_range(p->desc.in_type).min;
  const size_t begin = (size_t)p->geometry.pad_left, end = begin + (size_t)p->desc.in_w;
  const size_t left = begin - (size_t)p->desc.border.left, right = tvmq_min(end + (size_t)p->desc.border.right, p->line);
  fill(p, line, 0, left, nothing);
  fill(p, line, left, begin, p->desc.border.value);
  fill(p, line, end, right, p->desc.border.value);
  fill(p, line, right, p->line, nothing);
}

// Computes the maximum of n_rows pixels of `channels` elements each; 0 rows give `min`.
static void largest(const struct pool *p, const uint8_t *in, size_t stride, size_t n_rows, size_t channels, int32_t min, int32_t max, uint8_t *out) {
  const struct tvmq_pool_span span = {.n_cols = 1, .min = min};
  p->variant->fn.pool(&(struct tvmq_pool_args){.in = in,
                                               .in_row_stride = stride,
                                               .n_rows = tvmq_max(n_rows, 1),
                                               .n_cols = n_rows > 0 ? 1 : 0,
                                               .channels = channels,
                                               .filter_w = 1,
                                               .stride_w = 1,
                                               .spans = &span,
                                               .n_spans = 1,
                                               .max = max,
                                               .out = out});
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct pool *p = (const struct pool *)op;
  const struct tvmq_pool_desc *d = &p->desc;
  const struct tvmq_range range = tvmq_type_range(d->in_type);
  const size_t channels = (size_t)d->channels, in_w = (size_t)d->in_w, out_w = (size_t)d->out_w, out_h = (size_t)d->out_h, in_row = in_w * p->pixel;
  const struct tvmq_piece piece = tvmq_cut_piece(&p->cut, task.index);
  uint8_t *const line = p->scratch->memory + (size_t)task.thread * p->slice, *const results = line + p->results;
  fill_padding(p, line);
  for (size_t row = piece.first; row < piece.first + piece.n; row++) {
    const struct tvmq_window window = tvmq_window_row(d, &p->geometry, row % out_h);
    const uint8_t *const in = (const uint8_t *)pass->in[0] + (row / out_h * (size_t)d->in_h + window.begin) * in_row;
    uint8_t *const out = (uint8_t *)pass->outs[0] + row * out_w * p->pixel;
    largest(p, in, in_row, tvmq_window_taps(window), in_w * channels, window.bordered ? d->border.value : range.min, range.max,
            line + (size_t)p->geometry.pad_left * p->pixel);
    largest(p, line, p->pixel, (size_t)d->filter_w, p->windows * channels, p->min, p->max, d->stride_w == 1 ? out : results);
    if (d->stride_w > 1) tvmq_pick_pixels(results, (size_t)d->stride_w * p->pixel, p->pixel, out_w, out);
  }
}

const struct tvmq_implementation tvmq_op_line_pool = {.n_tasks = tvmq_cut_tasks, .run_task = run_task, TVMQ_PLANNING(.plan = plan, .info = info)};
