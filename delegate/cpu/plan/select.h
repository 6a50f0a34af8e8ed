// The choice among the kernel variants.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/machine.h"
#include "kernels/variants.h"

// The features and the machine to choose for.
struct tvmq_target {
  uint32_t cpu;  // features that may be used: enum tvmq_cpu_bits
  const struct tvmq_machine *machine;
  const struct tvmq_variant *only;  // the one variant that is allowed; NULL: any
};

// How fast a variant is on a machine.
struct tvmq_speed tvmq_speed_of(const struct tvmq_variant *variant, const struct tvmq_machine *machine);

// The variants of a family, which lie side by side.
struct tvmq_variant_range {
  const struct tvmq_variant *first, *end;
};
struct tvmq_variant_range tvmq_family_variants(enum tvmq_family family);

// Whether a variant that a processor with these features can run has one of the flags.
bool tvmq_any_has(uint32_t flags, uint32_t cpu);

// Every choice takes the variant of least estimated cycles, and of equals the last, which is the most specific; NULL: no variant serves the problem.

// A gemm problem as the choice sees it.
struct tvmq_gemm_problem {
  size_t m, n, k, n_taps;  // k elements per tap, unpadded
  size_t lines;            // so many times m rows, at least a tile each, which no tile crosses; 0: all are m rows
  uint8_t acc_bytes;       // of the layout: 4, or 8 for 16x8 with an int64 bias
  bool exact_k;            // only variants whose ku divides k: rows are read where they lie
  struct tvmq_target target;
  uint32_t excluded;          // flags of which a variant may have none (TVMQ_NO_MIN_WEIGHT where weights are -128)
  uint32_t required;          // flags of which a variant must have all
  int32_t filter_zero_point;  // if not 0, kernels of 8-bit weights need the sums of rows
  float gap_cycles;           // to drop the rows between lines, which variants without TVMQ_GAPS leave to others
  uint8_t in_flip;            // of the input; kernels that do not flip (TVMQ_MATRIX_ROWS) must take its bytes as they are
};

// Cycles: padded tiles * (tile_cycles + padded work / rate), and for what rows need before. NULL: no variant has the family's accumulator, or exact_k leaves
// none.
const struct tvmq_variant *tvmq_select_gemm(enum tvmq_family family, const struct tvmq_gemm_problem *problem, float *cycles);

// The variant that sums the problem's rows for a gemm variant, and the cycles that all sums take. NULL, and 0 cycles: it needs no sums.
const struct tvmq_variant *tvmq_select_row_sums(const struct tvmq_variant *variant, const struct tvmq_gemm_problem *problem, float *cycles);

// The variant that sums `m` rows of `k` bytes for anybody else, and the cycles that all sums take.
const struct tvmq_variant *tvmq_select_byte_sums(const struct tvmq_target *target, size_t m, size_t k, float *cycles);

// The part of the gemm's cycles that prepares rows: their sums, and zipping for TVMQ_ZIPPED_ROWS.
float tvmq_gemm_row_cycles(const struct tvmq_variant *variant, const struct tvmq_gemm_problem *problem);

struct tvmq_depthwise_problem {
  uint8_t acc_bytes;
  size_t out_h, out_w, channels, depth_multiplier, filter_h, filter_w, stride_h, stride_w;
  bool neighbours;  // pixels of a row lie side by side, those of the input and those of the output
  struct tvmq_target target;
  uint32_t excluded, required;  // as of a gemm
};

// Output pixels of a row that fill a block of the variant, where a pixel's channels are fewer: the filter is the same for all, so they may stand for channels,
// if the inputs under them lie as they do. 1: not here.
size_t tvmq_depthwise_side_by_side(const struct tvmq_variant *variant, const struct tvmq_depthwise_problem *problem);

const struct tvmq_variant *tvmq_select_depthwise(enum tvmq_family family, const struct tvmq_depthwise_problem *problem, float *cycles);

// By the types of elements; those that the family leaves open are not looked at. uint8 is int8, flipped, but to the family quantize.
const struct tvmq_variant *tvmq_select_elementwise(enum tvmq_family family, enum tvmq_type in_type, enum tvmq_type out_type, const struct tvmq_target *target);
static inline const struct tvmq_variant *tvmq_select_untyped(enum tvmq_family family, const struct tvmq_target *target) {
  return tvmq_select_elementwise(family, TVMQ_TYPE_OTHER, TVMQ_TYPE_OTHER, target);
}

// For n elements, by the type of the output; inputs are of 8 bits.
const struct tvmq_variant *tvmq_select_softmax(enum tvmq_type out_type, size_t n, const struct tvmq_target *target);

const struct tvmq_variant *tvmq_select_arg_max(size_t depth, const struct tvmq_target *target);

// The best variant of a family of pools.
const struct tvmq_variant *tvmq_select_pool(enum tvmq_family family, enum tvmq_type type, size_t channels, const struct tvmq_target *target);

// Gemms at the points of a Winograd convolution.
struct tvmq_winograd_problem {
  size_t rows[TVMQ_WINOGRAD_POINTS * TVMQ_WINOGRAD_POINTS], n_points;  // tiles that have each point
  size_t n, k;
  struct tvmq_target target;
};
const struct tvmq_variant *tvmq_select_winograd_gemm(const struct tvmq_winograd_problem *problem, float *cycles);

// The best of a family of transforms, and the cycles for all `channels` at one point of one tile. NULL: every variant computes more channels at a time, or
// of the outputs, which go by a panel's channels, none a divisor of these; or none has all `flags`.
const struct tvmq_variant *tvmq_select_winograd_transform(enum tvmq_family family, size_t channels, uint32_t flags, const struct tvmq_target *target,
                                                          float *cycles);
