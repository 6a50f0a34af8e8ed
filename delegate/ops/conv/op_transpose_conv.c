// TRANSPOSE_CONV: an ordinary convolution computes all its phases (subpixels.h), and one more pass puts the pixels of each group into their places. With a
// stride of 1 the convolution is all.
#include <string.h>

#include "base/arith.h"
#include "base/memory.h"
#include "ops/claims/claim.h"
#include "ops/op.h"
#include "ops/pixels.h"
#include "ops/subpixels.h"
#include "plan/blocks.h"

struct transpose_conv {
  struct tvmq_conv_desc desc;
  struct tvmq_subpixels h, w;
  struct tvmq_op *conv;
  // The arrays that the convolutions of all phases are made of. Scales and biases are the description's own where one phase is all or one scale serves all.
  uint8_t *filter, *bias;
  float *scales;
  size_t conv_passes;
  size_t pixel_bytes;         // of the output
  size_t groups;              // byte offset in the scratch, behind what the convolution has there: its outputs
  size_t strips, strip_rows;  // of an image, into which the last pass is cut
  size_t scratch_bytes;       // of both
  const struct tvmq_scratch *scratch;
};

// ---- plan

static size_t phases(const struct tvmq_conv_desc *desc) { return (size_t)desc->stride_h * (size_t)desc->stride_w; }

// A group is the output already.
static bool is_direct(const struct transpose_conv *t) { return phases(&t->desc) == 1; }

static void drop(struct transpose_conv *t) {
  tvmq_op_release(&tvmq_op_conv, t->conv);
  tvmq_free(t->filter);
  tvmq_free(t->bias);
  tvmq_free(t->scales);
  *t = (struct transpose_conv){0};
}

static void fill_filter(const struct transpose_conv *t) {
  const struct tvmq_conv_desc *d = &t->desc;
  const size_t depth = (size_t)d->filter_c, filter_h = (size_t)d->filter_h, filter_w = (size_t)d->filter_w;
  uint8_t *to = t->filter;
  for (int32_t phase = 0; phase < d->stride_h * d->stride_w; phase++) {
    for (size_t o = 0; o < (size_t)d->out_c; o++) {
      const uint8_t *channel = (const uint8_t *)d->filter + o * filter_h * filter_w * depth;
      for (int32_t tap = 0; tap < t->h.taps * t->w.taps; tap++, to += depth) {
        const size_t y = (size_t)tvmq_subpixel_tap(&t->h, d->stride_h, phase / d->stride_w, tap / t->w.taps);
        const size_t x = (size_t)tvmq_subpixel_tap(&t->w, d->stride_w, phase % d->stride_w, tap % t->w.taps);
        if (y < filter_h && x < filter_w) {
          memcpy(to, channel + (y * filter_w + x) * depth, depth);
        } else {
          memset(to, (uint8_t)d->filter_zero_point, depth);
        }
      }
    }
  }
}

// A copy of `bytes` bytes for each phase.
static void *repeat(const void *from, size_t bytes, size_t n) {
  uint8_t *copies = tvmq_alloc_unset(bytes * n);
  for (size_t i = 0; copies != NULL && i < n; i++) memcpy(copies + i * bytes, from, bytes);
  return copies;
}

static const char *make_constants(struct transpose_conv *t) {
  const struct tvmq_conv_desc *d = &t->desc;
  const size_t n = phases(d), out_c = (size_t)d->out_c;
  t->filter = tvmq_alloc_unset(n * out_c * (size_t)t->h.taps * (size_t)t->w.taps * (size_t)d->filter_c);  // fits int32: claimed
  if (!t->filter) return "out of memory";
  fill_filter(t);
  if (d->n_filter_scales > 1) t->scales = repeat(d->filter_scales, out_c * sizeof *t->scales, n);
  if (d->bias) t->bias = repeat(d->bias, out_c * tvmq_type_bytes(d->bias_type), n);
  return (d->n_filter_scales > 1 && !t->scales) || (d->bias && !t->bias) ? "out of memory" : NULL;
}

static bool same_constants(const struct tvmq_conv_desc *a, const struct tvmq_conv_desc *b) {
  return a->filter == b->filter && a->bias == b->bias && a->bias_type == b->bias_type && a->filter_scales == b->filter_scales &&
         a->n_filter_scales == b->n_filter_scales && a->filter_zero_point == b->filter_zero_point && a->out_c == b->out_c && a->filter_h == b->filter_h &&
         a->filter_w == b->filter_w && a->filter_c == b->filter_c && a->stride_h == b->stride_h && a->stride_w == b->stride_w;
}

// Room for the convolution's outputs, and how the last pass is cut.
static const char *plan_last_pass(struct transpose_conv *t, const struct tvmq_env *env) {
  const struct tvmq_conv_desc *d = &t->desc;
  struct tvmq_op_info conv;
  tvmq_op_conv.info(t->conv, &conv);
  const size_t rows = (size_t)d->out_h, group_bytes = phases(d) * t->pixel_bytes;
  const float copied = (float)d->batch * (float)rows * (float)d->out_w * (float)t->pixel_bytes;
  t->strips = tvmq_min(tvmq_ceil_div(tvmq_tasks_wanted(env->machine, env->threads, copied * env->machine->copied_byte_cycles), (size_t)d->batch), rows);
  t->strip_rows = tvmq_ceil_div(rows, t->strips);
  t->strips = tvmq_ceil_div(rows, t->strip_rows);
  size_t size = 0, first;
  if (!tvmq_scratch_append(&size, conv.scratch_bytes, 1, &first) ||
      !tvmq_scratch_append(&size, (size_t)d->batch * (size_t)t->h.out * (size_t)t->w.out, group_bytes, &t->groups))
    return "scratch exceeds the address space";
  t->scratch_bytes = size;
  return tvmq_scratch_reserve(env->scratch, size, 0, 0) ? NULL : "out of memory";
}

static const char *replan(struct transpose_conv *t, const struct tvmq_conv_desc *desc, const struct tvmq_env *env) {
  if (t->filter && !same_constants(&t->desc, desc)) drop(t);
  t->desc = *desc;
  t->scratch = env->scratch;
  t->pixel_bytes = (size_t)desc->out_c * tvmq_type_bytes(desc->out_type);
  const char *why = tvmq_find_subpixels(desc, &t->h, &t->w);
  if (!why && !t->filter) why = make_constants(t);
  if (why) return why;
  struct tvmq_conv_desc conv = tvmq_subpixel_phase(desc, &t->h, &t->w);
  conv.out_c = (int32_t)phases(desc) * desc->out_c;
  conv.filter = t->filter;
  if (t->scales) {
    conv.filter_scales = t->scales;
    conv.n_filter_scales = conv.out_c;
  }
  conv.bias = t->bias;
  struct tvmq_env any = *env;
  any.wish = NULL;
  any.content = NULL;  // the phases' weights are others than the node's
  why = tvmq_op_conv.plan(&t->conv, &(union tvmq_desc){.conv = conv}, &any);
  if (why) return why;
  t->conv_passes = 0;
  while (tvmq_op_conv.n_tasks(t->conv, t->conv_passes) > 0) t->conv_passes++;
  return is_direct(t) ? NULL : plan_last_pass(t, env);
}

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (!*op) *op = tvmq_alloc(sizeof(struct transpose_conv));
  struct transpose_conv *t = (struct transpose_conv *)*op;
  if (!t) return "out of memory";
  const char *why = replan(t, &desc->conv, env);
  if (why) drop(t);
  return why;
}

static void release(struct tvmq_op *op) {
  if (op) drop((struct transpose_conv *)op);
  tvmq_free(op);
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct transpose_conv *t = (const struct transpose_conv *)op;
  const struct tvmq_conv_desc *d = &t->desc;
  tvmq_op_conv.info(t->conv, out);
  out->cycles = out->choice.cycles;
  out->choice = (struct tvmq_choice){0};  // the convolution's own: it cannot be wished for
  out->macs =
      (uint64_t)d->batch * (uint64_t)d->in_h * (uint64_t)d->in_w * (uint64_t)d->in_c * (uint64_t)d->out_c * (uint64_t)d->filter_h * (uint64_t)d->filter_w;
  if (!is_direct(t)) out->scratch_bytes = t->scratch_bytes;
}

// ---- run

static size_t n_tasks(const struct tvmq_op *op, size_t pass) {
  const struct transpose_conv *t = (const struct transpose_conv *)op;
  if (pass < t->conv_passes) return tvmq_op_conv.n_tasks(t->conv, pass);
  return pass == t->conv_passes && !is_direct(t) ? (size_t)t->desc.batch * t->strips : 0;
}

// memcpy, without a call for runs of whole vectors.
static void copy_run(uint8_t *to, const uint8_t *from, size_t n) {
  enum { PIECE = 32, CALLED = 512 };
  if (n % PIECE != 0 || n >= CALLED) {
    tvmq_copy_pixel(to, from, n);
    return;
  }
  for (size_t i = 0; i < n; i += PIECE) memcpy(to + i, from + i, PIECE);
}

// Row `y` of an image: the pixels of one phase of its rows, from group to group.
static void copy_row(const struct transpose_conv *t, const uint8_t *image, size_t y, uint8_t *to) {
  const size_t stride_h = (size_t)t->desc.stride_h, stride_w = (size_t)t->desc.stride_w, group_bytes = phases(&t->desc) * t->pixel_bytes;
  const size_t from_first = y + (size_t)t->h.skipped;
  const uint8_t *from = image + from_first / stride_h * (size_t)t->w.out * group_bytes + from_first % stride_h * stride_w * t->pixel_bytes;
  size_t left = (size_t)t->desc.out_w, skipped = (size_t)t->w.skipped;
  for (; left > 0; from += group_bytes, skipped = 0) {
    const size_t n = tvmq_min(stride_w - skipped, left), bytes = n * t->pixel_bytes;
    copy_run(to, from + skipped * t->pixel_bytes, bytes);
    to += bytes;
    left -= n;
  }
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct transpose_conv *t = (const struct transpose_conv *)op;
  if (is_direct(t)) {
    tvmq_op_conv.run_task(t->conv, pass, task);
    return;
  }
  uint8_t *groups = t->scratch->memory + t->groups;
  if (pass->number < t->conv_passes) {
    void *const outs[] = {groups};
    const struct tvmq_pass conv = {.number = pass->number, .in = pass->in, .outs = outs, .out = groups};
    tvmq_op_conv.run_task(t->conv, &conv, task);
    return;
  }
  const size_t rows = (size_t)t->desc.out_h, row_bytes = (size_t)t->desc.out_w * t->pixel_bytes, group_bytes = phases(&t->desc) * t->pixel_bytes;
  const size_t image = task.index / t->strips, first = task.index % t->strips * t->strip_rows, end = tvmq_min(first + t->strip_rows, rows);
  const uint8_t *from = groups + image * (size_t)t->h.out * (size_t)t->w.out * group_bytes;
  for (size_t y = first; y < end; y++) copy_row(t, from, y, (uint8_t *)pass->out + (image * rows + y) * row_bytes);
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_transpose_conv(&desc->conv); }

const struct tvmq_op_class tvmq_op_transpose_conv = {
    .claim = claim, .claim_fast_math = tvmq_claim_fast_math_conv, .plan = plan, .n_tasks = n_tasks, .run_task = run_task, .release = release, .info = info};
