// RESIZE_BILINEAR. Input rows are first interpolated along their columns, exactly, in integers. An output row is then
// interpolated between two of these rows. Threads divide the output rows into strips, so that an interpolated row
// serves all neighbouring output rows.
#include "base/arith.h"
#include "base/memory.h"
#include "cpu/ops/op.h"
#include "cpu/ops/plain.h"
#include "cpu/plan/blocks.h"
#include "cpu/plan/select.h"
#include "operators/resize_weights.h"

struct resize {
  struct tvmq_resize_desc desc;
  const struct tvmq_variant *variant;
  struct tvmq_between *columns, *rows;  // one entry per output column or row; one allocation
  int32_t shift;                        // sum of the shifts of both axes
  size_t element_bytes, row_elements;   // bytes of an element, elements of an output row
  size_t strips, strip_rows;            // strips per image, rows per strip
  size_t slice_bytes, scratch_bytes;    // scratch of one thread, and of all threads
  const struct tvmq_scratch *scratch;
  float cycles;  // estimate for one thread
};

static const struct tvmq_variant *select_kernel(const union tvmq_desc *desc, const struct tvmq_target *target) {
  return tvmq_select_elementwise(TVMQ_FAMILY_INTERPOLATE, TVMQ_TYPE_S32, tvmq_kernel_type(desc->resize.in_type), target);
}

static size_t n_elements(const struct tvmq_resize_desc *d) { return (size_t)d->batch * (size_t)d->out_h * (size_t)d->out_w * (size_t)d->channels; }

static size_t candidates(const union tvmq_desc *desc, const struct tvmq_env *env, struct tvmq_choice *list, size_t max) {
  return tvmq_plain_candidates(select_kernel, desc, n_elements(&desc->resize), env, list, max);
}

static void sign(const union tvmq_desc *desc, const struct tvmq_env *env, struct tvmq_text *text) {
  const struct tvmq_resize_desc *d = &desc->resize;
  (void)env;
  tvmq_plain_sign(d->in_type, d->out_type, n_elements(d), text);
  tvmq_say(text, " size=%d,%d,%d scaled=%d,%d", d->out_h, d->out_w, d->channels, d->in_h, d->in_w);
}

static const char *replan(struct resize *r, const union tvmq_desc *whole, const struct tvmq_env *env) {
  const struct tvmq_resize_desc *desc = &whole->resize;
  tvmq_free(r->columns);
  *r = (struct resize){.desc = *desc,
                       .variant = tvmq_plain_choose(select_kernel, whole, env),
                       .element_bytes = tvmq_type_bytes(desc->in_type),
                       .row_elements = (size_t)desc->out_w * (size_t)desc->channels,
                       .scratch = env->scratch};
  if (!r->variant) return "no kernel for this type";
  const size_t out_h = (size_t)desc->out_h, out_w = (size_t)desc->out_w;
  r->columns = tvmq_alloc((out_w + out_h) * sizeof r->columns[0]);
  if (!r->columns) return "out of memory";
  r->rows = r->columns + out_w;
  const int32_t row_shift = tvmq_resize_shift(desc, desc->in_h, desc->out_h), column_shift = tvmq_resize_shift(desc, desc->in_w, desc->out_w);
  for (int32_t i = 0; i < desc->out_w; i++) r->columns[i] = tvmq_resize_at(desc, desc->in_w, desc->out_w, column_shift, i);
  for (int32_t i = 0; i < desc->out_h; i++) r->rows[i] = tvmq_resize_at(desc, desc->in_h, desc->out_h, row_shift, i);
  r->shift = row_shift + column_shift;

  r->cycles = (float)desc->batch * (float)out_h * (float)r->row_elements / tvmq_speed_of(r->variant, env->machine).rate;
  r->strips = tvmq_min(tvmq_ceil_div(tvmq_tasks_wanted(env->machine, env->threads, r->cycles), (size_t)desc->batch), out_h);
  r->strip_rows = tvmq_ceil_div(out_h, r->strips);
  r->strips = tvmq_ceil_div(out_h, r->strip_rows);
  size_t size = 0, at;
  if (!tvmq_scratch_append(&size, 2 * r->row_elements, sizeof(int32_t), &at)) return "scratch exceeds the address space";
  const size_t n_threads = (size_t)tvmq_threads_count(env->threads);
  r->slice_bytes = size;
  r->scratch_bytes = size * n_threads;
  return tvmq_scratch_reserve(env->scratch, 0, size, n_threads) ? NULL : "out of memory";
}

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (!*op) *op = tvmq_alloc(sizeof(struct resize));
  return *op ? replan((struct resize *)*op, desc, env) : "out of memory";
}

static void release(struct tvmq_op *op) {
  if (op) tvmq_free(((struct resize *)op)->columns);
  tvmq_free(op);
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct resize *r = (const struct resize *)op;
  *out = (struct tvmq_op_info){.kernel = r->variant->name,
                               .algorithm = "rows between rows",
                               .choice = tvmq_plain_choice(r->variant),
                               .scratch_bytes = r->scratch_bytes,
                               .cycles = r->cycles};
}

static size_t n_tasks(const struct tvmq_op *op, size_t pass) {
  const struct resize *r = (const struct resize *)op;
  return pass > 0 ? 0 : (size_t)r->desc.batch * r->strips;
}

// Rows that are already interpolated. Input row y is kept in slot y modulo 2, so that neighbouring rows have different
// slots.
struct lines {
  const struct resize *resize;
  const uint8_t *image;
  int32_t *memory;
  int32_t held[2];  // the row in each slot; -1: none
};

// Returns the slot of row y. Sets *in to the input row if the kernel must still interpolate it, else to NULL.
static int32_t *line(struct lines *lines, int32_t y, const void **in) {
  const struct resize *r = lines->resize;
  const int place = y % 2;
  *in = lines->held[place] != y ? lines->image + (size_t)y * (size_t)r->desc.in_w * (size_t)r->desc.channels * r->element_bytes : NULL;
  lines->held[place] = y;
  return lines->memory + (size_t)place * r->row_elements;
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct resize *r = (const struct resize *)op;
  const size_t first = tvmq_take_digit(&task.index, r->strips) * r->strip_rows, image = task.index,
               end = tvmq_min(first + r->strip_rows, (size_t)r->desc.out_h);
  const size_t in_bytes = (size_t)r->desc.in_h * (size_t)r->desc.in_w * (size_t)r->desc.channels * r->element_bytes,
               row_bytes = r->row_elements * r->element_bytes;
  struct lines lines = {.resize = r,
                        .image = (const uint8_t *)pass->in[0] + image * in_bytes,
                        .memory = (int32_t *)(r->scratch->memory + (size_t)task.thread * r->slice_bytes),
                        .held = {-1, -1}};
  for (size_t y = first; y < end; y++) {
    const struct tvmq_between *row = &r->rows[y];
    struct tvmq_interpolate_args args = {
        .is_unsigned = r->desc.in_type == TVMQ_TYPE_U8,
        .columns = r->columns,
        .n_columns = (size_t)r->desc.out_w,
        .channels = (size_t)r->desc.channels,
        .weights = {row->weights[0], row->weights[1]},
        .shift = r->shift,
        .out = (uint8_t *)pass->outs[0] + (image * (size_t)r->desc.out_h + y) * row_bytes,
    };
    for (int i = 0; i < 2; i++) args.rows[i] = line(&lines, row->at[i], &args.in[i]);
    r->variant->fn.interpolate(&args);
  }
}

const struct tvmq_implementation tvmq_op_resize_bilinear = {
    .n_tasks = n_tasks, .run_task = run_task, TVMQ_PLANNING(.candidates = candidates, .sign = sign, .plan = plan, .release = release, .info = info)};
