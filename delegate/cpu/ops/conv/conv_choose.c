// Chooses the algorithm of a convolution, and its kernel, blocks and flip.
#include <math.h>

#include "base/arith.h"
#include "cpu/ops/conv/conv.h"
#include "cpu/ops/conv/conv_direct.h"
#include "cpu/ops/conv/conv_matrix.h"
#include "cpu/ops/conv/conv_table.h"
#include "cpu/ops/conv/conv_winograd.h"

// List of all algorithms.
static const struct tvmq_conv_algorithm *const algorithms[] = {&tvmq_conv_by_table,         &tvmq_conv_by_im2col, &tvmq_conv_by_matrix,  &tvmq_conv_by_padding,
                                                               &tvmq_conv_by_matrix_im2col, &tvmq_conv_direct,    &tvmq_conv_by_winograd};
enum { N_ALGORITHMS = sizeof algorithms / sizeof *algorithms };

// Number of blocks that are listed for each algorithm and kernel.
enum { LISTED_BLOCKS = 3 };

// Factor by which narrow weights may take longer. Kernels that take longer than that are worse than the runtime's.
enum { MOST_SLOWDOWN = 2 };

// Treats an image that is one pixel wide as a line: the memory is the same, and the taps are contiguous.
static void lay_down(struct tvmq_conv_desc *d, struct tvmq_geometry *g) {
  if (d->in_w > 1 || d->filter_w > 1 || g->out_w > 1 || g->pad_left > 0) return;
  d->in_w = d->in_h;
  d->out_w = d->out_h;
  d->filter_w = d->filter_h;
  d->stride_w = d->stride_h;
  d->dilation_w = d->dilation_h;
  g->out_w = g->out_h;
  g->pad_left = g->pad_top;
  d->in_h = d->out_h = d->filter_h = d->stride_h = d->dilation_h = g->out_h = 1;
  g->pad_top = 0;
}

// Treats a window that is the whole image as a vector: its taps are contiguous, and become one tap with all their
// channels.
static void flatten(struct tvmq_conv_desc *d, const struct tvmq_geometry *g) {
  const bool is_padded = g->pad_top > 0 || g->pad_left > 0, is_dense = d->dilation_h == 1 && d->dilation_w == 1 && d->filter_c == d->in_c && !d->depthwise;
  if (is_padded || !is_dense || d->filter_h != d->in_h || d->filter_w != d->in_w || g->out_h > 1 || g->out_w > 1) return;
  d->in_c = d->filter_c = d->in_h * d->in_w * d->in_c;
  d->in_h = d->in_w = d->filter_h = d->filter_w = d->stride_h = d->stride_w = 1;
}

const char *tvmq_conv_describe(const struct tvmq_conv_desc *desc, const struct tvmq_env *env, struct tvmq_conv_problem *problem) {
  *problem = (struct tvmq_conv_problem){
      .kept = *desc,
      .quant = tvmq_conv_quant(desc, env->rounding),
      .element_bytes = tvmq_conv_element_bytes(desc),
      .stored_bytes = tvmq_conv_stored_bytes(desc),
      .groups = (size_t)desc->in_c / (size_t)desc->filter_c,
  };
  const char *why = tvmq_geometry(desc, &problem->geometry);
  if (why) return why;
  problem->excluded = tvmq_conv_excluded_flags(desc, &problem->quant, env->cpu);
  problem->trim = tvmq_trim(&problem->kept, &problem->geometry);
  problem->desc = problem->kept;
  lay_down(&problem->desc, &problem->geometry);
  flatten(&problem->desc, &problem->geometry);
  problem->group_n = (size_t)desc->out_c / problem->groups;
  problem->m = (size_t)desc->batch * (size_t)problem->geometry.out_h * (size_t)problem->geometry.out_w;
  problem->macs = (uint64_t)problem->m * (uint64_t)desc->out_c * (uint64_t)desc->filter_h * (uint64_t)desc->filter_w * (uint64_t)desc->filter_c;
  return NULL;
}

// Sets the panels, as all algorithms do. Returns false if the weights do not fit into memory.
static bool set_panels(const struct tvmq_conv_problem *problem, struct tvmq_conv_choice *choice) {
  size_t depth, bytes;
  choice->panels = tvmq_ceil_div(problem->group_n, choice->variant->layout.nr);
  return tvmq_mul_size(choice->n_taps, choice->k, &depth) && tvmq_panel_layout(&choice->variant->layout, depth, &choice->panel) &&
         tvmq_mul_size(choice->panels * problem->groups, choice->panel.size, &bytes);
}

// Finds the algorithm's best choice within the target. Returns false if there is none.
static bool choose_by(const struct tvmq_conv_algorithm *algorithm, const struct tvmq_conv_problem *problem, const struct tvmq_env *env,
                      const struct tvmq_target *target, struct tvmq_conv_choice *choice) {
  *choice = algorithm->choose(problem, env, target);
  choice->algorithm = algorithm;
  return choice->variant != NULL && set_panels(problem, choice);
}

// Returns the estimated cycles with the best blocks, until the last thread is done.
static float block_cycles(const struct tvmq_conv_problem *problem, const struct tvmq_env *env, const struct tvmq_conv_choice *choice) {
  const struct tvmq_work work = choice->algorithm->work(problem, choice, env);
  // The work may be one of several waves; scale to the whole convolution.
  return tvmq_best_blocks(&work, env->machine, tvmq_threads_count(env->threads)).cycles * choice->cycles / work.cycles;
}

// Returns the cycles by which algorithms are compared. An algorithm that splits badly, such as Winograd with few tiles,
// may be the cheapest on one thread but not on two.
static float shared_cycles(const struct tvmq_conv_problem *problem, const struct tvmq_env *env, const struct tvmq_conv_choice *choice) {
  return tvmq_threads_count(env->threads) == 1 ? choice->cycles : block_cycles(problem, env, choice);
}

// Returns a lower bound of block_cycles(). Either one thread does everything, or the last thread to finish has at least
// an even share, and finds out that all threads are done. Estimates are rounded, in about a dozen operations by less
// than 2^-23 each.
static float least_cycles(const struct tvmq_env *env, const struct tvmq_conv_choice *choice) {
  const float rounded = 1 - 0x1p-16f, share = choice->cycles / (float)tvmq_threads_count(env->threads) + env->machine->done_cycles;
  return rounded * (fminf(choice->cycles, share) + env->machine->task_cycles);
}

// Returns whether every kernel is estimated. On one thread an algorithm knows its cheapest kernel. On several threads
// another kernel may split better.
static bool asks_each(const struct tvmq_env *env) { return tvmq_threads_count(env->threads) > 1 && tvmq_target(env).only == NULL; }

static bool may_multiply(const struct tvmq_conv_algorithm *algorithm, const struct tvmq_variant *variant, const struct tvmq_target *target) {
  const bool allowed = (target->only == NULL || target->only == variant) && (!target->byte_weights || variant->layout.weight_bytes == 1);
  return allowed && (variant->cpu & ~target->cpu) == 0 && (variant->flags & algorithm->required) == algorithm->required &&
         (variant->flags & algorithm->excluded) == 0;
}

// Finds the cheapest choice of an algorithm, and its cycles until the last thread is done. Skips kernels whose lower
// bound exceeds the limit. Returns false if no kernel is left.
static bool choose_shared(const struct tvmq_conv_algorithm *algorithm, const struct tvmq_conv_problem *problem, const struct tvmq_env *env, float limit,
                          struct tvmq_conv_choice *best, float *least) {
  const struct tvmq_target target = tvmq_target(env);
  if (!asks_each(env)) {
    const bool found = choose_by(algorithm, problem, env, &target, best);
    if (found) *least = shared_cycles(problem, env, best);
    return found;
  }
  *least = INFINITY;
  const struct tvmq_variant_range kernels = tvmq_family_variants(tvmq_conv_family(algorithm, problem));
  for (const struct tvmq_variant *v = kernels.end; v > kernels.first;) {  // equal estimates: the last is most specific
    struct tvmq_conv_choice choice;
    struct tvmq_target only = target;
    only.only = --v;
    if (!may_multiply(algorithm, v, &target) || !choose_by(algorithm, problem, env, &only, &choice)) continue;
    if (least_cycles(env, &choice) > fminf(limit, *least)) continue;
    const float cycles = shared_cycles(problem, env, &choice);
    if (cycles >= *least) continue;
    *best = choice;
    *least = cycles;
  }
  return *least < INFINITY;
}

// Returns a limit for the best choice: the cycles on all threads of the best choice for one thread. INFINITY: unknown.
static float most_cycles(const struct tvmq_conv_problem *problem, const struct tvmq_env *env, const struct tvmq_choice *constraint) {
  const struct tvmq_target target = tvmq_target(env);
  struct tvmq_conv_choice best = {.cycles = INFINITY};
  for (size_t i = 0; i < N_ALGORITHMS && asks_each(env); i++) {
    struct tvmq_conv_choice choice;
    if (!tvmq_algorithm_allowed(constraint, algorithms[i]->id) || algorithms[i]->is_exact || !choose_by(algorithms[i], problem, env, &target, &choice))
      continue;
    if (choice.cycles < best.cycles) best = choice;
  }
  return best.variant != NULL ? shared_cycles(problem, env, &best) : INFINITY;
}

// Finds the cheapest algorithm that the constraint allows. Returns false if there is none.
static bool choose_algorithm(const struct tvmq_conv_problem *problem, const struct tvmq_env *env, const struct tvmq_choice *constraint,
                             struct tvmq_conv_choice *best) {
  const float limit = most_cycles(problem, env, constraint);
  float least = INFINITY;
  best->variant = NULL;
  for (size_t i = 0; i < N_ALGORITHMS; i++) {
    struct tvmq_conv_choice choice;
    float cycles;
    if (!tvmq_algorithm_allowed(constraint, algorithms[i]->id) || !choose_shared(algorithms[i], problem, env, limit, &choice, &cycles)) continue;
    if (best->variant && cycles >= least) continue;
    if (algorithms[i]->is_exact && !algorithms[i]->is_exact(problem)) continue;
    *best = choice;
    least = cycles;
  }
  return best->variant != NULL;
}

// Finds the cheapest algorithm and kernel for one thread, cut into blocks for all threads. Where threads may run or may
// not, as trials decide, one thread then is as fast as if there were no others. Returns false for work that is so large
// that it is shared almost always.
static bool choose_for_one(const struct tvmq_conv_problem *problem, const struct tvmq_env *env, struct tvmq_conv_choice *best) {
  const struct tvmq_choice any = tvmq_constraint_of(NULL);
  struct tvmq_env own = *env;
  own.threads = NULL;
  if (!env->wary || env->constraint != NULL || !choose_algorithm(problem, &own, &any, best) || best->cycles >= TVMQ_SHARED_CYCLES) return false;
  const struct tvmq_choice chosen = {.algorithm = best->algorithm->id, .variant = best->variant};
  own.threads = env->threads;
  own.constraint = &chosen;
  return choose_algorithm(problem, &own, &chosen, best);
}

static size_t weights_bytes(const struct tvmq_conv_problem *problem, const struct tvmq_conv_choice *choice) {
  return choice->panels * problem->groups * choice->panel.size;
}

// Replaces the choice by one with narrow weights, if that needs less memory and at most MOST_SLOWDOWN times the cycles.
static void narrow_down(const struct tvmq_conv_problem *problem, const struct tvmq_env *env, const struct tvmq_choice *constraint,
                        struct tvmq_conv_choice *choice) {
  struct tvmq_conv_choice narrow;
  if (!env->narrow || !choose_algorithm(problem, env, constraint, &narrow)) return;
  if (weights_bytes(problem, &narrow) < weights_bytes(problem, choice) && narrow.cycles <= MOST_SLOWDOWN * choice->cycles) *choice = narrow;
}

static enum tvmq_flip best_flip(const struct tvmq_conv_problem *problem, const struct tvmq_conv_choice *choice, const struct tvmq_machine *machine) {
  return choice->may_flip && choice->algorithm->pays_flipping(problem, choice, machine) ? TVMQ_FLIP_COPY : TVMQ_FLIP_USES;
}

const char *tvmq_conv_choose(const struct tvmq_conv_problem *problem, const struct tvmq_env *env, struct tvmq_conv_choice *choice) {
  const struct tvmq_choice constraint = tvmq_constraint_of(env->constraint);
  struct tvmq_env wide = *env;
  wide.narrow = false;
  struct tvmq_choice winograd = constraint;
  winograd.algorithm = TVMQ_ALGORITHM_WINOGRAD;
  const bool forced = constraint.algorithm == TVMQ_ALGORITHM_ANY && env->winograd == TVMQ_WINOGRAD_ON && choose_algorithm(problem, &wide, &winograd, choice);
  if (!forced && !choose_for_one(problem, &wide, choice) && !choose_algorithm(problem, &wide, &constraint, choice))
    return env->constraint ? "not legal here: this algorithm or kernel" : "no kernel for this combination of types";
  narrow_down(problem, env, &constraint, choice);
  const struct tvmq_work work = choice->algorithm->work(problem, choice, env);
  if (tvmq_list_blocks(&work, env->machine, tvmq_threads_count(env->threads), constraint.rows, constraint.panels, &choice->blocks, 1) == 0)
    return "not legal here: blocks of this many rows or panels";
  if (constraint.flip == TVMQ_FLIP_COPY && !choice->may_flip) return "not legal here: there is nothing to flip, or no table of rows";
  choice->flip = constraint.flip != TVMQ_FLIP_ANY ? constraint.flip : best_flip(problem, choice, env->machine);
  return NULL;
}

float tvmq_conv_cycles(const struct tvmq_conv_desc *desc, const struct tvmq_env *env) {
  struct tvmq_env rows = *env;
  rows.winograd = TVMQ_WINOGRAD_OFF;  // it would read the weights
  struct tvmq_conv_problem problem;
  struct tvmq_conv_choice choice;
  return tvmq_conv_describe(desc, env, &problem) == NULL && tvmq_conv_choose(&problem, &rows, &choice) == NULL ? choice.cycles : INFINITY;
}

float tvmq_conv_shared_cycles(const struct tvmq_conv_desc *desc, const struct tvmq_env *env) {
  struct tvmq_conv_desc unknown = *desc;
  unknown.filter = NULL;
  enum tvmq_exactness by_winograd = TVMQ_EXACT;
  struct tvmq_conv_problem problem;
  struct tvmq_conv_choice choice;
  if (tvmq_conv_describe(&unknown, env, &problem) != NULL) return INFINITY;
  problem.by_winograd = &by_winograd;
  return tvmq_conv_choose(&problem, env, &choice) == NULL ? block_cycles(&problem, env, &choice) : INFINITY;
}

// ---- candidates

void tvmq_conv_sign(const union tvmq_desc *whole, const struct tvmq_env *env, struct tvmq_text *text) {
  const struct tvmq_conv_desc *d = &whole->conv;
  struct tvmq_conv_problem problem;
  if (d->in_type == TVMQ_TYPE_F32 || tvmq_conv_describe(d, env, &problem) != NULL) return;
  struct tvmq_geometry geometry;  // before the filter was trimmed
  tvmq_geometry(d, &geometry);
  tvmq_say(text, " in=%s[%d,%d,%d,%d] filter=%s[%d,%d,%d] out=%s[%d,%d,%d] stride=%d,%d dilation=%d,%d pad=%d,%d", tvmq_type_name(d->in_type), d->batch,
           d->in_h, d->in_w, d->in_c, tvmq_type_name(d->filter_type), d->filter_h, d->filter_w, d->filter_c, tvmq_type_name(d->out_type), geometry.out_h,
           geometry.out_w, d->out_c, d->stride_h, d->stride_w, d->dilation_h, d->dilation_w, geometry.pad_top, geometry.pad_left);
  if (tvmq_conv_acc_bytes(d) > 4) tvmq_say(text, " acc=s64");
  if (problem.quant.filter_zero_point != 0) tvmq_say(text, " filter_zero_point");
  if (problem.excluded != 0) tvmq_say(text, " least_weights");
}

// Adds all blocks and flips of an algorithm with a kernel. Cycles are estimated for all threads.
static void list_blocks(const struct tvmq_conv_problem *problem, const struct tvmq_env *env, struct tvmq_conv_choice *choice, struct tvmq_choices *choices) {
  const struct tvmq_choice constraint = tvmq_constraint_of(env->constraint);
  const struct tvmq_work work = choice->algorithm->work(problem, choice, env);
  const float cycles = shared_cycles(problem, env, choice);
  struct tvmq_blocks blocks[LISTED_BLOCKS];
  const size_t n = tvmq_list_blocks(&work, env->machine, tvmq_threads_count(env->threads), constraint.rows, constraint.panels, blocks, LISTED_BLOCKS);
  for (size_t i = 0; i < n; i++) {
    choice->blocks = blocks[i];
    const enum tvmq_flip best = best_flip(problem, choice, env->machine), other = best == TVMQ_FLIP_COPY ? TVMQ_FLIP_USES : TVMQ_FLIP_COPY;
    struct tvmq_choice found = {.algorithm = choice->algorithm->id,
                                .variant = choice->variant,
                                .flip = best,
                                .rows = blocks[i].rows,
                                .panels = blocks[i].panels,
                                .cycles = cycles * blocks[i].cycles / blocks[0].cycles};
    if (constraint.flip == TVMQ_FLIP_ANY || constraint.flip == best) tvmq_choices_add(choices, &found);
    found.flip = other;
    if (choice->may_flip && (constraint.flip == TVMQ_FLIP_ANY || constraint.flip == other)) tvmq_choices_add(choices, &found);
  }
}

void tvmq_conv_list(const struct tvmq_conv_desc *desc, const struct tvmq_env *env, struct tvmq_choices *choices) {
  const struct tvmq_choice constraint = tvmq_constraint_of(env->constraint);
  enum tvmq_exactness by_winograd = TVMQ_EXACTNESS_UNKNOWN;
  struct tvmq_conv_problem problem;
  if (desc->in_type == TVMQ_TYPE_F32 || tvmq_conv_describe(desc, env, &problem) != NULL) return;
  problem.by_winograd = &by_winograd;
  for (size_t i = 0; i < N_ALGORITHMS; i++) {
    if (!tvmq_algorithm_allowed(&constraint, algorithms[i]->id)) continue;
    const struct tvmq_variant_range kernels = tvmq_family_variants(tvmq_conv_family(algorithms[i], &problem));
    for (const struct tvmq_variant *v = kernels.end; v > kernels.first;) {  // equal estimates: the last is most specific
      struct tvmq_target target = tvmq_target(env);
      struct tvmq_conv_choice choice;
      if (!may_multiply(algorithms[i], --v, &target)) continue;
      target.only = v;
      if (!choose_by(algorithms[i], &problem, env, &target, &choice) || (algorithms[i]->is_exact && !algorithms[i]->is_exact(&problem))) continue;
      list_blocks(&problem, env, &choice, choices);
    }
  }
}
