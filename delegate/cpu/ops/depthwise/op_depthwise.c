// DEPTHWISE_CONV_2D: channels are divided into blocks, output rows into strips. A task is a strip of one image and a
// range of blocks. It fills a table of pointers to the strip's input pixels once, and uses the table for each block
// (depthwise_run.c).
//
// Kernels do not handle dilation. Outputs whose windows are on the same grid of every d-th pixel form a convolution of
// their own, a phase. A table points only to the pixels of one phase. Kernels may receive image columns as rows. If
// these rows are single pixels, kernels receive tiles of rows as columns.
#include <string.h>

#include "base/arith.h"
#include "base/memory.h"
#include "base/recording.h"
#include "cpu/ops/conv/conv.h"
#include "cpu/ops/conv/conv_key.h"
#include "cpu/ops/depthwise/depthwise.h"
#include "cpu/ops/op.h"
#include "cpu/plan/select.h"
#include "packing/pack_depthwise.h"
#include "packing/packed.h"

// ---- plan

static const struct tvmq_variant *choose(struct tvmq_depthwise *d, const struct tvmq_env *env) {
  const struct tvmq_conv_desc *desc = &d->desc;
  const struct tvmq_depthwise_problem problem = {
      .acc_bytes = tvmq_conv_acc_bytes(desc),
      .out_h = tvmq_phase_outputs(&d->h, 0),
      .out_w = tvmq_phase_outputs(&d->w, 0),
      .channels = d->channels,
      .depth_multiplier = (size_t)desc->depth_multiplier,
      .filter_h = d->h.filter,
      .filter_w = d->w.filter,
      .stride_h = d->h.stride,
      .stride_w = d->w.stride,
      .neighbours = !d->transposed && d->w.phases == 1 && d->w.dilation == 1,
      .target = tvmq_target(env),
      .excluded = d->excluded,
      .required = d->quant.stage.sums ? TVMQ_SUMS : 0,
  };
  const enum tvmq_family family = desc->in_type == TVMQ_TYPE_S16 ? TVMQ_FAMILY_DEPTHWISE_S16 : TVMQ_FAMILY_DEPTHWISE_S8;
  const struct tvmq_variant *variant = tvmq_select_depthwise(family, &problem, &d->cycles);
  if (!variant) return NULL;
  d->side_by_side = tvmq_depthwise_side_by_side(variant, &problem);
  const float parts = (float)desc->batch * (float)tvmq_depthwise_phases(d);
  d->bring_cycles = parts * (float)tvmq_grid_points(&d->h, problem.out_h) * (float)tvmq_grid_points(&d->w, problem.out_w) * env->machine->pixel_pointer_cycles;
  d->cycles = d->cycles * parts + d->bring_cycles;
  return variant;
}

// Sets `channels` to the channels of a block; returns their number.
static size_t block_view(const struct tvmq_depthwise *d, const uint8_t *filter, size_t block, struct tvmq_channel *channels) {
  const size_t first = d->blocks[block].first, n = tvmq_depthwise_block_channels(d);
  for (size_t j = 0; j < n; j++) channels[j] = tvmq_conv_channel(&d->desc, &d->quant, filter, first + j % d->channels);
  return n;
}

// Lowers the stage for all channels, then packs each block.
static void lower_and_pack(struct tvmq_depthwise *d, const uint8_t *filter, struct tvmq_channel_params *params, struct tvmq_channel *channels,
                           uint8_t *panels) {
  const struct tvmq_layout *layout = &d->variant->layout;
  d->stage = d->quant.stage;
  for (size_t b = 0; b < d->n_blocks; b++) {
    // A block computes the same channels for several adjacent pixels, and a panel has one form.
    const size_t n = block_view(d, filter, b, channels), part = n / d->side_by_side;
    struct tvmq_channel_params *const block = params + b * layout->nr;
    tvmq_conv_lower(&d->desc, &d->quant, layout->a_offset, d->form, channels, d->blocks[b].first, part, &d->stage, block);
    for (size_t j = part; j < n; j++) block[j] = block[j - part];
  }
  for (size_t b = 0; b < d->n_blocks; b++) {
    const size_t n = block_view(d, filter, b, channels);
    uint8_t *panel = panels + b * d->panel_bytes;
    const size_t bytes = tvmq_pack_depthwise(layout, channels, params + b * layout->nr, n, d->h.filter, d->w.filter, d->blocks[b].planes, panel);
    memset(panel + bytes, 0, d->panel_bytes - bytes);  // a block with fewer planes does not fill its panel
  }
}

// Sets the first channel and the number of planes of each block; returns the greatest number of planes. `channels` has
// room for one block.
static size_t line_up_blocks(struct tvmq_depthwise *d, const uint8_t *filter, struct tvmq_channel *channels) {
  const struct tvmq_layout *layout = &d->variant->layout;
  size_t most = 0;
  for (size_t b = d->n_blocks; b-- > 0;) {
    struct tvmq_depthwise_block *block = &d->blocks[b];
    block->first = d->channels < layout->nr ? 0 : tvmq_min(b * layout->nr, d->channels - layout->nr);
    const size_t n = block_view(d, filter, b, channels);
    block->planes = tvmq_depthwise_planes_of(layout, channels, n);
    const bool goes_on = b + 1 < d->n_blocks && block[1].planes == block->planes && block[1].first == block->first + layout->nr;
    block->n_alike = goes_on ? block[1].n_alike + 1 : 1;
    most = block->planes > most ? block->planes : most;
  }
  return most;
}

// Arguments of packing: the operator, its filter, and a buffer for the channels of one block.
struct packing {
  struct tvmq_depthwise *d;
  const uint8_t *filter;
  struct tvmq_channel *channels;
};

// Fills the panels. Returns false if out of memory.
static bool fill(void *context, uint8_t *panels, uint32_t *invariants) {
  const struct packing *packing = context;
  struct tvmq_depthwise *d = packing->d;
  struct tvmq_channel_params *params = tvmq_alloc(d->n_blocks * d->variant->layout.nr * sizeof *params);
  if (!params) return false;
  lower_and_pack(d, packing->filter, params, packing->channels, panels);
  tvmq_free(params);
  *invariants = tvmq_invariants_of(&d->stage);
  return true;
}

static struct tvmq_arrangement arrangement_of(const struct tvmq_depthwise *d) {
  return (struct tvmq_arrangement){
      .layout = &d->variant->layout,
      .packer = TVMQ_PACKER_DEPTHWISE,
      .form = d->form,
      .transposed = d->transposed,
      .side_by_side = d->side_by_side,
      .panels = d->n_blocks,
      .panel_bytes = d->panel_bytes,
  };
}

static const char *pack_blocks(const struct packing *packing, const struct tvmq_env *env) {
  struct tvmq_depthwise *d = packing->d;
  const struct tvmq_layout *layout = &d->variant->layout;
  d->blocks = tvmq_alloc(d->n_blocks * sizeof *d->blocks);
  if (!d->blocks) return "out of memory";
  const size_t most = line_up_blocks(d, packing->filter, packing->channels), pixel_bytes = tvmq_round_up((size_t)d->desc.in_c, layout->nr) * d->element_bytes;
  struct tvmq_panel panel;
  size_t bytes;
  if (!tvmq_panel_layout(layout, tvmq_depthwise_depth(layout, d->h.filter, d->w.filter, most), &panel) || !tvmq_mul_size(d->n_blocks, panel.size, &bytes))
    return "packed weights exceed the address space";
  d->panel_bytes = panel.size;
  d->form = tvmq_conv_form(d->variant, env->machine, (size_t)d->desc.batch * d->h.out * d->w.out);
  const struct tvmq_arrangement arrangement = arrangement_of(d);
  struct tvmq_key key = {{0}};
  const bool has_key = tvmq_conv_key(&d->desc, &d->trim, &arrangement, env, &key);
  const char *why = tvmq_conv_weights(&key, has_key, bytes, env, fill, (void *)packing, &d->weights);
  if (why) return why;
  d->padding = tvmq_alloc(pixel_bytes);
  if (!d->padding) return "out of memory";
  d->packed = d->weights->panels;
  d->stage = tvmq_stage_with(&d->quant.stage, d->weights->invariants);
  memset(d->padding, (uint8_t)d->desc.in.zero_point, pixel_bytes);  // int16's zero point is 0
  return NULL;
}

// Packs the trimmed filter; its rows are the kernel's rows.
static const char *pack_kept(struct tvmq_depthwise *d, const struct tvmq_env *env) {
  uint8_t *copy;
  const uint8_t *filter = tvmq_trimmed_filter(&d->trim, &d->desc, d->transposed, &copy);
  if (!filter) return "out of memory";
  const struct packing packing = {d, filter, tvmq_alloc(d->variant->layout.nr * sizeof *packing.channels)};
  const char *why = packing.channels ? pack_blocks(&packing, env) : "out of memory";
  tvmq_free(packing.channels);
  tvmq_free(copy);
  return why;
}

static uint64_t macs(const struct tvmq_depthwise *d) {
  const uint64_t outputs = (uint64_t)d->desc.batch * (uint64_t)d->h.out * (uint64_t)d->w.out * (uint64_t)d->channels;
  return outputs * (uint64_t)d->trim.filter_h * (uint64_t)d->trim.filter_w;
}

static struct tvmq_work work_of(const struct tvmq_depthwise *d, const struct tvmq_env *env) {
  const struct tvmq_machine *machine = env->machine;
  const size_t rows = tvmq_phase_outputs(&d->h, 0), parts = (size_t)d->desc.batch * tvmq_depthwise_phases(d);
  const size_t row_bytes = d->w.in * (size_t)d->desc.in_c * d->element_bytes * d->h.stride;
  return (struct tvmq_work){
      .parts = parts,
      .m = rows,
      .pitch = 1,
      .mr = d->variant->mr,
      .across = d->transposed,
      .reach = (d->h.filter - 1) / d->h.stride,
      .least = machine->depthwise_least_tiles * d->variant->mr,
      .most = machine->strip_bytes / row_bytes,
      .cache_bytes = machine->block_bytes,
      .row_bytes = row_bytes,
      // The last two blocks overlap, so one task computes both, and no byte has two writers.
      .panels = d->n_blocks - (d->n_blocks > 1 && d->channels % d->variant->layout.nr != 0),
      .panel_bytes = d->panel_bytes,
      .in_bytes = row_bytes / (size_t)tvmq_threads_count(env->threads),  // only a thread's share of the channels
      .out_bytes = d->w.out * d->channels * d->stored_bytes,
      .pixel_bytes = d->channels * d->stored_bytes,
      .panel_pixel_bytes = d->variant->layout.nr * d->stored_bytes,
      .cycles = d->cycles,
      .bring_cycles = d->bring_cycles,
  };
}

// Lists the task sizes that satisfy the constraint, the fastest first.
static size_t list_blocks(const struct tvmq_depthwise *d, const struct tvmq_env *env, struct tvmq_blocks *list, size_t max) {
  const struct tvmq_choice constraint = tvmq_constraint_of(env->constraint);
  const struct tvmq_work work = work_of(d, env);
  return tvmq_list_blocks(&work, env->machine, tvmq_threads_count(env->threads), constraint.rows, constraint.panels, list, max);
}

static const char *set_scratch(struct tvmq_depthwise *d, struct tvmq_scratch *memory) {
  const size_t nr = d->variant->layout.nr, rows = tvmq_grid_points(&d->h, d->tasks.rows), n_cols = tvmq_phase_outputs(&d->w, 0);
  const char *why = "scratch exceeds the address space";
  size_t columns, pixels, tile;
  struct tvmq_depthwise_slice s = {0};
  if (!tvmq_mul_size(n_cols - 1, d->w.stride, &columns) || !tvmq_add_size(columns, d->w.filter, &columns)) return why;
  if (!tvmq_mul_size(rows, columns, &pixels) || !tvmq_mul_size(n_cols, d->variant->mr, &tile)) return why;
  // Kernels read a whole block at the last pixel.
  size_t expanded = d->gathers ? pixels : (d->reach - 1) * d->reach;
  if (d->side_by_side > 1 && !tvmq_add_size(pixels, nr, &expanded)) return why;
  if (!tvmq_scratch_append(&s.size, pixels, sizeof(void *), &s.table) ||
      !tvmq_scratch_append(&s.size, expanded, (d->gathers ? nr : d->channels) * d->element_bytes, &s.expanded) ||
      !tvmq_scratch_append(&s.size, tile, nr * d->stored_bytes, &s.tile))
    return why;
  d->slice = s;
  d->scratch = memory;
  return tvmq_scratch_reserve(memory, 0, s.size, (size_t)tvmq_threads_count(d->threads)) ? NULL : "out of memory";
}

static void drop_weights(struct tvmq_depthwise *d) {
  tvmq_packed_release(d->weights);
  tvmq_free(d->padding);
  tvmq_free(d->blocks);
  d->weights = NULL;
  d->packed = d->padding = NULL;
  d->blocks = NULL;
}

static void release(struct tvmq_op *op) {
  struct tvmq_depthwise *d = (struct tvmq_depthwise *)op;
  if (!d) return;
  drop_weights(d);
  tvmq_free(d);
}

// Returns whether kernels read image columns as rows. A filter with one row is transposed, because kernels sum along
// filter columns. An image with short rows is transposed, because starting a row is expensive.
static bool transposes(const struct tvmq_axis *h, const struct tvmq_axis *w, const struct tvmq_machine *machine) {
  if (h->filter == 1 || w->filter == 1) return h->filter < w->filter;
  return w->out < machine->short_row && w->out < h->out;
}

static struct tvmq_depthwise_steps steps(size_t h, size_t w, size_t pixel, bool transposed) {
  return transposed ? (struct tvmq_depthwise_steps){pixel, h * pixel, h * w * pixel} : (struct tvmq_depthwise_steps){w * pixel, pixel, h * w * pixel};
}

// Sets every member that the choice of a variant depends on, and the variant.
static const char *describe(struct tvmq_depthwise *d, const struct tvmq_conv_desc *desc, const struct tvmq_env *env) {
  d->desc = *desc;
  d->quant = tvmq_conv_quant(desc, env->rounding);
  d->element_bytes = tvmq_conv_element_bytes(desc);
  d->stored_bytes = tvmq_conv_stored_bytes(desc);
  d->channels = (size_t)desc->out_c;
  struct tvmq_geometry geometry;
  const char *why = tvmq_geometry(desc, &geometry);
  if (why) return why;
  d->excluded = tvmq_conv_excluded_flags(desc, &d->quant, env->cpu);
  d->trim = tvmq_trim(&d->desc, &geometry);
  const struct tvmq_axis h = tvmq_axis(desc->in_h, geometry.out_h, d->desc.filter_h, desc->stride_h, desc->dilation_h, geometry.pad_top);
  const struct tvmq_axis w = tvmq_axis(desc->in_w, geometry.out_w, d->desc.filter_w, desc->stride_w, desc->dilation_w, geometry.pad_left);
  // A new shape alone does not repack the weights. A constraint refers to the orientation that the shape itself would
  // get.
  if (!d->packed || env->constraint != NULL) d->transposed = transposes(&h, &w, env->machine);
  d->h = d->transposed ? w : h;
  d->w = d->transposed ? h : w;
  d->in_step = steps(d->h.in, d->w.in, (size_t)desc->in_c * d->element_bytes, d->transposed);
  d->out_step = steps(d->h.out, d->w.out, d->channels * d->stored_bytes, d->transposed);
  const struct tvmq_choice constraint = tvmq_constraint_of(env->constraint);
  d->variant = tvmq_algorithm_allowed(&constraint, TVMQ_ALGORITHM_PIXEL_TABLE) && constraint.flip != TVMQ_FLIP_COPY ? choose(d, env) : NULL;
  if (!d->variant) return env->constraint ? "not legal here: this algorithm or kernel" : "no kernel for this combination of types";
  d->n_blocks = tvmq_ceil_div(d->channels, d->variant->layout.nr);
  d->reach = tvmq_ceil_div(d->variant->layout.nr, d->channels);
  d->gathers = desc->depth_multiplier > 1;
  return NULL;
}

// Returns whether the packed weights of `a` can be used by `b`.
static bool same_packing(const struct tvmq_depthwise *a, const struct tvmq_depthwise *b) {
  const struct tvmq_arrangement of_a = arrangement_of(a), of_b = arrangement_of(b);
  return tvmq_conv_same_weights(&a->desc, &a->trim, &b->desc, &b->trim) && tvmq_form_serves(a->form, b->variant) && tvmq_same_arrangement(&of_a, &of_b);
}

static const char *replan(struct tvmq_depthwise *d, const struct tvmq_conv_desc *desc, const struct tvmq_env *env) {
  const struct tvmq_depthwise old = *d;
  d->threads = env->threads;
  const char *why = describe(d, desc, env);
  if (why) return why;
  if (!d->packed || !same_packing(&old, d)) {
    drop_weights(d);
    why = pack_kept(d, env);
    if (why) return why;
    d->packs++;
  }
  if (list_blocks(d, env, &d->tasks, 1) == 0) return "not legal here: blocks of this many rows or panels";
  return set_scratch(d, env->scratch);
}

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (!*op) *op = tvmq_alloc(sizeof(struct tvmq_depthwise));
  struct tvmq_depthwise *d = (struct tvmq_depthwise *)*op;
  if (!d) return "out of memory";
  const char *why = replan(d, &desc->conv, env);
  if (why) drop_weights(d);
  tvmq_conv_note_packed(&d->desc);
  tvmq_recording_note_unread(&d->weights);
  return why;
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct tvmq_depthwise *d = (const struct tvmq_depthwise *)op;
  *out = (struct tvmq_op_info){
      .kernel = d->variant->name,
      .algorithm = d->gathers            ? "gathered channels"
                   : d->side_by_side > 1 ? "pixels side by side"
                                         : "pixel table",
      .packed_bytes = d->n_blocks * d->panel_bytes,
      .scratch_bytes = d->slice.size * (size_t)tvmq_threads_count(d->threads),
      .macs = macs(d),
      .choice = {.algorithm = TVMQ_ALGORITHM_PIXEL_TABLE,
                 .variant = d->variant,
                 .flip = TVMQ_FLIP_USES,
                 .rows = d->tasks.rows,
                 .panels = d->tasks.panels,
                 .cycles = d->cycles},
      .packs = d->packs,
  };
  tvmq_layout_name(&d->variant->layout, out->packing, sizeof out->packing);
}

static size_t n_tasks(const struct tvmq_op *op, size_t pass) { return pass > 0 ? 0 : tvmq_depthwise_n_tasks((const struct tvmq_depthwise *)op); }

static void run_task(const struct tvmq_op *op, const struct tvmq_pass *pass, struct tvmq_task task) {
  tvmq_depthwise_run_task((const struct tvmq_depthwise *)op, pass->in[0], pass->outs[0], task);
}

enum { LISTED_BLOCKS = 3 };

// Lists the candidates of a convolution as well, because tvmq_op_conv can compute the operator, too.
static size_t candidates(const union tvmq_desc *desc, const struct tvmq_env *env, struct tvmq_choice *list, size_t max) {
  struct tvmq_choices choices = {.list = list, .max = max};
  if (desc->conv.in_type == TVMQ_TYPE_F32) return 0;
  struct tvmq_env one = *env;
  struct tvmq_choice constraint = tvmq_constraint_of(env->constraint);
  const struct tvmq_variant *const only = constraint.variant;
  one.constraint = &constraint;
  for (size_t v = tvmq_n_variants; v-- > 0;) {  // of equally fast kernels, the last in variants.def is the most specific
    struct tvmq_depthwise d = {0};
    struct tvmq_blocks blocks[LISTED_BLOCKS];
    constraint.variant = &tvmq_variants[v];
    if ((only != NULL && only != constraint.variant) || describe(&d, &desc->conv, &one) != NULL) continue;
    const size_t n = list_blocks(&d, &one, blocks, LISTED_BLOCKS);
    for (size_t i = 0; i < n; i++) {
      const struct tvmq_choice found = {.algorithm = TVMQ_ALGORITHM_PIXEL_TABLE,
                                        .variant = d.variant,
                                        .flip = TVMQ_FLIP_USES,
                                        .rows = blocks[i].rows,
                                        .panels = blocks[i].panels,
                                        .cycles = d.cycles * blocks[i].cycles / blocks[0].cycles};
      tvmq_choices_add(&choices, &found);
    }
  }
  tvmq_conv_list(&desc->conv, env, &choices);
  return choices.n;
}

// Returns the only implementation that has the algorithm or kernel of the constraint, or NULL without a constraint.
static const struct tvmq_implementation *constrained_implementation(const struct tvmq_choice *constraint) {
  if (constraint->algorithm != TVMQ_ALGORITHM_ANY) return constraint->algorithm == TVMQ_ALGORITHM_PIXEL_TABLE ? &tvmq_op_depthwise : &tvmq_op_conv;
  if (constraint->variant == NULL) return NULL;
  const enum tvmq_family family = constraint->variant->family;
  return family == TVMQ_FAMILY_DEPTHWISE_S8 || family == TVMQ_FAMILY_DEPTHWISE_S16 ? &tvmq_op_depthwise : &tvmq_op_conv;
}

// A single input channel for all outputs would be gathered for each output channel. As a convolution, its window is a
// row of a gemm, and the outputs are columns.
static const struct tvmq_implementation *computed_by(const union tvmq_desc *desc, const struct tvmq_env *env) {
  const struct tvmq_implementation *const hybrid = tvmq_conv_computed_by(desc, env);
  if (hybrid != NULL) return hybrid;
  const struct tvmq_choice constraint = tvmq_constraint_of(env->constraint);
  const struct tvmq_implementation *const constrained = constrained_implementation(&constraint);
  if (constrained != NULL) return constrained;
  if (desc->conv.in_c > 1 || desc->conv.depth_multiplier == 1) return NULL;
  struct tvmq_depthwise d = {0};
  return !describe(&d, &desc->conv, env) && d.cycles <= tvmq_conv_cycles(&desc->conv, env) ? NULL : &tvmq_op_conv;
}

const struct tvmq_implementation tvmq_op_depthwise = {
    .n_tasks = n_tasks,
    .run_task = run_task,
    TVMQ_PLANNING(.candidates = candidates, .sign = tvmq_conv_sign, .computed_by = computed_by, .plan = plan, .release = release, .info = info)};
