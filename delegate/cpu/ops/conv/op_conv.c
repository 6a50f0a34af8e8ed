// CONV_2D and FULLY_CONNECTED: the frame around the algorithms for convolutions (conv.h).
#include <string.h>

#include "base/arith.h"
#include "base/memory.h"
#include "base/recording.h"
#include "cpu/ops/conv/conv.h"
#include "cpu/ops/conv/conv_key.h"
#include "cpu/ops/conv/rows.h"
#include "packing/packed.h"

// Sets the output channels of panel `p`, and its first channel; returns the number of channels.
static size_t panel_channels(const struct tvmq_conv *c, const uint8_t *filter, size_t p, size_t *first, struct tvmq_channel *channels) {
  const size_t nr = c->choice.variant->layout.nr, in_group = p % c->choice.panels * nr, n = tvmq_min(c->problem.group_n - in_group, nr);
  *first = p / c->choice.panels * c->problem.group_n + in_group;
  for (size_t j = 0; j < n; j++) channels[j] = tvmq_conv_channel(&c->problem.desc, &c->problem.quant, filter, *first + j);
  return n;
}

// Arguments of packing: the weights, and buffers for each thread and each panel.
struct packing {
  const struct tvmq_conv *conv;
  const uint8_t *filter;
  struct tvmq_channel_params *params;  // [output channels]
  struct tvmq_channel *channels;       // channels of one panel for each thread
  uint32_t *invariants;                // [panels]
  uint8_t *panels;
};

static void pack_panel(void *context, struct tvmq_task task) {
  const struct packing *packing = context;
  const struct tvmq_conv *c = packing->conv;
  struct tvmq_channel *channels = packing->channels + (size_t)task.thread * c->choice.variant->layout.nr;
  struct tvmq_stage stage = c->problem.quant.stage;
  size_t first;
  const size_t n = panel_channels(c, packing->filter, task.index, &first, channels);
  struct tvmq_channel_params *params = packing->params + first;
  tvmq_conv_lower(&c->problem.desc, &c->problem.quant, c->choice.variant->layout.a_offset, c->form, channels, first, n, &stage, params);
  packing->invariants[task.index] = tvmq_invariants_of(&stage);
  c->choice.algorithm->method->pack(&c->problem, &c->choice, channels, params, n, packing->panels + task.index * c->choice.panel.size);
}

// Returns the threads for packing, if the weights take longer than waking threads. A trace contains only inferences.
static struct tvmq_threads *packing_threads(const struct tvmq_conv *c, size_t n_panels) {
  enum { LEAST_BYTES = 1 << 16 };
  return n_panels * c->choice.panel.size >= LEAST_BYTES && !tvmq_threads_traced(c->threads) ? c->threads : NULL;
}

// Packs the trimmed filter. The invariants of the weights are those that all panels keep. Returns false if out of memory.
static bool fill(void *context, uint8_t *panels, uint32_t *invariants) {
  const struct tvmq_conv *c = context;
  const size_t n_panels = c->choice.panels * c->problem.groups, n_threads = (size_t)tvmq_threads_count(c->threads);
  uint8_t *copy = NULL;
  struct packing packing = {
      .conv = c,
      .filter = tvmq_trimmed_filter(&c->problem.trim, &c->problem.kept, false, &copy),
      .params = tvmq_alloc((size_t)c->problem.desc.out_c * sizeof *packing.params),
      .channels = tvmq_alloc(n_threads * c->choice.variant->layout.nr * sizeof *packing.channels),
      .invariants = tvmq_alloc(n_panels * sizeof *packing.invariants),
      .panels = panels,
  };
  const bool complete = packing.filter && packing.params && packing.channels && packing.invariants;
  if (complete) tvmq_threads_run(packing_threads(c, n_panels), n_panels, pack_panel, &packing);
  *invariants = UINT32_MAX;
  for (size_t p = 0; complete && p < n_panels; p++) *invariants &= packing.invariants[p];
  tvmq_free(packing.params);
  tvmq_free(packing.channels);
  tvmq_free(packing.invariants);
  if (packing.filter) tvmq_free(copy);
  return complete;
}

static struct tvmq_arrangement arrangement_of(const struct tvmq_conv *c) {
  return (struct tvmq_arrangement){
      .layout = &c->choice.variant->layout,
      .packer = c->choice.algorithm->method->packer,
      .form = c->form,
      .n_taps = c->choice.n_taps,
      .k = c->choice.k,
      .panels = c->choice.panels * c->problem.groups,
      .panel_bytes = c->choice.panel.size,
  };
}

// Packs the weights, and allocates the padding for as long. The padding has the size of a whole window, because a piece
// becomes the whole window if a later input is flattened.
static const char *pack(struct tvmq_conv *c, const struct tvmq_env *env) {
  const struct tvmq_conv_desc *desc = &c->problem.kept;
  const size_t window_bytes = (size_t)desc->filter_h * (size_t)desc->filter_w * (size_t)desc->filter_c * c->problem.element_bytes;
  const size_t padding_bytes = tvmq_max(window_bytes, TVMQ_ROWS_MOVE);
  struct tvmq_key key = {{0}};
  c->form = tvmq_conv_form(c->choice.variant, env->machine, c->problem.m);
  const struct tvmq_arrangement arrangement = arrangement_of(c);
  const bool has_key = tvmq_conv_key(&c->problem.kept, &c->problem.trim, &arrangement, env, &key);
  const char *why = tvmq_conv_weights(&key, has_key, c->choice.panels * c->problem.groups * c->choice.panel.size, env, fill, c, &c->weights);
  if (why) return why;
  c->padding = tvmq_alloc_unset(padding_bytes);
  if (!c->padding) return "out of memory";
  c->packed = c->weights->panels;
  c->stage = tvmq_stage_with(&c->problem.quant.stage, c->weights->invariants);
  memset(c->padding, (uint8_t)desc->in.zero_point, padding_bytes);  // int16's zero point is 0
  return NULL;
}

// Charges `bytes` to the budget for transformed weights, in place of the previous charge.
static void charge(struct tvmq_conv *c, size_t bytes) {
  c->budget->used += bytes - c->charged;
  c->charged = bytes;
}

static void drop_weights(struct tvmq_conv *c) {
  tvmq_packed_release(c->weights);
  tvmq_free(c->padding);
  c->weights = NULL;
  c->packed = c->padding = NULL;
}

static bool same_weights(const struct tvmq_conv *a, const struct tvmq_conv *b) {
  return tvmq_conv_same_weights(&a->problem.kept, &a->problem.trim, &b->problem.kept, &b->problem.trim);
}

// Returns whether the packed weights of `a` can be used by `b`.
static bool same_packing(const struct tvmq_conv *a, const struct tvmq_conv *b) {
  const struct tvmq_arrangement of_a = arrangement_of(a), of_b = arrangement_of(b);
  return same_weights(a, b) && tvmq_form_serves(a->form, b->choice.variant) && tvmq_same_arrangement(&of_a, &of_b);
}

static const char *replan(struct tvmq_conv *c, const struct tvmq_conv_desc *desc, const struct tvmq_env *env) {
  const struct tvmq_conv old = *c;
  c->threads = env->threads;
  c->scratch = env->scratch;
  const char *why = tvmq_conv_describe(desc, env, &c->problem);
  if (why) return why;
  c->budget = env->transformed;
  charge(c, 0);  // its own charge is available to it again
  if (!same_weights(&old, c)) c->by_winograd = TVMQ_EXACTNESS_UNKNOWN;
  c->problem.by_winograd = &c->by_winograd;
  why = tvmq_conv_choose(&c->problem, env, &c->choice);
  if (why) return why;
  charge(c, c->choice.transformed_bytes);

  if (!c->packed || !same_packing(&old, c)) {
    drop_weights(c);
    why = pack(c, env);
    if (why) return why;
    c->packs++;
  }
  c->shared_bytes = 0;
  tvmq_free(c->plan);
  c->plan = tvmq_alloc(c->choice.algorithm->method->plan_bytes);
  if (!c->plan) return "out of memory";
  c->run_task = c->choice.algorithm->method->run_task;
  why = c->choice.algorithm->method->plan(c, env);
  if (why) return why;
  return tvmq_scratch_reserve(env->scratch, c->shared_bytes, c->slice_bytes, (size_t)tvmq_threads_count(c->threads)) ? NULL : "out of memory";
}

static void note_unread(const struct tvmq_conv *c) {
  tvmq_conv_note_packed(&c->problem.kept);
  tvmq_conv_note_packed(&c->problem.desc);
  tvmq_recording_note_unread(&c->problem.by_winograd);
  tvmq_recording_note_unread(&c->weights);
  tvmq_recording_note_unread(&c->budget);
}

// ---- the implementation

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (!*op) *op = tvmq_alloc(sizeof(struct tvmq_conv));
  struct tvmq_conv *c = (struct tvmq_conv *)*op;
  if (!c) return "out of memory";
  const char *why = replan(c, &desc->conv, env);
  if (!why) note_unread(c);
  if (!why) return NULL;
  drop_weights(c);
  c->by_winograd = TVMQ_EXACTNESS_UNKNOWN;
  if (c->budget) charge(c, 0);
  return why;
}

static size_t n_tasks(const struct tvmq_op *op, size_t pass) {
  const struct tvmq_conv *c = (const struct tvmq_conv *)op;
  return c->choice.algorithm->method->n_tasks(c, pass);
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  const struct tvmq_conv *c = (const struct tvmq_conv *)op;
  c->run_task(c, pass, task);
}

static void release(struct tvmq_op *op) {
  struct tvmq_conv *c = (struct tvmq_conv *)op;
  if (!c) return;
  drop_weights(c);
  if (c->budget) charge(c, 0);
  tvmq_free(c->plan);
  tvmq_free(c);
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct tvmq_conv *c = (const struct tvmq_conv *)op;
  *out = (struct tvmq_op_info){
      .kernel = c->choice.variant->name,
      .algorithm = c->choice.algorithm->name(c),
      .packed_bytes = c->choice.panels * c->problem.groups * c->choice.panel.size,
      .scratch_bytes = c->shared_bytes + c->slice_bytes * (size_t)tvmq_threads_count(c->threads),
      .macs = c->problem.macs,
      .choice = {.algorithm = c->choice.algorithm->id,
                 .variant = c->choice.variant,
                 .flip = c->choice.flip,
                 .rows = c->choice.blocks.rows,
                 .panels = c->choice.blocks.panels,
                 .cycles = c->choice.cycles},
      .transformed_bytes = c->charged,
      .packs = c->packs,
  };
  tvmq_layout_name(&c->choice.variant->layout, out->packing, sizeof out->packing);
}

const struct tvmq_implementation *tvmq_conv_computed_by(const union tvmq_desc *desc, const struct tvmq_env *env) {
  (void)env;
  return desc->conv.in_type == TVMQ_TYPE_F32 ? &tvmq_op_hybrid : NULL;
}

static size_t candidates(const union tvmq_desc *desc, const struct tvmq_env *env, struct tvmq_choice *list, size_t max) {
  struct tvmq_choices choices = {.list = list, .max = max};
  tvmq_conv_list(&desc->conv, env, &choices);
  return choices.n;
}

const struct tvmq_implementation tvmq_op_conv = {
    .n_tasks = n_tasks,
    .run_task = run_task,
    .runs_epilogue = true,
    TVMQ_PLANNING(.candidates = candidates, .sign = tvmq_conv_sign, .computed_by = tvmq_conv_computed_by, .plan = plan, .release = release, .info = info)};
