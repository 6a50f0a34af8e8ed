// AVERAGE_POOL_2D and MAX_POOL_2D, and reductions as a pooling with a single window. A task is a strip of output rows
// of one image, for a group of channels. The kernel computes one row per call.
#include "base/memory.h"
#include "cpu/ops/op.h"
#include "cpu/ops/pools/pool_window.h"
#include "cpu/plan/blocks.h"
#include "cpu/plan/select.h"
#include "operators/quant_params.h"
#include "operators/reduction.h"

// Granule of channel groups, a cache line. The rows of a group's window should stay in the first level of cache until
// the next output row. They may fill half of the cache; the rest is for outputs and the next input row.
enum { GROUP = TVMQ_LINE };

// Adjacent output columns whose windows have the same size.
struct columns {
  size_t n_cols;
  int32_t taps;  // columns of a window in the input
  bool bordered;
};

struct pool {
  struct tvmq_pool_desc desc;
  struct tvmq_geometry geometry;
  const struct tvmq_variant *variant;
  int32_t min, max;                   // clamp of the output
  struct tvmq_rescaled_sum rescaled;  // only for a reduction
  size_t element_bytes;
  struct columns *columns;
  size_t n_columns;
  struct tvmq_threads *threads;
  size_t group_channels, groups, strips;  // channels of a group (the last group has the rest); groups and strips of an image, strips of about equal height
  size_t slice;                           // bytes of a thread's scratch, which holds spans
  const struct tvmq_scratch *scratch;
  float cycles;  // estimate for one thread
};

// ---- plan

// Counts the groups of columns with equal windows; writes them to `columns` unless it is NULL.
static size_t find_columns(const struct pool *p, struct columns *columns) {
  size_t n = 0;
  struct columns before = {0};
  for (size_t x = 0; x < (size_t)p->desc.out_w; x++) {
    const struct tvmq_window window = tvmq_window_column(&p->desc, &p->geometry, x);
    const struct columns column = {.taps = (int32_t)tvmq_window_taps(window), .bordered = window.bordered};
    const bool other = x == 0 || column.taps != before.taps || column.bordered != before.bordered;
    if (other) n++;
    if (columns && other) columns[n - 1] = column;
    if (columns) columns[n - 1].n_cols++;
    before = column;
  }
  return n;
}

// Returns the rows, or columns, of the largest window within the input.
static size_t window_rows(const struct pool *p) { return tvmq_min((size_t)p->desc.filter_h, (size_t)p->desc.in_h); }
static size_t window_columns(const struct pool *p) { return tvmq_min((size_t)p->desc.filter_w, (size_t)p->desc.in_w); }

// Returns whether the kernel reads each column of the input once, by sliding the window.
static bool slides(const struct pool *p) {
  const struct tvmq_pool_desc *d = &p->desc;
  if (d->pooling == TVMQ_POOLING_MAX) return tvmq_pool_kept((size_t)d->filter_w, (size_t)d->stride_w) > 0;
  return d->pooling == TVMQ_POOLING_AVERAGE && tvmq_mean_is_narrow(d->in_type, window_rows(p), window_columns(p));
}

// Returns the estimated cycles on one thread.
static float cycles(const struct pool *p, const struct tvmq_machine *machine) {
  const struct tvmq_pool_desc *d = &p->desc;
  const float rows = (float)window_rows(p), columns = (float)window_columns(p);
  const float each = (float)d->out_w * columns, taken = slides(p) && each > (float)d->in_w ? (float)d->in_w : each;
  const float lines = (float)d->batch * (float)d->out_h * (float)d->channels;
  const struct tvmq_speed speed = tvmq_speed_of(p->variant, machine);
  return lines * (rows * taken / speed.rate + (float)d->out_w * speed.tile_cycles / p->variant->layout.nr);
}

// Returns the number of channel groups for which the rows of a window stay in the cache.
static size_t groups_for_cache(const struct pool *p, const struct tvmq_machine *machine) {
  const size_t row_bytes = (size_t)p->desc.in_w * (size_t)p->desc.channels * p->element_bytes;
  return tvmq_max(window_rows(p) * row_bytes / machine->window_bytes, 1);
}

// Cuts rows into strips first, because threads divide neighbouring operators in the same way. Then cuts channels into
// as many groups as the cache requires, or more if there are too few rows for enough strips.
static void set_tasks(struct pool *p, const struct tvmq_machine *machine) {
  const size_t batch = (size_t)p->desc.batch, rows = (size_t)p->desc.out_h, channels = (size_t)p->desc.channels;
  p->cycles = cycles(p, machine);
  const size_t wanted = tvmq_ceil_div(tvmq_tasks_wanted(machine, p->threads, p->cycles), batch), most = tvmq_ceil_div(channels, GROUP);
  p->strips = tvmq_min(wanted, rows);
  const size_t groups = tvmq_min(tvmq_max(groups_for_cache(p, machine), tvmq_ceil_div(wanted, p->strips)), most);
  p->group_channels = tvmq_round_up(channels / groups, GROUP);
  p->groups = tvmq_max(channels / p->group_channels, 1);
}

static const char *replan(struct pool *p, const struct tvmq_pool_desc *desc, const struct tvmq_env *env) {
  const enum tvmq_family family = desc->pooling == TVMQ_POOLING_MAX ? TVMQ_FAMILY_MAX_POOL : TVMQ_FAMILY_AVERAGE_POOL;
  const struct tvmq_target target = tvmq_target(env);
  tvmq_free(p->columns);
  *p = (struct pool){.desc = *desc,
                     .variant = tvmq_select_pool(family, desc->in_type, (size_t)desc->channels, &target),
                     .element_bytes = tvmq_type_bytes(desc->in_type),
                     .threads = env->threads,
                     .scratch = env->scratch};
  if (!p->variant) return "no kernel for this type";
  const char *why = tvmq_pool_geometry(desc, &p->geometry);
  if (why) return why;
  tvmq_activation_range(desc->activation, desc->out_type, desc->out, &p->min, &p->max);

  size_t bytes, spans;
  p->n_columns = find_columns(p, NULL);
  if (!tvmq_mul_size(p->n_columns, sizeof *p->columns, &bytes) || !tvmq_scratch_append(&p->slice, p->n_columns, sizeof(struct tvmq_pool_span), &spans))
    return "output exceeds the address space";
  p->columns = tvmq_alloc(bytes);
  if (!p->columns) return "out of memory";
  find_columns(p, p->columns);
  set_tasks(p, env->machine);
  return tvmq_scratch_reserve(env->scratch, 0, p->slice, (size_t)tvmq_threads_count(p->threads)) ? NULL : "out of memory";
}

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (!*op) *op = tvmq_alloc(sizeof(struct pool));
  return *op ? replan((struct pool *)*op, &desc->pool, env) : "out of memory";
}

// Plans a reduction between two kept dimensions: the reduced elements are the rows of a single column.
static const char *plan_reduction(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  const struct tvmq_reduce_desc *reduce = &desc->reduce;
  const int32_t pixels = reduce->dims[1];
  const struct tvmq_pool_desc pool = {
      .pooling = reduce->reduction == TVMQ_REDUCTION_MAX ? TVMQ_POOLING_MAX : TVMQ_POOLING_MEAN,
      .in_type = reduce->in_type,
      .out_type = reduce->out_type,
      .batch = reduce->dims[0],
      .in_h = pixels,
      .in_w = 1,
      .channels = reduce->dims[2],
      .out_h = 1,
      .out_w = 1,
      .filter_h = pixels,
      .filter_w = 1,
      .stride_h = 1,
      .stride_w = 1,
      .padding = TVMQ_PADDING_VALID,
      .in = reduce->in,
      .out = reduce->out,
  };
  const char *why = plan(op, &(union tvmq_desc){.pool = pool}, env);
  if (why) return why;
  if (reduce->reduction != TVMQ_REDUCTION_MAX) ((struct pool *)*op)->rescaled = tvmq_reduction_rescaled(reduce, env->rounding);
  return NULL;
}

static void release(struct tvmq_op *op) {
  if (op) tvmq_free(((struct pool *)op)->columns);
  tvmq_free(op);
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct pool *p = (const struct pool *)op;
  *out = (struct tvmq_op_info){.kernel = p->variant->name,
                               .algorithm = slides(p) ? "sliding windows" : "windows",
                               .scratch_bytes = p->slice * (size_t)tvmq_threads_count(p->threads),
                               .cycles = p->cycles};
}

// ---- run

// Sets the spans of a row of windows.
static void set_spans(const struct pool *p, struct tvmq_window rows, struct tvmq_pool_span *spans) {
  for (size_t i = 0; i < p->n_columns; i++) {
    const struct columns *columns = &p->columns[i];
    spans[i] = (struct tvmq_pool_span){.n_cols = columns->n_cols, .min = p->min};
    // Elements of the border count in the maximum.
    if (rows.bordered || columns->bordered) spans[i].min = p->desc.border.value > p->min ? p->desc.border.value : p->min;
    if (p->desc.pooling == TVMQ_POOLING_AVERAGE) spans[i].mean = tvmq_mean(p->desc.in_type, (int32_t)tvmq_window_taps(rows) * columns->taps);
  }
}

static size_t n_tasks(const struct tvmq_op *op, size_t pass) {
  const struct pool *p = (const struct pool *)op;
  return pass > 0 ? 0 : (size_t)p->desc.batch * p->strips * p->groups;
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct pool *p = (const struct pool *)op;
  const struct tvmq_pool_desc *d = &p->desc;
  const size_t pixel = (size_t)d->channels * p->element_bytes, in_row = (size_t)d->in_w * pixel, out_row = (size_t)d->out_w * pixel;
  const size_t group = tvmq_take_digit(&task.index, p->groups), first = group * p->group_channels, strip = tvmq_take_digit(&task.index, p->strips);
  const size_t image = task.index, y = strip * (size_t)d->out_h / p->strips, end = (strip + 1) * (size_t)d->out_h / p->strips;
  const uint8_t *in = (const uint8_t *)pass->in[0] + image * (size_t)d->in_h * in_row + first * p->element_bytes;
  uint8_t *out = (uint8_t *)pass->outs[0] + image * (size_t)d->out_h * out_row + first * p->element_bytes;

  struct tvmq_pool_span *spans = (struct tvmq_pool_span *)(p->scratch->memory + (size_t)task.thread * p->slice);
  struct tvmq_pool_args args = {
      .in_row_stride = in_row,
      .in_col_stride = pixel,
      .channels = group + 1 < p->groups ? p->group_channels : (size_t)d->channels - first,
      .filter_w = (size_t)d->filter_w,
      .stride_w = (size_t)d->stride_w,
      .pad_left = (size_t)p->geometry.pad_left,
      .spans = spans,
      .n_spans = p->n_columns,
      .rescaled = d->pooling == TVMQ_POOLING_MEAN ? &p->rescaled : NULL,
      .max = p->max,
      .out_col_stride = pixel,
  };
  struct tvmq_window before = {0};
  for (size_t row = y; row < end; row++) {
    const struct tvmq_window window = tvmq_window_row(d, &p->geometry, row);
    if (row == y || tvmq_window_taps(window) != tvmq_window_taps(before) || window.bordered != before.bordered) set_spans(p, window, spans);
    before = window;
    args.n_cols = tvmq_window_taps(window) > 0 ? (size_t)d->in_w : 0;
    args.n_rows = tvmq_max(tvmq_window_taps(window), 1);
    args.in = in + window.begin * in_row;
    args.out = out + row * out_row;
    p->variant->fn.pool(&args);
  }
}

static const struct tvmq_implementation *computed_by(const union tvmq_desc *desc, const struct tvmq_env *env) {
  (void)env;
  if (desc->pool.in_type == TVMQ_TYPE_F32) return &tvmq_op_float_pool;
  return tvmq_pools_by_lines(&desc->pool) ? &tvmq_op_line_pool : NULL;
}

static void sign(const union tvmq_desc *desc, const struct tvmq_env *env, struct tvmq_text *text) {
  (void)env;
  const struct tvmq_pool_desc *d = &desc->pool;
  struct tvmq_geometry geometry;
  if (!tvmq_operator_pool.leavable(desc) || tvmq_pool_geometry(d, &geometry) != NULL) return;
  tvmq_say(text, " in=%s[%d,%d,%d,%d] window=%d,%d out=[%d,%d] stride=%d,%d pad=%d,%d", tvmq_type_name(d->in_type), d->batch, d->in_h, d->in_w, d->channels,
           d->filter_h, d->filter_w, d->out_h, d->out_w, d->stride_h, d->stride_w, geometry.pad_top, geometry.pad_left);
}

const struct tvmq_implementation tvmq_op_pool = {
    .n_tasks = n_tasks, .run_task = run_task, TVMQ_PLANNING(.computed_by = computed_by, .sign = sign, .plan = plan, .release = release, .info = info)};

const struct tvmq_implementation tvmq_op_reduce_by_pool = {
    .n_tasks = n_tasks, .run_task = run_task, TVMQ_PLANNING(.plan = plan_reduction, .release = release, .info = info)};
