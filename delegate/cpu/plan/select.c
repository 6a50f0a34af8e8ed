#include "cpu/plan/select.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/arith.h"

// Returns the first variant of the family or of a later one. Variants are sorted by family.
static const struct tvmq_variant *first_from(size_t family) {
  size_t before = 0, end = tvmq_n_variants;
  while (before < end) {
    const size_t middle = (before + end) / 2;
    if (tvmq_variants[middle].family < family) {
      before = middle + 1;
    } else {
      end = middle;
    }
  }
  return tvmq_variants + before;
}

struct tvmq_variant_range tvmq_family_variants(enum tvmq_family family) {
  return (struct tvmq_variant_range){first_from(family), first_from((size_t)family + 1)};
}

// Returns the variants of the family that the target allows.
static struct tvmq_variant_range allowed(enum tvmq_family family, const struct tvmq_target *target) {
  const struct tvmq_variant *const only = target->only;
  return only == NULL ? tvmq_family_variants(family) : (struct tvmq_variant_range){only, only + (only->family == family)};
}

static struct tvmq_speed find_speed(const struct tvmq_variant *variant, const struct tvmq_machine *machine) {
  for (const struct tvmq_kernel_speed *s = machine->speeds; s < machine->speeds + machine->n_speeds; s++) {
    if (strcmp(s->kernel, variant->name) == 0) return (struct tvmq_speed){s->rate, s->tile_cycles};
  }
  return variant->speeds[machine->in_order && variant->speeds[1].rate > 0];
}

// Cache of speeds on known machines, because find_speed compares names. Each entry has the bits of struct tvmq_speed;
// 0 means not yet looked up, since a rate is never 0.
static _Atomic uint64_t known[TVMQ_MOST_MACHINES][TVMQ_MOST_VARIANTS];

struct tvmq_speed tvmq_speed_of(const struct tvmq_variant *variant, const struct tvmq_machine *machine) {
  const size_t index = (size_t)(variant - tvmq_variants);
  if (machine->every_speed != NULL) return machine->every_speed[index];
  assert(tvmq_machines <= machine && machine < tvmq_machines + tvmq_n_machines);
  _Atomic uint64_t *place = &known[machine - tvmq_machines][index];
  uint64_t bits = atomic_load_explicit(place, memory_order_relaxed);
  struct tvmq_speed speed;
  _Static_assert(sizeof speed == sizeof bits, "two numbers of 32 bits");
  if (bits == 0) {
    speed = find_speed(variant, machine);
    memcpy(&bits, &speed, sizeof bits);
    atomic_store_explicit(place, bits, memory_order_relaxed);
  }
  memcpy(&speed, &bits, sizeof speed);
  return speed;
}

bool tvmq_any_has(uint32_t flags, uint32_t cpu) {
  bool any = false;
  for (const struct tvmq_variant *v = tvmq_variants; v < tvmq_variants + tvmq_n_variants; v++) any |= (v->cpu & ~cpu) == 0 && (v->flags & flags) != 0;
  return any;
}

// Returns the cycles that a variant takes for a problem, or UNFIT if it cannot compute the problem.
typedef float (*cost_fn)(const struct tvmq_variant *variant, const void *problem);
static const float UNFIT = -1;

// Returns the variant of least cost and sets *cost unless `cost` is NULL. Among equals, returns the last, which is the
// most specific.
static const struct tvmq_variant *least(enum tvmq_family family, const struct tvmq_target *target, uint32_t excluded, cost_fn cost_of, const void *problem,
                                        float *cost) {
  const struct tvmq_variant_range range = allowed(family, target);
  const struct tvmq_variant *best = NULL;
  float lowest = INFINITY;
  for (const struct tvmq_variant *v = range.first; v < range.end; v++) {
    if ((v->cpu & ~target->cpu) != 0 || (v->flags & excluded) != 0) continue;
    const float estimate = cost_of(v, problem);
    if (estimate < 0 || estimate > lowest) continue;
    best = v;
    lowest = estimate;
  }
  if (best != NULL && cost != NULL) *cost = lowest;
  return best;
}

// Estimates compute with sizes as floats, because they may lose digits but must not overflow.
static float gemm_depth(const struct tvmq_variant *v, const struct tvmq_gemm_problem *p) {
  return (float)p->n_taps * (float)tvmq_ceil_div(p->k, v->layout.ku) * v->layout.ku;
}

static float gemm_lines(const struct tvmq_gemm_problem *p) { return p->lines > 0 ? (float)p->lines : 1; }

static float row_sums_cycles(const struct tvmq_variant *v, const void *problem) {
  const struct tvmq_gemm_problem *p = problem;
  const struct tvmq_speed speed = tvmq_speed_of(v, p->target.machine);
  return gemm_lines(p) * (float)p->m * (speed.tile_cycles + (float)p->n_taps * (float)p->k / speed.rate);
}

const struct tvmq_variant *tvmq_select_row_sums(const struct tvmq_variant *v, const struct tvmq_gemm_problem *p, float *cycles) {
  *cycles = 0;
  if (v->layout.weight_bytes > 1 || p->filter_zero_point == 0) return NULL;
  struct tvmq_target any = p->target;
  any.only = NULL;
  return least(TVMQ_FAMILY_ROW_SUMS, &any, 0, row_sums_cycles, p, cycles);
}

const struct tvmq_variant *tvmq_select_byte_sums(const struct tvmq_target *target, size_t m, size_t k, float *cycles) {
  const struct tvmq_gemm_problem problem = {.target = *target, .m = m, .n_taps = 1, .k = k};
  return least(TVMQ_FAMILY_ROW_SUMS, &problem.target, 0, row_sums_cycles, &problem, cycles);
}

static float zip_cycles(const struct tvmq_variant *v, const struct tvmq_gemm_problem *p) {
  const struct tvmq_machine *machine = p->target.machine;
  if ((v->flags & TVMQ_ZIPPED_ROWS) == 0) return 0;
  return gemm_lines(p) * (float)tvmq_round_up(p->m, v->mr) * ((float)p->n_taps * machine->zipped_piece_cycles + gemm_depth(v, p) * machine->zipped_byte_cycles);
}

// Row sums need a table of row pointers. Kernels of matrices and lines do not read a table, so it costs extra for them.
// It is filled row by row, by a different loop than row tables.
float tvmq_gemm_row_cycles(const struct tvmq_variant *v, const struct tvmq_gemm_problem *p) {
  float sums, pointers = 0;
  if (tvmq_select_row_sums(v, p, &sums) != NULL && (v->flags & TVMQ_MATRIX_ROWS) != 0)
    pointers = gemm_lines(p) * (float)p->m * (float)p->n_taps * p->target.machine->summed_pointer_cycles;
  return sums + pointers + zip_cycles(v, p);
}

// Returns the number of tiles along the rows. Kernels with TVMQ_MATRIX_ROWS process pairs of tiles of up to 32 channels
// with the same weights. A tile without a partner counts as more than one.
static float row_tiles(const struct tvmq_variant *v, size_t m, const struct tvmq_machine *machine) {
  const size_t tiles = tvmq_ceil_div(m, v->mr);
  return (float)tiles + ((v->flags & (TVMQ_MATRIX_ROWS | TVMQ_LINES)) == TVMQ_MATRIX_ROWS && v->layout.nr <= 32 && tiles % 2 != 0 ? machine->lone_tile : 0);
}

// Returns the number of panels by their time in the inner loop, so that a narrow last panel counts as a fraction.
static float multiplied_panels(const struct tvmq_variant *v, size_t n) {
  const size_t together = (v->flags & TVMQ_NARROW) != 0 ? TVMQ_NARROWING : v->layout.nr;
  return (float)tvmq_round_up(n, together) / v->layout.nr;
}

static float gemm_cycles(const struct tvmq_variant *v, const void *problem) {
  const struct tvmq_gemm_problem *p = problem;
  if (v->layout.acc_bytes != p->acc_bytes || (v->flags & p->required) != p->required || (p->exact_k && p->k % v->layout.ku != 0)) return UNFIT;
  if ((v->flags & (TVMQ_MATRIX_ROWS | TVMQ_LINES)) == TVMQ_MATRIX_ROWS && v->layout.a_offset != p->in_flip) return UNFIT;
  if ((p->lines > 0 && p->m < v->mr) || (p->target.byte_weights && v->layout.weight_bytes > 1)) return UNFIT;
  const float tiles = gemm_lines(p) * row_tiles(v, p->m, p->target.machine);
  const struct tvmq_speed speed = tvmq_speed_of(v, p->target.machine);
  const float multiplied = multiplied_panels(v, p->n) * gemm_depth(v, p) * v->mr * v->layout.nr / speed.rate;
  const float start = (v->cpu & TVMQ_CPU_AMX) != 0 ? p->target.machine->amx_start_cycles : 0;
  const float taps = (v->flags & TVMQ_LINES) != 0 ? (float)p->n_taps * p->target.machine->tap_cycles : 0;
  const float gaps = (v->flags & TVMQ_GAPS) != 0 ? 0 : p->gap_cycles;
  return start + tiles * ((float)tvmq_ceil_div(p->n, v->layout.nr) * (speed.tile_cycles + taps) + multiplied) + gaps + tvmq_gemm_row_cycles(v, p);
}

const struct tvmq_variant *tvmq_select_gemm(enum tvmq_family family, const struct tvmq_gemm_problem *problem, float *cycles) {
  return least(family, &problem->target, problem->excluded, gemm_cycles, problem, cycles);
}

size_t tvmq_depthwise_side_by_side(const struct tvmq_variant *v, const struct tvmq_depthwise_problem *p) {
  const size_t nr = v->layout.nr, pixels = nr / p->channels;
  return p->neighbours && p->stride_w == 1 && p->depth_multiplier == 1 && pixels > 0 && pixels <= p->out_w ? pixels : 1;
}

// Returns the problem as the variant computes it, where pixels side by side count as channels.
static struct tvmq_depthwise_problem seen_by(const struct tvmq_variant *v, const struct tvmq_depthwise_problem *p) {
  struct tvmq_depthwise_problem seen = *p;
  const size_t pixels = tvmq_depthwise_side_by_side(v, p);
  seen.out_w = tvmq_ceil_div(p->out_w, pixels);
  seen.channels *= pixels;
  seen.stride_w *= pixels;
  return seen;
}

// Returns the cycles for input that cannot be read in place: each lane of a block is gathered, or lines are copied.
static float gather_cycles(const struct tvmq_variant *v, const struct tvmq_depthwise_problem *p) {
  const float pixels = (float)p->out_h * (float)p->stride_h * (float)p->out_w * (float)p->stride_w;
  const struct tvmq_machine *machine = p->target.machine;
  if (p->depth_multiplier > 1) return pixels * (float)tvmq_round_up(p->channels, v->layout.nr) * machine->gathered_lane_cycles;
  return tvmq_depthwise_side_by_side(v, p) > 1 ? pixels * (float)p->channels * machine->line_byte_cycles : 0;
}

static bool allows(uint8_t only, size_t value) { return only == 0 || only == value; }

static bool covers(const struct tvmq_variant *v, const struct tvmq_depthwise_problem *p) {
  return allows(v->only.filter_h, p->filter_h) && allows(v->only.filter_w, p->filter_w) && allows(v->only.stride, p->stride_w) &&
         (v->mr == 1 || allows(v->only.stride, p->stride_h));
}

// Returns the cycles before the first column of a tile. Kernels for any filter with a vertical layout first load the
// columns of pixels that only the first output needs to start; each group of rows in such a column costs extra.
static float start_cycles(const struct tvmq_variant *v, const struct tvmq_depthwise_problem *p) {
  const size_t columns = p->filter_w > p->stride_w ? p->filter_w - p->stride_w : 0;
  const float groups = v->layout.out_rows > 0 && v->only.filter_w == 0 ? (float)tvmq_row_groups(&v->layout, p->filter_h) : 0;
  return p->target.machine->strip_start_cycles + (float)columns * groups * p->target.machine->strip_column_cycles;
}

// Estimates a depthwise convolution. A tile is one column of mr output pixels. Its work is the number of products,
// which in a vertical layout exceeds the filter's taps.
static float depthwise_cycles(const struct tvmq_variant *v, const void *problem) {
  const struct tvmq_depthwise_problem seen = seen_by(v, problem), *p = &seen;
  if (v->layout.acc_bytes != p->acc_bytes || (v->flags & p->required) != p->required || !covers(v, p)) return UNFIT;
  const float starts = (float)tvmq_ceil_div(p->out_h, v->mr) * (float)tvmq_ceil_div(p->channels, v->layout.nr), tiles = starts * (float)p->out_w;
  const struct tvmq_speed speed = tvmq_speed_of(v, p->target.machine);
  const float start = start_cycles(v, p);
  const float depth = (float)tvmq_depthwise_depth(&v->layout, p->filter_h, p->filter_w, 1);
  const float panels = v->layout.out_rows > 0 ? (float)v->mr / v->layout.out_rows : v->mr;
  const bool overhangs = p->out_h < v->mr || p->channels < v->layout.nr;  // each tile is computed aside and copied
  const float copy_cycles = overhangs ? starts * start + tiles * v->mr * p->target.machine->copied_pixel_cycles : 0;
  return starts * start + tiles * (speed.tile_cycles + panels * depth * v->layout.nr / speed.rate) + copy_cycles + gather_cycles(v, problem);
}

const struct tvmq_variant *tvmq_select_depthwise(enum tvmq_family family, const struct tvmq_depthwise_problem *problem, float *cycles) {
  return least(family, &problem->target, problem->excluded, depthwise_cycles, problem, cycles);
}

struct elements {
  enum tvmq_type in_type, out_type;
  size_t n;
  const struct tvmq_machine *machine;
};

static bool is_of(enum tvmq_type served, enum tvmq_type type) { return served == TVMQ_TYPE_OTHER || served == type; }

static float elements_cycles(const struct tvmq_variant *v, const void *problem) {
  const struct elements *p = problem;
  const struct tvmq_speed speed = tvmq_speed_of(v, p->machine);
  return is_of(v->in_type, p->in_type) && is_of(v->out_type, p->out_type) ? speed.tile_cycles + (float)p->n / speed.rate : UNFIT;
}

const struct tvmq_variant *tvmq_select_elementwise(enum tvmq_family family, enum tvmq_type in_type, enum tvmq_type out_type, const struct tvmq_target *target) {
  return least(family, target, 0, elements_cycles, &(struct elements){in_type, out_type, 1, target->machine}, NULL);
}

const struct tvmq_variant *tvmq_select_softmax(enum tvmq_type out_type, size_t n, const struct tvmq_target *target) {
  return least(TVMQ_FAMILY_SOFTMAX, target, 0, elements_cycles, &(struct elements){TVMQ_TYPE_S8, out_type, n, target->machine}, NULL);
}

const struct tvmq_variant *tvmq_select_arg_max(size_t depth, const struct tvmq_target *target) {
  return least(TVMQ_FAMILY_ARG_MAX, target, 0, elements_cycles, &(struct elements){.n = depth, .machine = target->machine}, NULL);
}

struct pooling {
  enum tvmq_type type;
  size_t channels;
  const struct tvmq_machine *machine;
};

static float pooling_cycles(const struct tvmq_variant *v, const void *problem) {
  const struct pooling *p = problem;
  return v->in_type == p->type && v->layout.nr <= p->channels ? (float)tvmq_round_up(p->channels, v->layout.nr) / tvmq_speed_of(v, p->machine).rate : UNFIT;
}

const struct tvmq_variant *tvmq_select_pool(enum tvmq_family family, enum tvmq_type type, size_t channels, const struct tvmq_target *target) {
  return least(family, target, 0, pooling_cycles, &(struct pooling){type, channels, target->machine}, NULL);
}

static float winograd_gemm_cycles(const struct tvmq_variant *v, const void *problem) {
  const struct tvmq_winograd_problem *p = problem;
  const struct tvmq_speed speed = tvmq_speed_of(v, p->target.machine);
  const float k = (float)tvmq_ceil_div(p->k, v->layout.ku) * v->layout.ku, panels = (float)tvmq_ceil_div(p->n, v->layout.nr);
  float tiles = 0;
  for (size_t i = 0; i < p->n_points; i++) tiles += (float)tvmq_ceil_div(p->rows[i], v->mr);
  return tiles * panels * (speed.tile_cycles + k * v->mr * v->layout.nr / speed.rate);
}

const struct tvmq_variant *tvmq_select_winograd_gemm(const struct tvmq_winograd_problem *problem, float *cycles) {
  return least(TVMQ_FAMILY_WINOGRAD_GEMM, &problem->target, 0, winograd_gemm_cycles, problem, cycles);
}

struct transform {
  size_t channels;
  uint32_t flags;
  const struct tvmq_machine *machine;
};

static float transform_cycles(const struct tvmq_variant *v, const void *problem) {
  const struct transform *p = problem;
  const size_t lanes = v->layout.nr;
  if (v->family == TVMQ_FAMILY_WINOGRAD_OUTPUT && p->channels % lanes != 0) return UNFIT;
  if ((p->flags & ~v->flags) != 0) return UNFIT;
  return lanes <= p->channels ? (float)tvmq_ceil_div(p->channels, lanes) * (float)lanes / tvmq_speed_of(v, p->machine).rate : UNFIT;
}

const struct tvmq_variant *tvmq_select_winograd_transform(enum tvmq_family family, size_t channels, uint32_t flags, const struct tvmq_target *target,
                                                          float *cycles) {
  struct tvmq_target any = *target;
  any.only = NULL;
  return least(family, &any, 0, transform_cycles, &(struct transform){channels, flags, target->machine}, cycles);
}
