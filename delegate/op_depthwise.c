// DEPTHWISE_CONV_2D: channels in blocks, output rows in strips. A task is a strip of one image and a range of blocks: it points at the strip's input pixels
// once and passes over them for each block.
//
// Kernels see no dilation. Outputs whose windows lie on the same grid of every d-th pixel make a convolution of their own, a phase, and the table of pixels
// points at that grid only. Nor do they see which way up the image is: they may be given its columns as rows, and where these are single pixels, tiles of rows
// as columns.
#include <string.h>

#include "arith.h"
#include "claim.h"
#include "conv.h"
#include "conv_blocks.h"
#include "conv_quant.h"
#include "cut.h"
#include "depthwise_rows.h"
#include "geometry.h"
#include "kernels/select.h"
#include "memory.h"
#include "op.h"
#include "packing/pack_depthwise.h"
#include "pixels.h"

// Rows of a strip: enough that the table of pixels, built once per strip, costs little; few enough that its input stays in cache.
enum { STRIP_BYTES = 48 * 1024, MIN_STRIP_TILES = 2 };

// Output rows below this length are worth exchanging with columns.
enum { SHORT_ROW = 8 };

// One thread's slice of the scratch, as byte offsets.
struct slice {
  size_t table;     // pointers to the pixels of the strip
  size_t expanded;  // one block's channels of those pixels, where the kernel cannot read them in place: gathered, or all pixels side by side
  size_t tile;      // output of a tile that overhangs the output tensor
  size_t size;
};

struct depthwise {
  struct tvmq_conv_desc desc;  // its filter cut
  struct tvmq_cut cut;
  struct tvmq_conv_quant quant;
  struct tvmq_axis h, w;  // down and along the kernel's rows
  bool transposed;        // the kernel's rows are the image's columns
  const struct tvmq_variant *variant;
  uint32_t excluded;           // flags of which the kernel may have none, given the weights
  float cycles, bring_cycles;  // estimated, on one thread; of them, what it takes to point at pixels
  struct tvmq_threads *threads;

  size_t element_bytes;
  size_t channels;  // of the output
  size_t panel_bytes;
  size_t blocks;
  size_t side_by_side;  // output pixels that a block holds, 1 where it holds as many channels
  bool gathers;         // depth multiplier above 1, or fewer channels than a block holds: a block's input channels do not lie side by side
  uint8_t *packed;
  uint8_t *planes;   // of each block (pack_depthwise.h)
  uint32_t packs;    // how often
  uint8_t *padding;  // a pixel of zero points

  struct tvmq_conv_blocks tasks;  // a strip of a phase, and blocks
  struct slice slice;
  const struct tvmq_scratch *scratch;
};

// First output channel of a block. The last block overlaps its neighbour instead of overhanging: both compute the same values there.
static size_t block_channel(const struct depthwise *d, size_t block) {
  const size_t nr = d->variant->layout.nr;
  return d->channels < nr ? 0 : tvmq_min(block * nr, d->channels - nr);
}

// Channels of a block that are outputs, those of pixels side by side included.
static size_t block_channels(const struct depthwise *d) { return tvmq_min(d->channels * d->side_by_side, d->variant->layout.nr); }

static size_t phases(const struct depthwise *d) { return d->h.phases * d->w.phases; }

// ---- plan

static const struct tvmq_variant *choose(struct depthwise *d, const struct tvmq_env *env) {
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
      .cpu = env->cpu,
      .excluded = d->excluded,
  };
  const enum tvmq_family family = desc->in_type == TVMQ_TYPE_S16 ? TVMQ_FAMILY_DEPTHWISE_S16 : TVMQ_FAMILY_DEPTHWISE_S8;
  const struct tvmq_variant *variant = tvmq_select_depthwise(family, &problem, &d->cycles);
  if (!variant) return NULL;
  d->side_by_side = tvmq_depthwise_side_by_side(variant, &problem);
  const float parts = (float)desc->batch * (float)phases(d);
  d->bring_cycles = parts * (float)tvmq_grid_points(&d->h, problem.out_h) * (float)tvmq_grid_points(&d->w, problem.out_w);  // one for each pointer
  d->cycles = d->cycles * parts + d->bring_cycles;
  return variant;
}

// Views of a block's channels; returns how many.
static size_t block_view(const struct depthwise *d, const uint8_t *filter, size_t block, struct tvmq_channel *channels) {
  const size_t first = block_channel(d, block), n = block_channels(d);
  for (size_t j = 0; j < n; j++) channels[j] = tvmq_conv_channel(&d->desc, &d->quant, filter, first + j % d->channels);
  return n;
}

static const char *pack(struct depthwise *d, const uint8_t *filter) {
  const struct tvmq_layout *layout = &d->variant->layout;
  struct tvmq_channel channels[UINT8_MAX];
  d->planes = tvmq_alloc(d->blocks);
  if (!d->planes) return "out of memory";
  size_t most = 0;
  for (size_t b = 0; b < d->blocks; b++) {
    const size_t n = block_view(d, filter, b, channels), planes = tvmq_depthwise_planes_of(layout, channels, n);
    d->planes[b] = (uint8_t)planes;
    most = planes > most ? planes : most;
  }

  const size_t pixel_bytes = tvmq_round_up((size_t)d->desc.in_c, layout->nr) * d->element_bytes;
  struct tvmq_panel panel;
  size_t bytes;
  if (!tvmq_panel_layout(layout, tvmq_depthwise_depth(layout, d->h.filter, d->w.filter, most), &panel) || !tvmq_mul_size(d->blocks, panel.size, &bytes))
    return "packed weights exceed the address space";
  d->panel_bytes = panel.size;
  d->packed = tvmq_alloc(bytes);
  d->padding = tvmq_alloc(pixel_bytes);
  if (!d->packed || !d->padding) return "out of memory";

  memset(d->padding, (uint8_t)d->desc.in.zero_point, pixel_bytes);  // int16's zero point is 0

  for (size_t b = 0; b < d->blocks; b++) {
    const size_t n = block_view(d, filter, b, channels);
    struct tvmq_channel_params params[UINT8_MAX];
    const size_t part = n / d->side_by_side;
    for (size_t j = 0; j < n; j += part) tvmq_conv_channel_params(&d->desc, &d->quant, layout, channels + j, block_channel(d, b), part, params + j);
    tvmq_pack_depthwise(layout, channels, params, n, d->h.filter, d->w.filter, d->planes[b], d->packed + b * d->panel_bytes);
  }
  return NULL;
}

// Packs the part of the filter that is kept, its rows the kernel's.
static const char *pack_kept(struct depthwise *d) {
  uint8_t *copy;
  const uint8_t *filter = tvmq_cut_filter(&d->cut, &d->desc, d->transposed, &copy);
  if (!filter) return "out of memory";
  const char *why = pack(d, filter);
  tvmq_free(copy);
  return why;
}

static uint64_t macs(const struct depthwise *d) {
  const uint64_t outputs = (uint64_t)d->desc.batch * (uint64_t)d->h.out * (uint64_t)d->w.out * (uint64_t)d->channels;
  return outputs * (uint64_t)d->cut.filter_h * (uint64_t)d->cut.filter_w;
}

static void set_tasks(struct depthwise *d) {
  const size_t rows = tvmq_phase_outputs(&d->h, 0), parts = (size_t)d->desc.batch * phases(d);
  const size_t row_bytes = d->w.in * (size_t)d->desc.in_c * d->element_bytes * d->h.stride;
  const struct tvmq_conv_work work = {
      .parts = parts,
      .m = rows,
      .pitch = 1,
      .mr = d->variant->mr,
      .reach = (d->h.filter - 1) / d->h.stride,
      .least = MIN_STRIP_TILES * d->variant->mr,
      .most = STRIP_BYTES / row_bytes,
      .row_bytes = row_bytes,
      // Two overlapping blocks stay together, so that no byte has two writers.
      .panels = d->blocks - (d->blocks > 1 && d->channels % d->variant->layout.nr != 0),
      .panel_bytes = d->panel_bytes,
      .in_bytes = row_bytes / (size_t)tvmq_threads_count(d->threads),  // of a thread's channels
      .out_bytes = d->w.out * d->channels * d->element_bytes,
      .cycles = d->cycles,
      .bring_cycles = d->bring_cycles,
  };
  d->tasks = tvmq_conv_blocks(&work, tvmq_threads_count(d->threads));
}

static const char *set_scratch(struct depthwise *d, struct tvmq_scratch *memory) {
  const size_t nr = d->variant->layout.nr, rows = tvmq_grid_points(&d->h, d->tasks.rows), n_cols = tvmq_phase_outputs(&d->w, 0);
  const char *why = "scratch exceeds the address space";
  size_t columns, pixels, tile;
  struct slice s = {0};
  if (!tvmq_mul_size(n_cols - 1, d->w.stride, &columns) || !tvmq_add_size(columns, d->w.filter, &columns)) return why;
  if (!tvmq_mul_size(rows, columns, &pixels) || !tvmq_mul_size(n_cols, d->variant->mr, &tile)) return why;
  if (!tvmq_scratch_append(&s.size, pixels, sizeof(void *), &s.table) ||
      !tvmq_scratch_append(&s.size, d->gathers || d->side_by_side > 1 ? pixels : 0, (d->gathers ? nr : d->channels) * d->element_bytes, &s.expanded) ||
      !tvmq_scratch_append(&s.size, tile, nr * d->element_bytes, &s.tile))
    return why;
  d->slice = s;
  d->scratch = memory;
  return tvmq_scratch_reserve(memory, 0, s.size, (size_t)tvmq_threads_count(d->threads)) ? NULL : "out of memory";
}

static void drop_weights(struct depthwise *d) {
  tvmq_free(d->packed);
  tvmq_free(d->padding);
  tvmq_free(d->planes);
  d->packed = d->padding = d->planes = NULL;
}

static void release(struct tvmq_op *op) {
  struct depthwise *d = (struct depthwise *)op;
  if (!d) return;
  drop_weights(d);
  tvmq_free(d);
}

// Kernels sum down the columns of a filter that has one row or column, and begin few rows.
static bool transposes(const struct tvmq_axis *h, const struct tvmq_axis *w) {
  if (h->filter == 1 || w->filter == 1) return h->filter < w->filter;
  return w->out < SHORT_ROW && w->out < h->out;
}

// All that the choice of a variant depends on, and the choice.
static const char *describe(struct depthwise *d, const struct tvmq_conv_desc *desc, const struct tvmq_env *env) {
  d->desc = *desc;
  d->quant = tvmq_conv_quant(desc, env->rounding);
  d->element_bytes = tvmq_conv_element_bytes(desc);
  d->channels = (size_t)desc->out_c;
  struct tvmq_geometry geometry;
  const char *why = tvmq_geometry(desc, &geometry);
  if (why) return why;
  d->excluded = tvmq_conv_excluded_flags(desc, &d->quant);
  d->cut = tvmq_cut(&d->desc, &geometry);
  const struct tvmq_axis h = tvmq_axis(desc->in_h, geometry.out_h, d->desc.filter_h, desc->stride_h, desc->dilation_h, geometry.pad_top);
  const struct tvmq_axis w = tvmq_axis(desc->in_w, geometry.out_w, d->desc.filter_w, desc->stride_w, desc->dilation_w, geometry.pad_left);
  if (!d->packed) d->transposed = transposes(&h, &w);  // another shape alone is no reason to pack again
  d->h = d->transposed ? w : h;
  d->w = d->transposed ? h : w;
  d->variant = choose(d, env);
  return d->variant ? NULL : "no kernel for this combination of types";
}

static const char *replan(struct depthwise *d, const struct tvmq_conv_desc *desc, const struct tvmq_env *env) {
  const struct depthwise old = *d;
  d->threads = env->threads;
  const char *why = describe(d, desc, env);
  if (why) return why;
  const size_t nr = d->variant->layout.nr;
  d->blocks = tvmq_ceil_div(d->channels, nr);
  d->gathers = desc->depth_multiplier > 1 || d->channels * d->side_by_side < nr;

  bool packed = d->packed && tvmq_conv_same_weights(&old.desc, &d->desc) && tvmq_cut_equal(&old.cut, &d->cut) && old.side_by_side == d->side_by_side &&
                tvmq_layout_equal(&old.variant->layout, &d->variant->layout);
  if (packed) {
    d->quant = old.quant;
  } else {
    drop_weights(d);
    why = pack_kept(d);
    if (why) return why;
    d->packs++;
  }
  set_tasks(d);
  return set_scratch(d, env->scratch);
}

static const char *plan(struct tvmq_op **op, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (!*op) *op = tvmq_alloc(sizeof(struct depthwise));
  struct depthwise *d = (struct depthwise *)*op;
  if (!d) return "out of memory";
  const char *why = replan(d, &desc->conv, env);
  if (why) drop_weights(d);
  return why;
}

static void info(const struct tvmq_op *op, struct tvmq_op_info *out) {
  const struct depthwise *d = (const struct depthwise *)op;
  *out = (struct tvmq_op_info){
      .kernel = d->variant->name,
      .algorithm = d->gathers            ? "gathered channels"
                   : d->side_by_side > 1 ? "pixels side by side"
                                         : "pixel table",
      .packed_bytes = d->blocks * d->panel_bytes,
      .scratch_bytes = d->slice.size * (size_t)tvmq_threads_count(d->threads),
      .macs = macs(d),
      .packs = d->packs,
  };
  tvmq_layout_name(&d->variant->layout, out->packing, sizeof out->packing);
}

// ---- run

struct inference {
  const struct depthwise *depthwise;
  const uint8_t *in;
  uint8_t *out;
};

// Bytes between neighbouring pixels down and along the kernel's rows.
struct steps {
  size_t h, w;
};

static struct steps steps(const struct depthwise *d, size_t h, size_t w, size_t pixel) {
  return d->transposed ? (struct steps){pixel, h * pixel} : (struct steps){w * pixel, pixel};
}

static struct steps in_steps(const struct depthwise *d) { return steps(d, d->h.in, d->w.in, (size_t)d->desc.in_c * d->element_bytes); }

static struct steps out_steps(const struct depthwise *d) { return steps(d, d->h.out, d->w.out, d->channels * d->element_bytes); }

// Blocks from `b` on that one call can compute: side by side, with as many planes.
static size_t alike(const struct depthwise *d, size_t b, size_t end) {
  const size_t nr = d->variant->layout.nr;
  size_t n = 1;
  while (b + n < end && d->planes[b + n] == d->planes[b] && block_channel(d, b + n) == block_channel(d, b) + n * nr) n++;
  return n;
}

static void run_task(void *context, struct tvmq_tile tile) {
  const struct inference *job = context;
  const struct depthwise *d = job->depthwise;
  const struct tvmq_conv_blocks *tasks = &d->tasks;
  const size_t bytes = d->element_bytes, nr = d->variant->layout.nr;
  const struct steps in_step = in_steps(d), out_step = out_steps(d);
  uint8_t *scratch = d->scratch->memory + (size_t)tile.thread * d->slice.size;
  const void **table = (const void **)(scratch + d->slice.table);
  const size_t group = tile.index % tasks->n_blocks, strip = tile.index / tasks->n_blocks % tasks->m_blocks;
  const size_t part = tile.index / tasks->n_blocks / tasks->m_blocks, phase = part % phases(d), image = part / phases(d);
  const size_t phase_h = phase / d->w.phases, phase_w = phase % d->w.phases;
  const size_t first_row = strip * tasks->rows, n_rows = tvmq_phase_outputs(&d->h, phase_h), n_cols = tvmq_phase_outputs(&d->w, phase_w);
  if (first_row >= n_rows || n_cols == 0) return;
  const size_t n = tvmq_min(tasks->rows, n_rows - first_row);
  const size_t end_block = group + 1 == tasks->n_blocks ? d->blocks : (group + 1) * tasks->panels;
  const uint8_t *in = job->in + image * d->h.in * d->w.in * (size_t)d->desc.in_c * bytes;
  uint8_t *out = job->out + image * d->h.out * d->w.out * d->channels * bytes;
  out += (phase_h + first_row * d->h.phases) * out_step.h + phase_w * out_step.w;

  // A tile that overhangs reads table rows past the image: padding.
  const size_t rows = tvmq_grid_points(&d->h, tvmq_round_up(n, d->variant->mr)), columns = tvmq_grid_points(&d->w, n_cols);
  const ptrdiff_t y = tvmq_first_input(&d->h, phase_h, first_row), x = tvmq_first_input(&d->w, phase_w, 0);
  const struct tvmq_pixel_grid grid = {.h = &d->h, .w = &d->w, .y = y, .x = x, .rows = rows, .columns = columns};
  const struct tvmq_pixels in_place = {
      .origin = in + y * (ptrdiff_t)in_step.h + x * (ptrdiff_t)in_step.w, .row_step = d->h.dilation * in_step.h, .column_step = d->w.dilation * in_step.w};
  const struct tvmq_pixels gathered = {.origin = scratch + d->slice.expanded, .row_step = columns * nr * bytes, .column_step = nr * bytes};
  const size_t pixels = d->side_by_side;
  if (!tvmq_conv_has_rows(tasks, &tile)) {
    if (pixels > 1)
      tvmq_copy_lines(&grid, &in_place, d->padding, d->channels * bytes, scratch + d->slice.expanded, table);
    else
      tvmq_fill_pixels(&grid, d->gathers ? &gathered : &in_place, d->padding, table);
  }

  struct tvmq_depthwise_args args = {
      .pixels = table,
      .pixels_stride = columns,
      .n_cols = n_cols / pixels,
      .filter_h = d->h.filter,
      .filter_w = d->w.filter,
      .stride_h = d->h.stride,
      .stride_w = d->w.stride * pixels,
      .panel_bytes = d->panel_bytes,
      .out_col_stride = d->w.phases * out_step.w * pixels,
      .out_row_stride = d->h.phases * out_step.h,
      .in_flip = tvmq_operand_flip(&d->quant, &d->variant->layout),
      .stage = &d->quant.stage,
  };
  for (size_t b = group * tasks->panels; b < end_block; b += args.n_blocks) {
    const size_t channel = block_channel(d, b);
    if (d->gathers) {
      const struct tvmq_channels channels = {channel, tvmq_min(nr, d->channels), (size_t)d->desc.depth_multiplier, bytes};
      tvmq_gather_pixels(&grid, &channels, &in_place, scratch + d->slice.expanded, nr * bytes);
    }
    args.n_blocks = d->gathers ? 1 : alike(d, b, end_block);
    args.channel_offset = d->gathers ? 0 : channel * bytes;
    args.filter_zero_point = d->planes[b] == 0 ? d->quant.filter_zero_point : 0;
    args.n_planes = d->planes[b];
    args.panel = d->packed + b * d->panel_bytes;
    args.out = out + channel * bytes;
    tvmq_depthwise_rows(d->variant, args, n, block_channels(d), bytes, scratch + d->slice.tile);
  }
  if (n_cols % pixels != 0) {  // the last pixels side by side, some of them again
    args.pixels = table + (n_cols - pixels);
    args.out = out + (n_cols - pixels) * out_step.w;
    args.n_cols = 1;
    tvmq_depthwise_rows(d->variant, args, n, nr, bytes, scratch + d->slice.tile);
  }
}

static void run(struct tvmq_op *op, const void *const *in, void *out) {
  const struct depthwise *d = (const struct depthwise *)op;
  tvmq_threads_run(d->threads, (size_t)d->desc.batch * phases(d) * d->tasks.m_blocks * d->tasks.n_blocks, run_task,
                   &(struct inference){.depthwise = d, .in = in[0], .out = out});
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_conv(&desc->conv); }

// One channel alone that becomes all outputs is gathered for each of them; of a convolution, its window is a row and they are the columns.
static const struct tvmq_op_class *computed_by(const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (desc->conv.in_c > 1 || desc->conv.depth_multiplier == 1) return &tvmq_op_depthwise;
  struct depthwise d = {0};
  return !describe(&d, &desc->conv, env) && d.cycles <= tvmq_conv_cycles(&desc->conv, env) ? &tvmq_op_depthwise : &tvmq_op_conv;
}

const struct tvmq_op_class tvmq_op_depthwise = {.claim = claim, .computed_by = computed_by, .plan = plan, .run = run, .release = release, .info = info};
