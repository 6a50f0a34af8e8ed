// Convolutions by exact integer Winograd (kernels/winograd.h): the input is transformed tile by tile, and multiplied by
// the transformed weights at each point; the sums are then transformed to outputs. A filter of more than three taps per
// dimension is divided into adjacent pieces of three taps, whose values are further depths of the same gemm.
//
// The scratch holds one wave of tiles at a time. The threads first divide its tiles among them to transform these, then
// its blocks of tiles x panels. The sums of a block, one panel at a time, are in the thread's slice.
#include "cpu/ops/conv/conv_winograd.h"

#include <string.h>

#include "base/arith.h"
#include "base/memory.h"
#include "cpu/ops/conv/winograd_tiles.h"
#include "cpu/ops/pixels.h"
#include "cpu/plan/select.h"
#include "kernels/winograd.h"
#include "packing/pack_winograd.h"

// Rows at a distance of a power of two share the same few places of a cache. One cache line between points spreads
// them.
enum { SPREAD_BYTES = 64 };

struct winograd {
  const struct tvmq_variant *input, *output;
  struct tvmq_axis h, w;  // axes of the input
  struct tvmq_tiles tiles;
  size_t wave_tiles;                              // tiles of a wave
  size_t values_point_stride, sums_point_stride;  // elements
  size_t values, sums, pixels, tile;              // byte offsets: `values` in the shared scratch, the others in a thread's slice
};
static struct winograd *winograd_of(const struct tvmq_conv *c) { return c->plan; }

// ---- choose

static size_t taps_h(const struct tvmq_conv_problem *p) { return (size_t)p->desc.filter_h; }
static size_t taps_w(const struct tvmq_conv_problem *p) { return (size_t)p->desc.filter_w; }
static size_t n_points(const struct tvmq_conv_problem *p) { return tvmq_winograd_weight_points(taps_h(p)) * tvmq_winograd_weight_points(taps_w(p)); }
static size_t n_pieces(const struct tvmq_conv_problem *p) { return tvmq_winograd_pieces(taps_h(p)) * tvmq_winograd_pieces(taps_w(p)); }

static bool is_legal(const struct tvmq_conv_problem *p) {
  const struct tvmq_conv_desc *d = &p->desc;
  return p->element_bytes == 1 && p->groups == 1 && d->stride_h == 1 && d->stride_w == 1 && (d->filter_h == 1 || d->dilation_h == 1) &&
         (d->filter_w == 1 || d->dilation_w == 1) && (d->filter_h > 1 || d->filter_w > 1);
}

// Returns whether Winograd is exact with these weights. If out of memory, returns false, and another algorithm is
// chosen.
static bool prove(const struct tvmq_conv_problem *p) {
  uint8_t *copy;
  const uint8_t *filter = tvmq_trimmed_filter(&p->trim, &p->kept, false, &copy);
  bool exact = filter;
  for (size_t o = 0; exact && o < (size_t)p->desc.out_c; o++) {
    const struct tvmq_channel channel = tvmq_conv_channel(&p->desc, &p->quant, filter, o);
    exact = tvmq_winograd_exact(&channel, taps_h(p), taps_w(p));
  }
  tvmq_free(copy);
  return exact;
}

static bool is_exact(const struct tvmq_conv_problem *p) {
  if (*p->by_winograd == TVMQ_EXACTNESS_UNKNOWN) *p->by_winograd = prove(p) ? TVMQ_EXACT : TVMQ_INEXACT;
  return *p->by_winograd == TVMQ_EXACT;
}

static struct tvmq_tiles tiles_of(const struct tvmq_conv_problem *p) {
  return tvmq_tiles((size_t)p->desc.batch, (size_t)p->geometry.out_h, (size_t)p->geometry.out_w, taps_h(p), taps_w(p));
}

// Return the bytes of a tile's values, and of its sums for one panel.
static size_t values_bytes(const struct tvmq_conv_choice *c) { return c->n_taps * c->k * sizeof(int16_t); }
static size_t sums_bytes(const struct tvmq_conv_choice *c) { return c->n_taps * c->variant->layout.nr * sizeof(int32_t); }

// Returns the number of tiles that a thread may work on at a time.
static size_t cached_tiles(const struct tvmq_conv_choice *c, const struct tvmq_machine *machine) {
  return tvmq_max(machine->winograd_bytes / (values_bytes(c) + sums_bytes(c)), machine->winograd_least_tiles);
}

// Selects the output kernel for a gemm's panels. It must accept the float form if the gemm does, and store sums if the
// stage has them.
static const struct tvmq_variant *select_output(const struct tvmq_conv_problem *p, const struct tvmq_variant *gemm, const struct tvmq_target *target,
                                                float *cycles) {
  const uint32_t required = (gemm->flags & TVMQ_FLOAT_STAGE) | (p->quant.stage.sums ? TVMQ_SUMS : 0);
  return tvmq_select_winograd_transform(TVMQ_FAMILY_WINOGRAD_OUTPUT, gemm->layout.nr, required, target, cycles);
}

static float estimate(const struct tvmq_conv_problem *p, const struct tvmq_conv_choice *c, const struct tvmq_tiles *tiles, const struct tvmq_target *target) {
  const struct tvmq_machine *machine = target->machine;
  const size_t nr = c->variant->layout.nr, values = tvmq_tiles_values(tiles), waves = tvmq_ceil_div(tvmq_tiles_count(tiles), cached_tiles(c, machine));
  float input, output;
  tvmq_select_winograd_transform(TVMQ_FAMILY_WINOGRAD_INPUT, (size_t)p->desc.filter_c, 0, target, &input);
  select_output(p, c->variant, target, &output);
  const float streamed = c->transformed_bytes > machine->winograd_bytes ? (float)waves * (float)(c->transformed_bytes - machine->winograd_bytes) : 0;
  return (float)values * (input * (float)n_pieces(p) + output * (float)tvmq_ceil_div(p->group_n, nr)) + streamed * machine->streamed_byte_cycles;
}

// Describes the gemms of all tiles.
static struct tvmq_winograd_problem gemms_of(const struct tvmq_conv_problem *p, const struct tvmq_tiles *tiles, const struct tvmq_target *target) {
  struct tvmq_winograd_problem problem = {.n = p->group_n, .k = n_pieces(p) * (size_t)p->desc.filter_c, .n_points = n_points(p), .target = *target};
  const size_t points_w = tvmq_winograd_all_points(tiles->w.tile);
  for (size_t i = 0; i < problem.n_points; i++) {
    size_t first, end;
    tvmq_tiles_at(tiles, i / points_w, i % points_w, &first, &end);
    problem.rows[i] = end - first;
  }
  return problem;
}

static struct tvmq_conv_choice choose(const struct tvmq_conv_problem *p, const struct tvmq_env *env, const struct tvmq_target *target) {
  const struct tvmq_conv_choice none = {0};
  float cycles;
  if (env->winograd == TVMQ_WINOGRAD_OFF || !is_legal(p)) return none;
  if (!tvmq_select_winograd_transform(TVMQ_FAMILY_WINOGRAD_INPUT, (size_t)p->desc.filter_c, 0, target, &cycles)) return none;
  const struct tvmq_tiles tiles = tiles_of(p);
  const struct tvmq_winograd_problem gemms = gemms_of(p, &tiles, target);
  struct tvmq_conv_choice c = {.n_taps = gemms.n_points};
  c.variant = tvmq_select_winograd_gemm(&gemms, &c.cycles);
  if (!c.variant || !select_output(p, c.variant, target, &cycles)) return none;
  c.k = tvmq_round_up(gemms.k, c.variant->layout.ku);
  struct tvmq_panel panel;
  const bool fits = tvmq_panel_layout(&c.variant->layout, c.n_taps * c.k, &panel) &&
                    tvmq_mul_size(tvmq_ceil_div(gemms.n, c.variant->layout.nr), panel.size, &c.transformed_bytes) &&
                    env->transformed->used <= env->transformed->limit && c.transformed_bytes <= env->transformed->limit - env->transformed->used;
  if (!fits) return none;
  c.cycles += estimate(p, &c, &tiles, target);
  return c;
}

static void pack(const struct tvmq_conv_problem *p, const struct tvmq_conv_choice *choice, struct tvmq_channel *channels,
                 const struct tvmq_channel_params *params, size_t n, void *panel) {
  tvmq_pack_winograd(&choice->variant->layout, channels, params, n, taps_h(p), taps_w(p), panel);
}

static const char *name(const struct tvmq_conv *c) {
  return taps_h(&c->problem) == 1 ? "winograd 1x4" : taps_w(&c->problem) == 1 ? "winograd 4x1" : "winograd 4x4";
}

// ---- plan

// Returns the tiles per wave, small enough that the data of a thread stays in the cache.
static size_t wave_tiles(const struct tvmq_conv_choice *c, const struct tvmq_env *env, const struct tvmq_tiles *tiles) {
  const size_t n = tvmq_tiles_count(tiles), threads = (size_t)tvmq_threads_count(env->threads);
  const size_t waves = tvmq_ceil_div(n, cached_tiles(c, env->machine) * threads);
  return tvmq_min(tvmq_round_up(tvmq_ceil_div(n, waves), c->variant->mr), n);
}

// Describes the work of a wave, to be cut into blocks. The threads have written equal parts of its values.
static struct tvmq_work work(const struct tvmq_conv_problem *p, const struct tvmq_conv_choice *c, const struct tvmq_env *env) {
  const struct tvmq_tiles tiles = tiles_of(p);
  const size_t m = wave_tiles(c, env, &tiles), waves = tvmq_ceil_div(tvmq_tiles_count(&tiles), m);
  return (struct tvmq_work){
      .parts = 1,
      .m = m,
      .pitch = 1,
      .mr = c->variant->mr,
      .least = env->machine->winograd_least_tiles,
      .most = cached_tiles(c, env->machine),
      .cache_bytes = SIZE_MAX,
      .row_bytes = values_bytes(c),
      .panels = c->panels,
      .panel_bytes = c->panel.size,
      .in_bytes = values_bytes(c),
      .out_bytes = (size_t)p->desc.out_c * p->stored_bytes * (p->m / tvmq_tiles_count(&tiles)),
      .pixel_bytes = (size_t)p->desc.out_c * p->stored_bytes,
      .panel_pixel_bytes = c->variant->layout.nr * p->stored_bytes,
      .cycles = c->cycles / (float)waves,
  };
}

// Returns the distance from the inputs of a dimension's first piece to those of the last.
static size_t reach(size_t taps) { return (tvmq_winograd_pieces(taps) - 1) * TVMQ_WINOGRAD_PIECE; }

static const char *set_scratch(struct tvmq_conv *c) {
  struct winograd *w = winograd_of(c);
  const size_t nr = c->choice.variant->layout.nr, mr = c->choice.variant->mr;
  // A gemm in whole tiles of rows may exceed the last Winograd tile by mr - 1 rows.
  w->values_point_stride = (w->wave_tiles + mr) * c->choice.k + SPREAD_BYTES / sizeof(int16_t);
  w->sums_point_stride = (c->choice.blocks.rows + mr) * nr + SPREAD_BYTES / sizeof(int32_t);
  const size_t line = tvmq_min(w->wave_tiles, w->tiles.w.whole + 1) * tvmq_winograd_outputs(w->tiles.w.tile);  // outputs of a run
  const size_t rows = tvmq_winograd_points(w->tiles.h.tile) + reach(taps_h(&c->problem)), columns = line + 2 + reach(taps_w(&c->problem));
  size_t shared = 0, slice = 0;
  if (!tvmq_scratch_append(&slice, c->choice.n_taps, w->sums_point_stride * sizeof(int32_t), &w->sums) ||
      !tvmq_scratch_append(&slice, rows, columns * sizeof(void *), &w->pixels) ||
      !tvmq_scratch_append(&slice, tvmq_winograd_outputs(w->tiles.h.tile), line * nr * c->problem.stored_bytes, &w->tile) ||
      !tvmq_scratch_append(&shared, c->choice.n_taps, w->values_point_stride * sizeof(int16_t), &w->values))
    return "scratch exceeds the address space";
  c->slice_bytes = slice;
  c->shared_bytes = shared;
  return NULL;
}

static const char *plan(struct tvmq_conv *c, const struct tvmq_env *env) {
  const struct tvmq_conv_desc *d = &c->problem.desc;
  struct winograd *w = winograd_of(c);
  const struct tvmq_target target = tvmq_target(env);
  float cycles;
  w->input = tvmq_select_winograd_transform(TVMQ_FAMILY_WINOGRAD_INPUT, (size_t)d->filter_c, 0, &target, &cycles);
  w->output = select_output(&c->problem, c->choice.variant, &target, &cycles);
  w->h = tvmq_axis(d->in_h, c->problem.geometry.out_h, d->filter_h, 1, 1, c->problem.geometry.pad_top);
  w->w = tvmq_axis(d->in_w, c->problem.geometry.out_w, d->filter_w, 1, 1, c->problem.geometry.pad_left);
  w->tiles = tiles_of(&c->problem);
  w->wave_tiles = wave_tiles(&c->choice, env, &w->tiles);
  return set_scratch(c);
}

// ---- run

struct wave {
  const struct tvmq_conv *conv;
  const struct tvmq_pass *pass;
  const uint8_t *in;
  uint8_t *out;
  size_t first, n;  // tiles
  size_t chunk;     // tiles per input task
};

static void transform_chunk(const struct wave *wave, struct tvmq_task task) {
  const struct tvmq_conv *c = wave->conv;
  const struct winograd *w = winograd_of(c);
  const size_t channels = (size_t)c->problem.desc.in_c, row_step = w->w.in * channels, pieces_w = tvmq_winograd_pieces(taps_w(&c->problem));
  const void **pixels = (const void **)(tvmq_conv_scratch(c, task.thread) + w->pixels);
  int16_t *values = (int16_t *)(c->scratch->memory + w->values);
  const size_t end = tvmq_min((task.index + 1) * wave->chunk, wave->n);
  for (size_t t = task.index * wave->chunk; t < end;) {
    const struct tvmq_tile_run run = tvmq_tiles_run(&w->tiles, wave->first + t, wave->first + end);
    const struct tvmq_pixel_grid grid = {
        .h = &w->h,
        .w = &w->w,
        .y = (ptrdiff_t)run.y - (ptrdiff_t)w->h.pad,
        .x = (ptrdiff_t)run.x - (ptrdiff_t)w->w.pad,
        .rows = tvmq_winograd_points(run.tile_h) + reach(taps_h(&c->problem)),
        .columns = (run.n - 1) * tvmq_winograd_outputs(run.tile_w) + tvmq_winograd_points(run.tile_w) + reach(taps_w(&c->problem)),
    };
    const ptrdiff_t origin = ((ptrdiff_t)(run.image * w->h.in) + grid.y) * (ptrdiff_t)row_step + grid.x * (ptrdiff_t)channels;
    tvmq_fill_pixels(&grid, &(struct tvmq_pixels){.origin = wave->in + origin, .row_step = row_step, .column_step = channels}, c->padding, pixels);
    for (size_t piece = 0; piece < n_pieces(&c->problem); piece++) {
      const size_t y = piece / pieces_w * TVMQ_WINOGRAD_PIECE, x = piece % pieces_w * TVMQ_WINOGRAD_PIECE;
      w->input->fn.winograd_input(&(struct tvmq_winograd_input_args){
          .pixels = pixels + y * grid.columns + x,
          .pixels_stride = grid.columns,
          .n_tiles = run.n,
          .tile_h = run.tile_h,
          .tile_w = run.tile_w,
          .channels = channels,
          .values = values + t * c->choice.k + piece * channels,
          .tile_stride = c->choice.k,
          .point_stride = w->values_point_stride,
          .in_flip = c->problem.quant.in_flip,
      });
    }
    t += run.n;
  }
}

// Computes the sums of tiles [first, end) of the wave for one panel.
static void multiply(const struct wave *wave, size_t first, size_t end, const uint8_t *panel, int32_t *sums) {
  const struct tvmq_conv *c = wave->conv;
  const struct winograd *w = winograd_of(c);
  const struct tvmq_layout *layout = &c->choice.variant->layout;
  const int16_t *values = (const int16_t *)(c->scratch->memory + w->values), *weights = (const int16_t *)(panel + c->choice.panel.weights);
  const size_t points_w = tvmq_winograd_all_points(w->tiles.w.tile);
  for (size_t i = 0; i < c->choice.n_taps; i++) {
    size_t from, to;
    tvmq_tiles_at(&w->tiles, i / points_w, i % points_w, &from, &to);
    from = from > wave->first + first ? from - wave->first : first;
    to = tvmq_min(to - tvmq_min(to, wave->first), end);
    if (from >= to) continue;
    c->choice.variant->fn.winograd_gemm(&(struct tvmq_winograd_gemm_args){
        .values = values + i * w->values_point_stride + from * c->choice.k,
        .values_stride = c->choice.k,
        .n_rows = tvmq_round_up(to - from, c->choice.variant->mr),
        .k = c->choice.k,
        .weights = weights + i * c->choice.k * layout->nr,
        .sums = sums + i * w->sums_point_stride + (from - first) * layout->nr,
    });
  }
}

// Computes the outputs of the same tiles and panel; the panel's `n` channels begin at `channel`.
static void finish(const struct wave *wave, size_t first, size_t end, const uint8_t *panel, size_t channel, size_t n, const int32_t *sums, uint8_t *tile) {
  const struct tvmq_conv *c = wave->conv;
  const struct winograd *w = winograd_of(c);
  const size_t nr = c->choice.variant->layout.nr, bytes = c->problem.stored_bytes, pixel = (size_t)c->problem.desc.out_c * bytes;
  for (size_t t = first; t < end;) {
    const struct tvmq_tile_run run = tvmq_tiles_run(&w->tiles, wave->first + t, wave->first + end);
    const size_t rows = tvmq_winograd_outputs(run.tile_h), columns = run.n * tvmq_winograd_outputs(run.tile_w);
    const size_t first_pixel = (run.image * w->h.out + run.y) * w->w.out + run.x;
    uint8_t *out = wave->out + first_pixel * pixel + channel * bytes;
    const bool whole = n == nr;
    w->output->fn.winograd_output(&(struct tvmq_winograd_output_args){
        .sums = sums + (t - first) * nr,
        .tile_stride = nr,
        .point_stride = w->sums_point_stride,
        .n_tiles = run.n,
        .tile_h = run.tile_h,
        .tile_w = run.tile_w,
        .n = nr,
        .bias = (const int32_t *)panel,
        .multiplier = (const int32_t *)(panel + c->choice.panel.multiplier),
        .shift = (const int32_t *)(panel + c->choice.panel.shift),
        .out = whole ? out : tile,
        .out_col_stride = whole ? pixel : nr * bytes,
        .out_row_stride = whole ? w->w.out * pixel : columns * nr * bytes,
        .stage = &c->stage,
    });
    for (size_t i = 0; !whole && i < rows * columns; i++) memcpy(out + (i / columns * w->w.out + i % columns) * pixel, tile + i * nr * bytes, n * bytes);
    for (size_t row = 0; row < rows; row++) tvmq_run_epilogue(wave->pass, first_pixel + row * w->w.out, columns, channel, n);
    t += run.n;
  }
}

static void run_block(const struct wave *wave, struct tvmq_task task) {
  const struct tvmq_conv *c = wave->conv;
  const struct winograd *w = winograd_of(c);
  const size_t nr = c->choice.variant->layout.nr;
  uint8_t *slice = tvmq_conv_scratch(c, task.thread);
  int32_t *sums = (int32_t *)(slice + w->sums);
  const struct tvmq_blocks *b = &c->choice.blocks;
  const size_t first_panel = tvmq_take_digit(&task.index, b->n_blocks) * b->panels, end_panel = tvmq_min(first_panel + b->panels, c->choice.panels);
  const size_t first = task.index * b->rows, end = tvmq_min(first + b->rows, wave->n);
  for (size_t p = first_panel; p < end_panel && first < end; p++) {
    const uint8_t *panel = c->packed + p * c->choice.panel.size;
    multiply(wave, first, end, panel, sums);
    finish(wave, first, end, panel, p * nr, tvmq_min(c->problem.group_n - p * nr, nr), sums, slice + w->tile);
  }
}

// Each wave has two passes.
enum { TRANSFORM, MULTIPLY, WAVE_PASSES };

static struct wave wave_of(const struct tvmq_conv *c, size_t pass) {
  const struct winograd *w = winograd_of(c);
  const size_t tiles = tvmq_tiles_count(&w->tiles), first = tvmq_min(pass / WAVE_PASSES * w->wave_tiles, tiles), n = tvmq_min(w->wave_tiles, tiles - first);
  return (struct wave){.conv = c, .first = first, .n = n, .chunk = tvmq_ceil_div(n, c->choice.blocks.m_blocks * c->choice.blocks.n_blocks)};
}

static size_t n_tasks(const struct tvmq_conv *c, size_t pass) {
  const struct tvmq_blocks *blocks = &c->choice.blocks;
  const struct wave wave = wave_of(c, pass);
  if (wave.n == 0) return 0;
  return pass % WAVE_PASSES == TRANSFORM ? tvmq_ceil_div(wave.n, wave.chunk) : blocks->m_blocks * blocks->n_blocks;
}

void tvmq_conv_run_winograd(const struct tvmq_conv *c, const struct tvmq_pass *pass, struct tvmq_task task) {
  struct wave wave = wave_of(c, pass->number);
  wave.pass = pass;
  wave.in = pass->in[0];
  wave.out = pass->outs[0];
  (pass->number % WAVE_PASSES == TRANSFORM ? transform_chunk : run_block)(&wave, task);
}

static const struct tvmq_conv_method method = {
    .n_tasks = n_tasks,
    .run_task = tvmq_conv_run_winograd,
    TVMQ_PLANNING(.packer = TVMQ_PACKER_WINOGRAD, .pack = pack, .plan_bytes = sizeof(struct winograd), .plan = plan)};

const struct tvmq_conv_algorithm tvmq_conv_by_winograd = {
    .method = &method,
    TVMQ_PLANNING(.id = TVMQ_ALGORITHM_WINOGRAD, .family = TVMQ_FAMILY_WINOGRAD_GEMM, .family_s16 = TVMQ_N_FAMILIES, .choose = choose, .is_exact = is_exact,
                  .work = work, .name = name)};
