#include "select.h"

#include "../arith.h"

static bool usable(const struct tvmq_variant *variant, enum tvmq_family family, uint32_t cpu, uint32_t excluded) {
  return variant->family == family && (variant->cpu & ~cpu) == 0 && (variant->flags & excluded) == 0;
}

static const struct tvmq_speed *speed_of(const struct tvmq_variant *variant, uint32_t cpu) {
  return &variant->speeds[(cpu & TVMQ_CPU_IN_ORDER) != 0 && variant->speeds[1].rate > 0];
}

// Sizes are floats here: an estimate may lose digits but must not overflow.
static float gemm_cycles(const struct tvmq_variant *v, const struct tvmq_gemm_problem *p) {
  const float tiles = (float)tvmq_ceil_div(p->m, v->mr) * (float)tvmq_ceil_div(p->n, v->layout.nr);
  const struct tvmq_speed *speed = speed_of(v, p->cpu);
  const float depth = (float)p->n_taps * (float)tvmq_ceil_div(p->k, v->layout.ku) * v->layout.ku;
  return tiles * (speed->tile_cycles + depth * v->mr * v->layout.nr / speed->rate);
}

const struct tvmq_variant *tvmq_select_gemm(enum tvmq_family family, const struct tvmq_gemm_problem *problem, float *cycles) {
  const struct tvmq_variant *best = NULL;
  for (const struct tvmq_variant *v = tvmq_variants; v < tvmq_variants + tvmq_n_variants; v++) {
    if (!usable(v, family, problem->cpu, problem->excluded) || v->layout.acc_bytes != problem->acc_bytes) continue;
    if ((v->flags & problem->required) != problem->required || (problem->exact_k && problem->k % v->layout.ku != 0)) continue;
    if ((v->flags & TVMQ_MATRIX_ROWS) != 0 && v->layout.a_offset != problem->in_flip) continue;
    const float estimate = gemm_cycles(v, problem);
    if (best != NULL && estimate > *cycles) continue;
    best = v;
    *cycles = estimate;
  }
  return best;
}

// What cannot be read in place is copied: cycles for each byte, if each is looked up, or for each pixel.
static const float LOOKED_UP_CYCLES = 2, COPIED_CYCLES = 8;

static float gather_cycles(const struct tvmq_variant *v, const struct tvmq_depthwise_problem *p) {
  const float pixels = (float)p->out_h * (float)p->stride_h * (float)p->out_w * (float)p->stride_w;
  if (p->depth_multiplier > 1) return pixels * (float)p->channels * LOOKED_UP_CYCLES;
  return p->channels < v->layout.nr ? pixels * COPIED_CYCLES : 0;
}

// A depthwise tile is one column of mr output pixels. Its work is what the kernel multiplies: in a vertical layout more than the filter's taps.
static float depthwise_cycles(const struct tvmq_variant *v, const struct tvmq_depthwise_problem *p) {
  const float tiles = (float)tvmq_ceil_div(p->out_h, v->mr) * (float)p->out_w * (float)tvmq_ceil_div(p->channels, v->layout.nr);
  const struct tvmq_speed *speed = speed_of(v, p->cpu);
  const float depth = (float)tvmq_depthwise_depth(&v->layout, p->filter_h, p->filter_w, 1);
  const float panels = v->layout.out_rows > 0 ? (float)v->mr / v->layout.out_rows : v->mr;
  return tiles * (speed->tile_cycles + panels * depth * v->layout.nr / speed->rate) + gather_cycles(v, p);
}

static bool allows(uint8_t only, size_t value) { return only == 0 || only == value; }

static bool covers(const struct tvmq_variant *v, const struct tvmq_depthwise_problem *p) {
  return allows(v->only.filter_h, p->filter_h) && allows(v->only.filter_w, p->filter_w) && allows(v->only.stride, p->stride_h) &&
         allows(v->only.stride, p->stride_w);
}

const struct tvmq_variant *tvmq_select_depthwise(enum tvmq_family family, const struct tvmq_depthwise_problem *problem, float *cycles) {
  const struct tvmq_variant *best = NULL;
  for (const struct tvmq_variant *v = tvmq_variants; v < tvmq_variants + tvmq_n_variants; v++) {
    if (!usable(v, family, problem->cpu, problem->excluded) || v->layout.acc_bytes != problem->acc_bytes || !covers(v, problem)) continue;
    const float estimate = depthwise_cycles(v, problem);
    if (best != NULL && estimate >= *cycles) continue;
    best = v;
    *cycles = estimate;
  }
  return best;
}

const struct tvmq_variant *tvmq_select_requantize(enum tvmq_type in_type, enum tvmq_type out_type, uint32_t cpu) {
  const struct tvmq_variant *best = NULL;
  for (const struct tvmq_variant *v = tvmq_variants; v < tvmq_variants + tvmq_n_variants; v++) {
    if (!usable(v, TVMQ_FAMILY_REQUANTIZE, cpu, 0) || v->in_type != in_type || v->out_type != out_type) continue;
    if (best == NULL || speed_of(v, cpu)->rate >= speed_of(best, cpu)->rate) best = v;
  }
  return best;
}

const struct tvmq_variant *tvmq_select_row_sums(uint32_t cpu) {
  const struct tvmq_variant *best = NULL;
  for (const struct tvmq_variant *v = tvmq_variants; v < tvmq_variants + tvmq_n_variants; v++) {
    if (usable(v, TVMQ_FAMILY_ROW_SUMS, cpu, 0) && (best == NULL || speed_of(v, cpu)->rate > speed_of(best, cpu)->rate)) best = v;
  }
  return best;
}

static float winograd_gemm_cycles(const struct tvmq_variant *v, const struct tvmq_winograd_problem *p) {
  const struct tvmq_speed *speed = speed_of(v, p->cpu);
  const float k = (float)tvmq_ceil_div(p->k, v->layout.ku) * v->layout.ku, panels = (float)tvmq_ceil_div(p->n, v->layout.nr);
  float tiles = 0;
  for (size_t i = 0; i < p->n_points; i++) tiles += (float)tvmq_ceil_div(p->rows[i], v->mr);
  return tiles * panels * (speed->tile_cycles + k * v->mr * v->layout.nr / speed->rate);
}

const struct tvmq_variant *tvmq_select_winograd_gemm(const struct tvmq_winograd_problem *problem, float *cycles) {
  const struct tvmq_variant *best = NULL;
  for (const struct tvmq_variant *v = tvmq_variants; v < tvmq_variants + tvmq_n_variants; v++) {
    if (!usable(v, TVMQ_FAMILY_WINOGRAD_GEMM, problem->cpu, 0)) continue;
    const float estimate = winograd_gemm_cycles(v, problem);
    if (best != NULL && estimate >= *cycles) continue;
    best = v;
    *cycles = estimate;
  }
  return best;
}

const struct tvmq_variant *tvmq_select_winograd_transform(enum tvmq_family family, size_t channels, uint32_t cpu, float *cycles) {
  const struct tvmq_variant *best = NULL;
  for (const struct tvmq_variant *v = tvmq_variants; v < tvmq_variants + tvmq_n_variants; v++) {
    if (!usable(v, family, cpu, 0) || v->layout.nr > channels) continue;
    const float estimate = (float)tvmq_ceil_div(channels, v->layout.nr) * v->layout.nr / speed_of(v, cpu)->rate;
    if (best != NULL && estimate >= *cycles) continue;
    best = v;
    *cycles = estimate;
  }
  return best;
}
