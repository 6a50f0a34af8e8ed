// AVERAGE_POOL_2D. A task is a strip of output rows of one image, of a group of channels; the kernel computes it row by row.
#include "arith.h"
#include "claim.h"
#include "geometry.h"
#include "kernels/select.h"
#include "memory.h"
#include "op.h"
#include "quant_params.h"
#include "tasks.h"

// Channels are grouped in multiples of this, and so that the rows of a window stay in the first level of cache until the next output row.
enum { GROUP = 64, WINDOW_BYTES = 16 * 1024 };

// Output columns side by side whose windows have as many columns in the input.
struct run {
  size_t n_cols;
  int32_t taps;
};

struct average_pool {
  struct tvmq_average_pool_desc desc;
  struct tvmq_geometry geometry;
  const struct tvmq_variant *variant;
  int32_t min, max;  // of the output
  size_t element_bytes;
  struct run *runs;
  size_t n_runs;
  struct tvmq_threads *threads;
  size_t group_channels, groups, strip_rows, strips;  // of a task, the last group of an image having the rest; of an image
  size_t slice;                                       // bytes of a thread's scratch: spans
  const struct tvmq_scratch *scratch;
};

// One direction of a window.
struct window {
  size_t begin, end;  // inputs
};

static struct window window_at(size_t output, int32_t stride, int32_t filter, int32_t pad, int32_t in) {
  const ptrdiff_t origin = (ptrdiff_t)output * stride - pad;
  return (struct window){origin > 0 ? (size_t)origin : 0, tvmq_min((size_t)(origin + filter), (size_t)in)};
}

static struct window window_row(const struct average_pool *p, size_t y) {
  return window_at(y, p->desc.stride_h, p->desc.filter_h, p->geometry.pad_top, p->desc.in_h);
}

static int32_t column_taps(const struct average_pool *p, size_t x) {
  const struct window window = window_at(x, p->desc.stride_w, p->desc.filter_w, p->geometry.pad_left, p->desc.in_w);
  return (int32_t)(window.end - window.begin);
}

// ---- plan

// Counts the runs, and writes them where there is room.
static size_t find_runs(const struct average_pool *p, struct run *runs) {
  size_t n = 0;
  int32_t before = 0;
  for (size_t x = 0; x < (size_t)p->desc.out_w; x++) {
    const int32_t taps = column_taps(p, x);
    if (taps != before) n++;
    if (runs && taps != before) runs[n - 1] = (struct run){.taps = taps};
    if (runs) runs[n - 1].n_cols++;
    before = taps;
  }
  return n;
}

static bool slides(const struct average_pool *p) {
  const size_t rows = tvmq_min((size_t)p->desc.filter_h, (size_t)p->desc.in_h), columns = tvmq_min((size_t)p->desc.filter_w, (size_t)p->desc.in_w);
  return p->element_bytes == 1 && rows * columns <= TVMQ_MEAN_NARROW;
}

// Cycles that all of it takes on one thread, estimated.
static float cycles(const struct average_pool *p) {
  const struct tvmq_average_pool_desc *d = &p->desc;
  const float rows = (float)tvmq_min((size_t)d->filter_h, (size_t)d->in_h), columns = (float)tvmq_min((size_t)d->filter_w, (size_t)d->in_w);
  const float each = (float)d->out_w * columns, added = slides(p) && each > (float)d->in_w ? (float)d->in_w : each;
  const float lines = (float)d->batch * (float)d->out_h * (float)d->channels;
  const struct tvmq_speed *speed = &p->variant->speeds[0];
  return lines * (rows * added / speed->rate + (float)d->out_w * speed->tile_cycles / p->variant->layout.nr);
}

static void set_tasks(struct average_pool *p) {
  const struct tvmq_average_pool_desc *d = &p->desc;
  const size_t wanted = tvmq_tasks_wanted(p->threads, cycles(p)), batch = (size_t)d->batch, rows = (size_t)d->out_h, channels = (size_t)d->channels;
  const float window_bytes = (float)d->filter_h * (float)d->in_w * (float)channels * (float)p->element_bytes, most = (float)tvmq_ceil_div(channels, GROUP);
  const float groups = window_bytes / WINDOW_BYTES;
  p->groups = (size_t)(groups < 1 ? 1 : groups > most ? most : groups);
  p->strips = tvmq_min(tvmq_ceil_div(wanted, batch * p->groups), rows);
  p->groups = tvmq_min(p->groups > tvmq_ceil_div(wanted, batch * p->strips) ? p->groups : tvmq_ceil_div(wanted, batch * p->strips), (size_t)most);
  p->group_channels = tvmq_round_up(channels / p->groups, GROUP);
  p->groups = p->group_channels < channels ? channels / p->group_channels : 1;
  p->strip_rows = tvmq_ceil_div(rows, p->strips);
  p->strips = tvmq_ceil_div(rows, p->strip_rows);
}

static const char *replan(struct average_pool *p, const struct tvmq_average_pool_desc *desc, const struct tvmq_env *env) {
  tvmq_free(p->runs);
  *p = (struct average_pool){.desc = *desc,
                             .variant = tvmq_select_average_pool(desc->in_type, (size_t)desc->channels, env->cpu),
                             .element_bytes = tvmq_type_bytes(desc->in_type),
                             .threads = env->threads,
                             .scratch = env->scratch};
  if (!p->variant) return "no kernel for this type";
  const char *why = tvmq_pool_geometry(desc, &p->geometry);
  if (why) return why;
  tvmq_activation_range(desc->activation, desc->out_type, desc->out, &p->min, &p->max);

  size_t bytes, spans;
  p->n_runs = find_runs(p, NULL);
  if (!tvmq_mul_size(p->n_runs, sizeof *p->runs, &bytes) || !tvmq_scratch_append(&p->slice, p->n_runs, sizeof(struct tvmq_pool_span), &spans))
    return "output exceeds the address space";
  p->runs = tvmq_alloc(bytes);
  if (!p->runs) return "out of memory";
  find_runs(p, p->runs);
  set_tasks(p);
  return tvmq_scratch_reserve(env->scratch, 0, p->slice, (size_t)tvmq_threads_count(p->threads)) ? NULL : "out of memory";
}

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (!*op) *op = tvmq_alloc(sizeof(struct average_pool));
  return *op ? replan((struct average_pool *)*op, &desc->average_pool, env) : "out of memory";
}

static void release(struct tvmq_op *op) {
  if (op) tvmq_free(((struct average_pool *)op)->runs);
  tvmq_free(op);
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct average_pool *p = (const struct average_pool *)op;
  *out = (struct tvmq_op_info){
      .kernel = p->variant->name, .algorithm = slides(p) ? "sliding windows" : "windows", .scratch_bytes = p->slice * (size_t)tvmq_threads_count(p->threads)};
}

// ---- run

struct inference {
  const struct average_pool *pool;
  const uint8_t *in;
  uint8_t *out;
};

static void run_task(void *context, struct tvmq_tile task) {
  const struct inference *job = context;
  const struct average_pool *p = job->pool;
  const struct tvmq_average_pool_desc *d = &p->desc;
  const size_t pixel = (size_t)d->channels * p->element_bytes, in_row = (size_t)d->in_w * pixel, out_row = (size_t)d->out_w * pixel;
  const size_t group = task.index % p->groups, first = group * p->group_channels, y = task.index / p->groups % p->strips * p->strip_rows;
  const size_t image = task.index / p->groups / p->strips, end = tvmq_min(y + p->strip_rows, (size_t)d->out_h);
  const uint8_t *in = job->in + image * (size_t)d->in_h * in_row + first * p->element_bytes;
  uint8_t *out = job->out + image * (size_t)d->out_h * out_row + first * p->element_bytes;

  struct tvmq_pool_span *spans = (struct tvmq_pool_span *)(p->scratch->memory + (size_t)task.thread * p->slice);
  struct tvmq_average_pool_args args = {
      .in_row_stride = in_row,
      .in_col_stride = pixel,
      .n_cols = (size_t)d->in_w,
      .channels = group + 1 < p->groups ? p->group_channels : (size_t)d->channels - first,
      .filter_w = (size_t)d->filter_w,
      .stride_w = (size_t)d->stride_w,
      .pad_left = (size_t)p->geometry.pad_left,
      .spans = spans,
      .n_spans = p->n_runs,
      .min = p->min,
      .max = p->max,
      .out_col_stride = pixel,
  };
  for (size_t row = y; row < end; row++) {
    const struct window window = window_row(p, row);
    const size_t n_rows = window.end - window.begin;
    for (size_t i = 0; n_rows != args.n_rows && i < p->n_runs; i++) {
      spans[i] = (struct tvmq_pool_span){p->runs[i].n_cols, tvmq_mean(d->in_type, (int32_t)n_rows * p->runs[i].taps)};
    }
    args.n_rows = n_rows;
    args.in = in + window.begin * in_row;
    args.out = out + row * out_row;
    p->variant->fn.average_pool(&args);
  }
}

static void run(struct tvmq_op *op, const void *const *in, void *out) {
  const struct average_pool *p = (const struct average_pool *)op;
  tvmq_threads_run(p->threads, (size_t)p->desc.batch * p->strips * p->groups, run_task, &(struct inference){.pool = p, .in = in[0], .out = out});
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_average_pool(&desc->average_pool); }

const struct tvmq_op_class tvmq_op_average_pool = {.claim = claim, .plan = plan, .run = run, .release = release, .info = info};
