// Hybrid CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED: float32 activations, int8 weights. The passes:
// 1. find the range of the activations that share a scale (an image, or a row of FULLY_CONNECTED), if several tasks
//    share such an image;
// 2. quantize the activations to int8, and add padding around them;
// 3. run an int8 operator, by any of its algorithms, which stores int32 sums in the output tensor;
// 4. convert the sums to float32 in place, unless the int8 operator does so in its epilogue.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "base/memory.h"
#include "cpu/ops/conv/conv_key.h"
#include "cpu/ops/hybrid/float_scale.h"
#include "cpu/ops/hybrid/weight_sums.h"
#include "cpu/ops/op.h"
#include "cpu/plan/blocks.h"
#include "cpu/plan/select.h"
#include "operators/geometry.h"
#include "operators/quant_params.h"

struct range {
  float low, high;
};

struct hybrid {
  struct tvmq_conv_desc desc;
  union tvmq_desc sums_desc;  // description of the int8 operator
  const struct tvmq_implementation *sums_by;
  struct tvmq_op *sums;
  size_t passes_before, sums_passes;  // passes before those of the int8 operator, and its own
  const struct tvmq_variant *range, *steps, *results;
  int32_t *weight_sums;  // [output channels], computed by weight_sums.h
  float *weight_scales, *bias;
  bool asymmetric;
  enum tvmq_float_rounding rounding;
  enum tvmq_real_form form;
  struct tvmq_bounds bounds;

  size_t images, lines, line_elements, pixel_elements;  // sizes of the input; the elements of an image share one scale
  size_t top, bottom, left, right;                      // padding of the int8 image: lines above and below, bytes left and right of a line
  size_t task_images, pieces, piece_lines;              // a task of passes 1 and 2 is several images, or one piece of an image
  size_t out_pixels, out_tasks, task_pixels;            // pixels and tasks per image; a task of the last pass stays within one image
  size_t at_ranges, at_scales, at_bytes, scratch_bytes;
  const struct tvmq_scratch *scratch;
  float cycles;
};

// ---- plan

static enum tvmq_float_rounding rounding_of(const struct hybrid *h) {
  switch (h->desc.hybrid) {
    case TVMQ_HYBRID_PORTABLE:
      return TVMQ_FLOAT_ROUNDING_OF_THE_SUM;
    case TVMQ_HYBRID_SSE:
      return TVMQ_FLOAT_ROUNDING_HALF;
    default:
      return TVMQ_FLOAT_ROUNDING_AWAY;
  }
}

static void set_forms(struct hybrid *h) {
  const struct tvmq_conv_desc *d = &h->desc;
  const bool one_scale = tvmq_hybrid_has_one_scale(d);
  h->asymmetric = d->fully_connected ? d->asymmetric_inputs : d->depthwise || !one_scale;
  h->rounding = rounding_of(h);
  h->form = d->depthwise || d->fully_connected || one_scale ? TVMQ_REAL_BY_BOTH : TVMQ_REAL_IN_TURN;
  if (d->fully_connected && d->hybrid == TVMQ_HYBRID_NEON) h->form = TVMQ_REAL_FUSED;
  // Without an activation, FULLY_CONNECTED keeps infinities.
  h->bounds = tvmq_activation_bounds(d->activation, d->fully_connected ? INFINITY : FLT_MAX);
}

static bool set_channels(struct hybrid *h) {
  const struct tvmq_conv_desc *d = &h->desc;
  const size_t n = (size_t)d->out_c;
  tvmq_free(h->weight_sums);
  tvmq_free(h->weight_scales);
  tvmq_free(h->bias);
  h->weight_sums = tvmq_alloc(n * sizeof *h->weight_sums);
  h->weight_scales = tvmq_alloc(n * sizeof *h->weight_scales);
  h->bias = tvmq_alloc(n * sizeof *h->bias);
  if (h->weight_sums == NULL || h->weight_scales == NULL || h->bias == NULL) return false;
  for (size_t c = 0; c < n; c++) {
    h->weight_sums[c] = tvmq_hybrid_weight_sum(d, c);
    h->weight_scales[c] = d->filter_scales[d->n_filter_scales > 1 ? c : 0];
    // Adding -0.0 leaves every number unchanged. FULLY_CONNECTED adds to +0.0.
    h->bias[c] = d->fully_connected ? 0 : -0.0f;
    if (d->bias != NULL) memcpy(&h->bias[c], (const char *)d->bias + c * sizeof(float), sizeof(float));
  }
  return true;
}

// Sets the size of the image with its padding, and the number of images with a scale of their own.
static const char *set_shape(struct hybrid *h) {
  const struct tvmq_conv_desc *d = &h->desc;
  struct tvmq_geometry g;
  const char *why = tvmq_geometry(d, &g);
  if (why != NULL) return why;
  const size_t pixel = (size_t)d->in_c;
  h->images = (size_t)(d->fully_connected ? d->in_w : d->batch);
  h->lines = (size_t)(d->fully_connected ? 1 : d->in_h);
  h->pixel_elements = pixel;
  h->line_elements = pixel * (size_t)(d->fully_connected ? 1 : d->in_w);
  h->out_pixels = d->fully_connected ? 1 : (size_t)g.out_h * (size_t)g.out_w;
  h->top = (size_t)g.pad_top;
  h->left = (size_t)g.pad_left * pixel;
  h->bottom = (size_t)tvmq_pad_behind(d->in_h, g.pad_top, g.out_h, d->filter_h, d->stride_h, d->dilation_h);
  h->right = (size_t)tvmq_pad_behind(d->in_w, g.pad_left, g.out_w, d->filter_w, d->stride_w, d->dilation_w) * pixel;
  return NULL;
}

static size_t line_bytes(const struct hybrid *h) { return h->left + h->line_elements + h->right; }
static size_t image_lines(const struct hybrid *h) { return h->top + h->lines + h->bottom; }

// Describes the int8 operator: the padded image, without bias, scales and activation.
static void describe_sums(struct hybrid *h) {
  static const float one = 1;
  struct tvmq_conv_desc *d = &h->sums_desc.conv;
  *d = h->desc;
  d->in_type = TVMQ_TYPE_S8;
  d->out_type = TVMQ_TYPE_S32;
  d->in_h = d->fully_connected ? 1 : (int32_t)image_lines(h);
  d->in_w = d->fully_connected ? d->in_w : (int32_t)(line_bytes(h) / h->pixel_elements);
  d->padding = TVMQ_PADDING_VALID;
  d->border = (struct tvmq_border){0};
  d->activation = TVMQ_ACTIVATION_NONE;
  d->in = d->out = (struct tvmq_quant){.scale = 1};
  d->filter_scales = &one;
  d->n_filter_scales = 1;
  d->bias = NULL;
  d->bias_type = TVMQ_TYPE_S32;
}

static const char *plan_sums(struct hybrid *h, const struct tvmq_env *env, struct tvmq_op_info *info) {
  const union tvmq_desc *desc = &h->sums_desc;
  describe_sums(h);
  const struct tvmq_implementation *by = tvmq_op_computed_by(h->desc.depthwise ? &tvmq_op_depthwise : &tvmq_op_conv, desc, env);
  if (h->sums != NULL && by != h->sums_by) {
    tvmq_op_release(h->sums_by, h->sums);
    h->sums = NULL;
  }
  h->sums_by = by;
  const char *why = by->plan(&h->sums, desc, env);
  if (why != NULL) return why;
  by->info(h->sums, info);
  h->sums_passes = 0;
  while (by->n_tasks(h->sums, h->sums_passes) > 0) h->sums_passes++;
  return NULL;
}

// Divides images into pieces only if there are fewer images than tasks wanted.
static void cut(struct hybrid *h, const struct tvmq_env *env) {
  const size_t elements = h->images * h->lines * h->line_elements, results = h->images * h->out_pixels * (size_t)h->desc.out_c;
  const float in_cycles = (float)elements * (1 / tvmq_speed_of(h->range, env->machine).rate + 1 / tvmq_speed_of(h->steps, env->machine).rate);
  const float out_cycles = (float)results / tvmq_speed_of(h->results, env->machine).rate;
  const size_t in_tasks = tvmq_tasks_wanted(env->machine, env->threads, in_cycles), out_tasks = tvmq_tasks_wanted(env->machine, env->threads, out_cycles);
  h->piece_lines = tvmq_ceil_div(h->lines, tvmq_min(h->lines, tvmq_ceil_div(in_tasks, h->images)));
  h->pieces = tvmq_ceil_div(h->lines, h->piece_lines);
  h->passes_before = h->pieces > 1 ? 2 : 1;
  h->task_images = h->pieces > 1 ? 1 : tvmq_ceil_div(h->images, in_tasks);
  h->task_pixels = tvmq_ceil_div(h->out_pixels, tvmq_min(h->out_pixels, tvmq_ceil_div(out_tasks, h->images)));
  h->out_tasks = tvmq_ceil_div(h->out_pixels, h->task_pixels);
  h->cycles = in_cycles + out_cycles;
}

// Reserves scratch for ranges, scales and bytes, after the int8 operator's own scratch of `before` bytes.
static bool reserve(struct hybrid *h, size_t before, const struct tvmq_env *env) {
  size_t size = 0, unused, n_lines, n_ranges;
  h->scratch = env->scratch;
  const bool fits = tvmq_mul_size(h->images, image_lines(h), &n_lines) && tvmq_mul_size(h->images, h->pieces, &n_ranges) &&
                    tvmq_scratch_append(&size, before, 1, &unused) && tvmq_scratch_append(&size, n_ranges, sizeof(struct range), &h->at_ranges) &&
                    tvmq_scratch_append(&size, h->images, sizeof(struct tvmq_float_scale), &h->at_scales) &&
                    tvmq_scratch_append(&size, n_lines, line_bytes(h), &h->at_bytes);
  h->scratch_bytes = size;
  return fits && tvmq_scratch_reserve(env->scratch, size, 0, 1);
}

static const char *replan(struct hybrid *h, const struct tvmq_conv_desc *desc, const struct tvmq_env *caller) {
  struct tvmq_env env = *caller;
  env.constraint = NULL;
  h->desc = *desc;
  set_forms(h);
  const struct tvmq_target target = tvmq_target(&env);
  h->range = tvmq_select_untyped(TVMQ_FAMILY_FLOAT_RANGE, &target);
  h->steps = tvmq_select_untyped(TVMQ_FAMILY_FLOAT_QUANTIZE, &target);
  h->results = tvmq_select_untyped(TVMQ_FAMILY_FLOAT_DEQUANTIZE, &target);
  const char *why = set_shape(h);
  if (why != NULL) return why;
  if (!set_channels(h)) return "out of memory";
  struct tvmq_op_info info;
  why = plan_sums(h, &env, &info);
  if (why != NULL) return why;
  tvmq_conv_note_packed(&h->desc);
  tvmq_conv_note_packed(&h->sums_desc.conv);
  cut(h, &env);
  h->cycles += info.choice.cycles;
  return reserve(h, info.scratch_bytes, &env) ? NULL : "out of memory";
}

static void release(struct tvmq_op *op) {
  struct hybrid *h = (struct hybrid *)op;
  if (h == NULL) return;
  if (h->sums != NULL) tvmq_op_release(h->sums_by, h->sums);
  tvmq_free(h->weight_sums);
  tvmq_free(h->weight_scales);
  tvmq_free(h->bias);
  tvmq_free(h);
}

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (*op == NULL) *op = tvmq_alloc(sizeof(struct hybrid));
  return *op != NULL ? replan((struct hybrid *)*op, &desc->conv, env) : "out of memory";
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct hybrid *h = (const struct hybrid *)op;
  h->sums_by->info(h->sums, out);
  out->choice = (struct tvmq_choice){.algorithm = TVMQ_ALGORITHM_ANY};
  out->cycles = h->cycles;
  out->scratch_bytes = h->scratch_bytes;
}

// ---- run

static size_t n_tasks(const struct tvmq_op *op, size_t pass) {
  const struct hybrid *h = (const struct hybrid *)op;
  if (pass < h->passes_before) return tvmq_ceil_div(h->images, h->task_images) * h->pieces;
  if (pass < h->passes_before + h->sums_passes) return h->sums_by->n_tasks(h->sums, pass - h->passes_before);
  return pass == h->passes_before + h->sums_passes && !h->sums_by->runs_epilogue ? h->images * h->out_tasks : 0;
}

static struct range *ranges(const struct hybrid *h) { return (struct range *)(h->scratch->memory + h->at_ranges); }
static struct tvmq_float_scale *scales(const struct hybrid *h) { return (struct tvmq_float_scale *)(h->scratch->memory + h->at_scales); }

// Lines [first, first + n) of an image: piece `number`.
struct piece {
  size_t image, number, first, n;
};

static void find_range(const struct hybrid *h, const float *in, const struct piece *piece) {
  struct range range = {0, 0};
  h->range->fn.float_range(&(struct tvmq_float_range_args){
      .in = in + (piece->image * h->lines + piece->first) * h->line_elements, .n = piece->n * h->line_elements, .low = &range.low, .high = &range.high});
  ranges(h)[piece->image * h->pieces + piece->number] = range;
}

static struct tvmq_float_scale scale_of(const struct hybrid *h, size_t image) {
  struct range range = {0, 0};
  for (const struct range *r = ranges(h) + image * h->pieces, *end = r + h->pieces; r < end; r++) {
    range.low = r->low < range.low ? r->low : range.low;
    range.high = r->high > range.high ? r->high : range.high;
  }
  return tvmq_float_scale(h->desc.hybrid, h->asymmetric, range.low, range.high);
}

// Returns the elements of a line of the reference's image, which includes the zeros of a folded PAD.
static size_t bordered_line(const struct hybrid *h) { return h->line_elements + (size_t)(h->desc.border.left + h->desc.border.right) * h->pixel_elements; }

// Quantizes elements [first, first + n) of an image. The NEON kernels translated to SSE quantize eight elements of the
// bordered image at a time, and round the remaining ones differently.
static void make_steps(const struct hybrid *h, const float *image, size_t first, size_t n, const struct tvmq_float_scale *scale, int8_t *out) {
  enum { AT_A_TIME = 8 };
  const struct tvmq_border *border = &h->desc.border;
  const size_t elements = ((size_t)(border->top + border->bottom) + h->lines) * bordered_line(h), line = first / h->line_elements;
  const size_t before = ((size_t)border->top + line) * bordered_line(h) + (size_t)border->left * h->pixel_elements - line * h->line_elements;
  const size_t last = elements / AT_A_TIME * AT_A_TIME, eights = last > before ? last - before : 0;
  const bool splits = h->rounding == TVMQ_FLOAT_ROUNDING_HALF && first + n > eights;
  const size_t n_eights = !splits ? n : first < eights ? eights - first : 0;
  struct tvmq_float_quantize_args args = {.in = image + first,
                                          .out = out,
                                          .n = n_eights,
                                          .rounding = h->rounding,
                                          .inverse = scale->inverse,
                                          .zero_point = scale->zero_point,
                                          .min = h->asymmetric ? INT8_MIN : -INT8_MAX};
  h->steps->fn.float_quantize(&args);
  if (n_eights == n) return;
  args.in += n_eights;
  args.out += n_eights;
  args.n = n - n_eights;
  args.rounding = TVMQ_FLOAT_ROUNDING_AWAY;
  h->steps->fn.float_quantize(&args);
}

// Quantizes the lines of a piece, with the padding left and right, and writes the padding above and below the image.
static void make_bytes(const struct hybrid *h, const float *in, const struct piece *piece) {
  const struct tvmq_float_scale scale = scale_of(h, piece->image);
  const size_t pitch = line_bytes(h);
  const bool is_last = piece->first + piece->n == h->lines;
  const float *const image = in + piece->image * h->lines * h->line_elements;
  int8_t *out = (int8_t *)h->scratch->memory + h->at_bytes + (piece->image * image_lines(h) + h->top + piece->first) * pitch;
  if (piece->number == 0) {
    scales(h)[piece->image] = scale;
    memset(out - h->top * pitch, scale.zero_point, h->top * pitch);
  }
  if (is_last) memset(out + piece->n * pitch, scale.zero_point, h->bottom * pitch);
  if (pitch == h->line_elements && bordered_line(h) == pitch) {
    make_steps(h, image, piece->first * pitch, piece->n * pitch, &scale, out);
    return;
  }
  for (size_t y = piece->first; y < piece->first + piece->n; y++, out += pitch) {
    memset(out, scale.zero_point, h->left);
    make_steps(h, image, y * h->line_elements, h->line_elements, &scale, out + h->left);
    memset(out + h->left + h->line_elements, scale.zero_point, h->right);
  }
}

static void run_pieces(const struct hybrid *h, const struct tvmq_pass *pass, size_t task) {
  const size_t number = task % h->pieces, first = number * h->piece_lines, image = task / h->pieces * h->task_images;
  for (size_t i = image; i < tvmq_min(image + h->task_images, h->images); i++) {
    const struct piece piece = {.image = i, .number = number, .first = first, .n = tvmq_min(h->piece_lines, h->lines - first)};
    if (pass->number == 0) find_range(h, pass->in[0], &piece);
    if (pass->number == h->passes_before - 1) make_bytes(h, pass->in[0], &piece);
  }
}

// Converts the sums of a part of the output to results: image by image, or at once if an image has one pixel.
static void finish(const struct hybrid *h, void *out, struct tvmq_part part) {
  const size_t channels = (size_t)h->desc.out_c;
  const size_t scale_step = h->out_pixels == 1 ? 1 : 0;
  for (size_t rows; part.n > 0; part.first += rows, part.n -= rows) {
    const size_t image = part.first / h->out_pixels;
    rows = scale_step > 0 ? part.n : tvmq_min((image + 1) * h->out_pixels - part.first, part.n);
    h->results->fn.float_dequantize(&(struct tvmq_float_dequantize_args){
        .sums = (char *)out + (part.first * channels + part.channel) * sizeof(float),
        .rows = rows,
        .stride = channels,
        .channels = part.channels,
        .weight_sums = h->weight_sums + part.channel,
        .weight_scales = h->weight_scales + part.channel,
        .bias = h->bias + part.channel,
        .scales = &scales(h)[image],
        .scale_step = scale_step,
        .form = h->form,
        .min = h->bounds.low,
        .max = h->bounds.high,
    });
  }
}

struct finisher {
  struct tvmq_epilogue epilogue;
  const struct hybrid *hybrid;
  void *out;
};

static void finish_part(const struct tvmq_epilogue *epilogue, const struct tvmq_part *part) {
  const struct finisher *finisher = (const struct finisher *)epilogue;
  finish(finisher->hybrid, finisher->out, *part);
}

static void run_sums(const struct hybrid *h, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct finisher finisher = {{finish_part}, h, pass->outs[0]};
  const void *in[] = {h->scratch->memory + h->at_bytes};
  struct tvmq_pass inner = *pass;
  inner.number -= h->passes_before;
  inner.in = in;
  inner.epilogue = &finisher.epilogue;
  h->sums_by->run_task(h->sums, &inner, task);
}

static void run_results(const struct hybrid *h, const struct tvmq_pass *pass, size_t task) {
  const size_t image = task / h->out_tasks, first = task % h->out_tasks * h->task_pixels;
  const struct tvmq_part part = {image * h->out_pixels + first, tvmq_min(h->task_pixels, h->out_pixels - first), 0, (size_t)h->desc.out_c};
  finish(h, pass->outs[0], part);
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct hybrid *h = (const struct hybrid *)op;
  if (pass->number < h->passes_before)
    run_pieces(h, pass, task.index);
  else if (pass->number < h->passes_before + h->sums_passes)
    run_sums(h, pass, task);
  else
    run_results(h, pass, task.index);
}

const struct tvmq_implementation tvmq_op_hybrid = {.n_tasks = n_tasks, .run_task = run_task, TVMQ_PLANNING(.plan = plan, .release = release, .info = info)};
