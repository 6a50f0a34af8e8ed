// CONV_2D and FULLY_CONNECTED: the frame around the ways of computing it (conv.h).
#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "base/memory.h"
#include "ops/claims/claim.h"
#include "ops/conv/conv.h"

static const struct tvmq_conv_way *const ways[] = {&tvmq_conv_by_table,   &tvmq_conv_by_im2col,        &tvmq_conv_in_place,
                                                   &tvmq_conv_by_padding, &tvmq_conv_by_matrix_im2col, &tvmq_conv_by_winograd};

static const char *describe(const struct tvmq_conv_desc *desc, const struct tvmq_env *env, struct tvmq_conv_problem *problem) {
  *problem = (struct tvmq_conv_problem){
      .desc = *desc,
      .quant = tvmq_conv_quant(desc, env->rounding),
      .element_bytes = tvmq_conv_element_bytes(desc),
      .groups = (size_t)desc->in_c / (size_t)desc->filter_c,
  };
  const char *why = tvmq_geometry(desc, &problem->geometry);
  if (why) return why;
  problem->excluded = tvmq_conv_excluded_flags(desc, &problem->quant, env->cpu);
  problem->cut = tvmq_cut(&problem->desc, &problem->geometry);
  problem->group_n = (size_t)desc->out_c / problem->groups;
  problem->m = (size_t)desc->batch * (size_t)problem->geometry.out_h * (size_t)problem->geometry.out_w;
  problem->macs = (uint64_t)problem->m * (uint64_t)desc->out_c * (uint64_t)desc->filter_h * (uint64_t)desc->filter_w * (uint64_t)desc->filter_c;
  return NULL;
}

static struct tvmq_conv_choice choose(const struct tvmq_conv_problem *problem, const struct tvmq_env *env) {
  struct tvmq_conv_choice best = {0};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    struct tvmq_conv_choice choice = ways[i]->choose(problem, env);
    choice.way = ways[i];
    if (!choice.variant || (best.wanted && !choice.wanted)) continue;
    if (best.variant && choice.wanted <= best.wanted && choice.cycles >= best.cycles) continue;
    if (!ways[i]->is_exact || ways[i]->is_exact(problem)) best = choice;
  }
  return best;
}

float tvmq_conv_cycles(const struct tvmq_conv_desc *desc, const struct tvmq_env *env) {
  struct tvmq_env rows = *env;
  rows.winograd = TVMQ_WINOGRAD_OFF;  // it would read the weights
  struct tvmq_conv_problem problem;
  if (describe(desc, env, &problem)) return INFINITY;
  const struct tvmq_conv_choice choice = choose(&problem, &rows);
  return choice.variant ? choice.cycles : INFINITY;
}

static const char *pack(struct tvmq_conv *c, const struct tvmq_machine *machine, const uint8_t *filter) {
  const struct tvmq_conv_desc *desc = &c->problem.desc;
  const struct tvmq_layout *layout = &c->choice.variant->layout;
  const size_t group_n = c->problem.group_n;
  size_t depth, bytes;
  if (!tvmq_mul_size(c->choice.n_taps, c->choice.k, &depth) || !tvmq_panel_layout(layout, depth, &c->panel) ||
      !tvmq_mul_size(c->panels * c->problem.groups, c->panel.size, &bytes))
    return "packed weights exceed the address space";
  c->packed = tvmq_alloc_unset(bytes);
  const size_t padding_bytes = (size_t)desc->filter_w * (size_t)desc->filter_c * c->problem.element_bytes;
  c->padding = tvmq_alloc_unset(padding_bytes);
  if (!c->packed || !c->padding) return "out of memory";

  memset(c->padding, (uint8_t)desc->in.zero_point, padding_bytes);  // int16's zero point is 0

  c->problem.quant.in_float = tvmq_conv_in_float(c->choice.variant, machine, c->problem.m);
  for (size_t p = 0; p < c->panels * c->problem.groups; p++) {
    size_t first = p % c->panels * layout->nr;
    const size_t n = tvmq_min(group_n - first, layout->nr);
    first += p / c->panels * group_n;
    struct tvmq_channel channels[UINT8_MAX];
    struct tvmq_channel_params params[UINT8_MAX];
    for (size_t j = 0; j < n; j++) channels[j] = tvmq_conv_channel(desc, &c->problem.quant, filter, first + j);
    tvmq_conv_channel_params(desc, &c->problem.quant, layout, channels, first, n, params);
    c->choice.way->pack(&c->problem, &c->choice, channels, params, n, c->packed + p * c->panel.size);
  }
  return NULL;
}

// Packs the part of the filter that is kept.
static const char *pack_kept(struct tvmq_conv *c, const struct tvmq_machine *machine) {
  uint8_t *copy;
  const uint8_t *filter = tvmq_cut_filter(&c->problem.cut, &c->problem.desc, false, &copy);
  if (!filter) return "out of memory";
  const char *why = pack(c, machine, filter);
  tvmq_free(copy);
  return why;
}

// What the operator takes of the budget for transformed weights.
static void charge(struct tvmq_conv *c, size_t bytes) {
  c->budget->used += bytes - c->charged;
  c->charged = bytes;
}

static void drop_weights(struct tvmq_conv *c) {
  tvmq_free(c->packed);
  tvmq_free(c->padding);
  c->packed = c->padding = NULL;
}

static bool same_weights(const struct tvmq_conv *a, const struct tvmq_conv *b) {
  return tvmq_conv_same_weights(&a->problem.desc, &b->problem.desc) && tvmq_cut_equal(&a->problem.cut, &b->problem.cut);
}

static bool same_packing(const struct tvmq_conv *a, const struct tvmq_conv *b) {
  return same_weights(a, b) && a->choice.way->pack == b->choice.way->pack && a->choice.n_taps == b->choice.n_taps && a->choice.k == b->choice.k &&
         tvmq_layout_equal(&a->choice.variant->layout, &b->choice.variant->layout);
}

static const char *replan(struct tvmq_conv *c, const struct tvmq_conv_desc *desc, const struct tvmq_env *env) {
  const struct tvmq_conv old = *c;
  c->threads = env->threads;
  c->scratch = env->scratch;
  const char *why = describe(desc, env, &c->problem);
  if (why) return why;
  c->budget = env->transformed;
  charge(c, 0);  // what it has is its to keep
  if (!same_weights(&old, c)) c->by_winograd = TVMQ_EXACTNESS_UNKNOWN;
  c->problem.by_winograd = &c->by_winograd;
  c->choice = choose(&c->problem, env);
  charge(c, c->choice.transformed_bytes);
  if (!c->choice.variant) return "no kernel for this combination of types";
  c->panels = tvmq_ceil_div(c->problem.group_n, c->choice.variant->layout.nr);

  if (c->packed && same_packing(&old, c)) {
    c->problem.quant = old.problem.quant;
  } else {
    drop_weights(c);
    why = pack_kept(c, env->machine);
    if (why) return why;
    c->packs++;
  }
  c->shared_bytes = 0;
  why = c->choice.way->plan(c, env);
  if (why) return why;
  return tvmq_scratch_reserve(env->scratch, c->shared_bytes, c->slice_bytes, (size_t)tvmq_threads_count(c->threads)) ? NULL : "out of memory";
}

// ---- the class

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_conv(&desc->conv); }

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (!*op) *op = tvmq_alloc(sizeof(struct tvmq_conv));
  struct tvmq_conv *c = (struct tvmq_conv *)*op;
  if (!c) return "out of memory";
  const char *why = replan(c, &desc->conv, env);
  if (!why) return NULL;
  drop_weights(c);
  c->by_winograd = TVMQ_EXACTNESS_UNKNOWN;
  if (c->budget) charge(c, 0);
  return why;
}

static size_t n_tasks(const struct tvmq_op *op, size_t pass) {
  const struct tvmq_conv *c = (const struct tvmq_conv *)op;
  return c->choice.way->n_tasks(c, pass);
}

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_tile task) {
  const struct tvmq_conv *c = (const struct tvmq_conv *)op;
  c->choice.way->run_task(c, pass, task);
}

static void release(struct tvmq_op *op) {
  struct tvmq_conv *c = (struct tvmq_conv *)op;
  if (!c) return;
  drop_weights(c);
  if (c->budget) charge(c, 0);
  tvmq_free(c);
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct tvmq_conv *c = (const struct tvmq_conv *)op;
  *out = (struct tvmq_op_info){
      .kernel = c->choice.variant->name,
      .algorithm = c->choice.way->name(c),
      .packed_bytes = c->panels * c->problem.groups * c->panel.size,
      .scratch_bytes = c->shared_bytes + c->slice_bytes * (size_t)tvmq_threads_count(c->threads),
      .macs = c->problem.macs,
      .packs = c->packs,
  };
  tvmq_layout_name(&c->choice.variant->layout, out->packing, sizeof out->packing);
}

const char *tvmq_conv_set_border(union tvmq_desc *options, const struct tvmq_pad_desc *pad) {
  if (pad->value != pad->out.zero_point) return "the padded value is not the zero point";
  options->conv.border = tvmq_pad_border(pad);
  return NULL;
}

const struct tvmq_op_class tvmq_op_conv = {
    .claim = claim, .plan = plan, .n_tasks = n_tasks, .run_task = run_task, .release = release, .info = info, .set_border = tvmq_conv_set_border};

// Without a border: its rows are not pixels side by side.
const struct tvmq_op_class tvmq_op_fully_connected = {.claim = claim, .plan = plan, .n_tasks = n_tasks, .run_task = run_task, .release = release, .info = info};
