// TRANSPOSE_CONV: the phases are divided into classes, and an ordinary convolution computes each class (phases.h). Its
// outputs are groups of pixels. One more pass copies the pixels to their places. With a stride of 1, the only
// convolution writes the output itself.
#include <string.h>

#include "base/arith.h"
#include "base/memory.h"
#include "base/recording.h"
#include "cpu/ops/conv/conv.h"
#include "cpu/ops/conv/conv_key.h"
#include "cpu/ops/conv/phases.h"
#include "cpu/ops/op.h"
#include "cpu/ops/pixels.h"
#include "cpu/plan/blocks.h"

struct phase_class {
  struct tvmq_phases phases;
  uint8_t *filter;
  struct tvmq_op *conv;
  size_t n_passes;
  size_t group_bytes;
  size_t groups;  // byte offset of the class's outputs in the scratch, after the scratch of the convolutions
};

struct transpose_conv {
  struct tvmq_conv_desc desc;
  struct phase_class classes[TVMQ_MOST_PHASE_CLASSES];
  size_t n_classes;
  // Bias and scales, repeated for each phase. A class uses as many repetitions as it has phases. NULL: no bias, or one
  // scale for all channels.
  uint8_t *bias;
  float *scales;
  size_t pixel_bytes;         // bytes of an output pixel
  size_t strips, strip_rows;  // strips per image in the last pass, and rows per strip
  size_t scratch_bytes;       // scratch of all threads
  const struct tvmq_scratch *scratch;
};

// ---- plan

static size_t n_phases(const struct tvmq_conv_desc *desc) { return (size_t)desc->stride_h * (size_t)desc->stride_w; }

// Returns whether the groups of the only class are already the output.
static bool is_direct(const struct transpose_conv *t) { return n_phases(&t->desc) == 1; }

static void drop(struct transpose_conv *t) {
  for (size_t i = 0; i < t->n_classes; i++) {
    tvmq_op_release(&tvmq_op_conv, t->classes[i].conv);
    tvmq_free(t->classes[i].filter);
  }
  tvmq_free(t->bias);
  tvmq_free(t->scales);
  *t = (struct transpose_conv){0};
}

// Returns n copies of `bytes` bytes, one for each phase, or NULL if out of memory.
static void *repeat(const void *from, size_t bytes, size_t n) {
  uint8_t *copies = tvmq_alloc_unset(bytes * n);
  for (size_t i = 0; copies != NULL && i < n; i++) memcpy(copies + i * bytes, from, bytes);
  return copies;
}

static const char *make_constants(struct transpose_conv *t, const struct tvmq_conv_desc *d) {
  const size_t n = n_phases(d), out_c = (size_t)d->out_c;
  for (size_t i = 0; i < t->n_classes; i++) {
    t->classes[i].filter = tvmq_phases_filter(d, &t->classes[i].phases);
    if (!t->classes[i].filter) return "out of memory";
  }
  if (d->n_filter_scales > 1) t->scales = repeat(d->filter_scales, out_c * sizeof *t->scales, n);
  if (d->bias) t->bias = repeat(d->bias, out_c * tvmq_type_bytes(d->bias_type), n);
  return (d->n_filter_scales > 1 && !t->scales) || (d->bias && !t->bias) ? "out of memory" : NULL;
}

static bool same_constants(const struct tvmq_conv_desc *a, const struct tvmq_conv_desc *b) {
  static const struct tvmq_trim whole;
  return tvmq_conv_same_weights(a, &whole, b, &whole) && a->stride_h == b->stride_h && a->stride_w == b->stride_w;
}

static bool same_classes(const struct transpose_conv *t, const struct tvmq_phases classes[], size_t n) {
  bool same = t->n_classes == n;
  for (size_t i = 0; same && i < n; i++) same = tvmq_same_phases(&t->classes[i].phases, &classes[i]);
  return same;
}

static const char *plan_class(struct transpose_conv *t, struct phase_class *class, const struct tvmq_env *env) {
  union tvmq_desc desc = {.conv = tvmq_phases_conv(&t->desc, &class->phases)};
  desc.conv.filter = class->filter;
  if (t->scales) {
    desc.conv.filter_scales = t->scales;
    desc.conv.n_filter_scales = desc.conv.out_c;
  }
  desc.conv.bias = t->bias;
  const char *why = tvmq_op_conv.plan(&class->conv, &desc, env);
  if (why) return why;
  for (class->n_passes = 0; tvmq_op_conv.n_tasks(class->conv, class->n_passes) > 0;) class->n_passes++;
  class->group_bytes = (size_t)tvmq_phases_count(&class->phases) * t->pixel_bytes;
  return NULL;
}

// Reserves scratch for the outputs of all classes, after the scratch that the convolutions use one after the other.
static const char *reserve(struct transpose_conv *t, const struct tvmq_env *env) {
  const struct tvmq_conv_desc *d = &t->desc;
  size_t size = 0, most = 0, first;
  for (size_t i = 0; i < t->n_classes; i++) {
    struct tvmq_op_info conv;
    tvmq_op_conv.info(t->classes[i].conv, &conv);
    most = tvmq_max(most, conv.scratch_bytes);
  }
  bool fits = tvmq_scratch_append(&size, most, 1, &first);
  for (size_t i = 0; fits && !is_direct(t) && i < t->n_classes; i++) {
    struct phase_class *class = &t->classes[i];
    const size_t n_groups = (size_t)d->batch * (size_t)class->phases.h.out * (size_t)class->phases.w.out;
    fits = tvmq_scratch_append(&size, n_groups, class->group_bytes, &class->groups);
  }
  if (!fits) return "scratch exceeds the address space";
  t->scratch_bytes = size;
  return tvmq_scratch_reserve(env->scratch, size, 0, 0) ? NULL : "out of memory";
}

static void cut_last_pass(struct transpose_conv *t, const struct tvmq_env *env) {
  const struct tvmq_conv_desc *d = &t->desc;
  const size_t rows = (size_t)d->out_h;
  const float copied = (float)d->batch * (float)rows * (float)d->out_w * (float)t->pixel_bytes;
  t->strips = tvmq_min(tvmq_ceil_div(tvmq_tasks_wanted(env->machine, env->threads, copied * env->machine->copied_byte_cycles), (size_t)d->batch), rows);
  t->strip_rows = tvmq_ceil_div(rows, t->strips);
  t->strips = tvmq_ceil_div(rows, t->strip_rows);
}

static size_t transformed_bytes(const struct transpose_conv *t) {
  size_t bytes = 0;
  for (size_t i = 0; i < t->n_classes; i++) {
    struct tvmq_op_info conv;
    tvmq_op_conv.info(t->classes[i].conv, &conv);
    bytes += conv.transformed_bytes;
  }
  return bytes;
}

// Finds the classes of the description. The estimates must not count the operator's own charge to the budget for
// transformed weights as used.
static const char *classify(const struct transpose_conv *t, const struct tvmq_conv_desc *desc, const struct tvmq_env *env, struct tvmq_phases classes[],
                            size_t *n) {
  struct tvmq_budget transformed = *env->transformed;
  transformed.used -= transformed_bytes(t);
  struct tvmq_env any = *env;
  any.transformed = &transformed;
  return tvmq_classify_phases(desc, &any, classes, n);
}

static const char *replan(struct transpose_conv *t, const struct tvmq_conv_desc *desc, const struct tvmq_env *env) {
  struct tvmq_env any = *env;
  any.constraint = NULL;
  any.content = NULL;  // the phases' weights differ from the node's
  struct tvmq_phases classes[TVMQ_MOST_PHASE_CLASSES];
  size_t n;
  const char *why = classify(t, desc, &any, classes, &n);
  if (why) return why;
  const bool kept = t->n_classes > 0 && same_constants(&t->desc, desc) && same_classes(t, classes, n);
  if (!kept) drop(t);
  t->desc = *desc;
  t->scratch = env->scratch;
  t->pixel_bytes = (size_t)desc->out_c * tvmq_type_bytes(desc->out_type);
  t->n_classes = n;
  for (size_t i = 0; i < n; i++) t->classes[i].phases = classes[i];
  if (!kept) why = make_constants(t, desc);
  for (size_t i = 0; !why && i < n; i++) why = plan_class(t, &t->classes[i], &any);
  if (why) return why;
  cut_last_pass(t, env);
  return reserve(t, env);
}

static void note_unread(const struct transpose_conv *t) {
  tvmq_conv_note_packed(&t->desc);
  for (size_t i = 0; i < t->n_classes; i++) tvmq_recording_note_unread(&t->classes[i].filter);
  tvmq_recording_note_unread(&t->bias);
  tvmq_recording_note_unread(&t->scales);
}

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (!*op) *op = tvmq_alloc(sizeof(struct transpose_conv));
  struct transpose_conv *t = (struct transpose_conv *)*op;
  if (!t) return "out of memory";
  const char *why = replan(t, &desc->conv, env);
  if (why) drop(t);
  note_unread(t);
  return why;
}

static void release(struct tvmq_op *op) {
  if (op) drop((struct transpose_conv *)op);
  tvmq_free(op);
}

// Reports the kernel and algorithm of the class that takes longest.
static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct transpose_conv *t = (const struct transpose_conv *)op;
  const struct tvmq_conv_desc *d = &t->desc;
  struct tvmq_op_info sum = {0}, longest = {0};
  for (size_t i = 0; i < t->n_classes; i++) {
    struct tvmq_op_info conv;
    tvmq_op_conv.info(t->classes[i].conv, &conv);
    if (i == 0 || conv.choice.cycles > longest.choice.cycles) longest = conv;
    sum.packed_bytes += conv.packed_bytes;
    sum.cycles += conv.choice.cycles;
    sum.packs = (uint32_t)tvmq_max(sum.packs, conv.packs);
  }
  *out = longest;
  out->choice = (struct tvmq_choice){0};  // the convolutions choose; a constraint cannot name a choice
  out->packed_bytes = sum.packed_bytes;
  out->transformed_bytes = transformed_bytes(t);
  out->cycles = sum.cycles;
  out->packs = sum.packs;
  out->scratch_bytes = t->scratch_bytes;
  out->macs =
      (uint64_t)d->batch * (uint64_t)d->in_h * (uint64_t)d->in_w * (uint64_t)d->in_c * (uint64_t)d->out_c * (uint64_t)d->filter_h * (uint64_t)d->filter_w;
}

// ---- run

// Returns the class of a pass, and sets *pass to the number of the pass within the class. Returns NULL for passes after
// those of all classes.
static const struct phase_class *class_of(const struct transpose_conv *t, size_t *pass) {
  for (size_t i = 0; i < t->n_classes; *pass -= t->classes[i++].n_passes) {
    if (*pass < t->classes[i].n_passes) return &t->classes[i];
  }
  return NULL;
}

static size_t n_tasks(const struct tvmq_op *op, size_t pass) {
  const struct transpose_conv *t = (const struct transpose_conv *)op;
  const struct phase_class *class = class_of(t, &pass);
  if (class) return tvmq_op_conv.n_tasks(class->conv, pass);
  return pass == 0 && !is_direct(t) ? (size_t)t->desc.batch * t->strips : 0;
}

// Copies n bytes like memcpy, without a call for runs of whole vectors.
static void copy_run(uint8_t *to, const uint8_t *from, size_t n) {
  enum { PIECE = 32, CALLED = 512 };
  if (n % PIECE != 0 || n >= CALLED) {
    tvmq_copy_pixel(to, from, n);
    return;
  }
  for (size_t i = 0; i < n; i += PIECE) memcpy(to + i, from + i, PIECE);
}

// Copies the pixels of row `y` of an image that belong to the class, group by group.
static void copy_pixels(const struct transpose_conv *t, const struct phase_class *class, size_t image, size_t y, uint8_t *to) {
  const struct tvmq_subpixels *h = &class->phases.h, *w = &class->phases.w;
  const size_t stride_h = (size_t)t->desc.stride_h, stride_w = (size_t)t->desc.stride_w, row = y + (size_t)h->skipped,
               phase = row % stride_h - (size_t)h->first;
  if (phase >= (size_t)h->phases) return;  // also true for a phase before the first one
  const size_t n = (size_t)w->phases, out_w = (size_t)t->desc.out_w, pixel_bytes = t->pixel_bytes;
  const uint8_t *from = t->scratch->memory + class->groups + (image * (size_t)h->out + row / stride_h) * (size_t)w->out * class->group_bytes;
  from += phase * n * pixel_bytes;
  // Columns are counted from the column of the first group's first phase. Columns before the output are skipped.
  const size_t begin = (size_t)w->skipped, end = begin + out_w;
  for (size_t at = (size_t)w->first; at < end; at += stride_w, from += class->group_bytes) {
    const size_t first = tvmq_max(at, begin), last = tvmq_min(at + n, end);
    if (first < last) copy_run(to + (first - begin) * pixel_bytes, from + (first - at) * pixel_bytes, (last - first) * pixel_bytes);
  }
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct transpose_conv *t = (const struct transpose_conv *)op;
  size_t number = pass->number;
  const struct phase_class *class = class_of(t, &number);
  if (class) {
    void *const out = is_direct(t) ? pass->outs[0] : t->scratch->memory + class->groups, *const outs[] = {out};
    tvmq_op_conv.run_task(class->conv, &(struct tvmq_pass){.number = number, .in = pass->in, .outs = outs}, task);
    return;
  }
  const size_t rows = (size_t)t->desc.out_h, row_bytes = (size_t)t->desc.out_w * t->pixel_bytes;
  const size_t first = tvmq_take_digit(&task.index, t->strips) * t->strip_rows, image = task.index, end = tvmq_min(first + t->strip_rows, rows);
  for (size_t y = first; y < end; y++) {
    uint8_t *to = (uint8_t *)pass->outs[0] + (image * rows + y) * row_bytes;
    for (size_t i = 0; i < t->n_classes; i++) copy_pixels(t, &t->classes[i], image, y, to);
  }
}

const struct tvmq_implementation tvmq_op_transpose_conv = {
    .n_tasks = n_tasks, .run_task = run_task, TVMQ_PLANNING(.plan = plan, .release = release, .info = info)};
