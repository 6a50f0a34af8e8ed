// Selects kernel variants by estimated cycles.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/machine.h"
#include "kernels/variants.h"

// The CPU features and the machine to select for.
struct tvmq_target {
  uint32_t cpu;  // features that may be used: enum tvmq_cpu_bits
  const struct tvmq_machine *machine;
  const struct tvmq_variant *only;  // the only variant allowed; NULL: any
  bool byte_weights;                // only gemms whose packed weights have one byte
};

// Returns the speed of a variant on a machine.
struct tvmq_speed tvmq_speed_of(const struct tvmq_variant *variant, const struct tvmq_machine *machine);

// The variants of a family, which are consecutive.
struct tvmq_variant_range {
  const struct tvmq_variant *first, *end;
};
struct tvmq_variant_range tvmq_family_variants(enum tvmq_family family);

// Returns whether any variant that a processor with these features can run has one of the flags.
bool tvmq_any_has(uint32_t flags, uint32_t cpu);

// Every tvmq_select function returns the variant with the least estimated cycles, or NULL if no variant can compute the
// problem. Among equals it returns the last, which is the most specific.

// The properties of a gemm that decide the selection.
struct tvmq_gemm_problem {
  size_t m, n, k, n_taps;  // k: elements per tap, without padding
  size_t lines;            // number of lines of m rows each, at least a tile; no tile crosses lines. 0: m rows in all
  uint8_t acc_bytes;       // accumulator bytes of the layout: 4, or 8 for 16x8 with an int64 bias
  bool exact_k;            // only variants whose ku divides k, because rows are read in place
  struct tvmq_target target;
  uint32_t excluded;          // flags that a variant must not have (TVMQ_NO_MIN_WEIGHT if a weight is -128)
  uint32_t required;          // flags that a variant must have
  int32_t filter_zero_point;  // if not 0, kernels with 8-bit weights need row sums
  float gap_cycles;           // cycles to drop the rows between lines, which variants with TVMQ_GAPS do themselves
  uint8_t in_flip;            // flip of the input; kernels that do not flip (TVMQ_MATRIX_ROWS) must accept its bytes unchanged
};

// Estimates padded tiles * (tile_cycles + padded work / rate), plus the preparation of rows. Returns NULL if no variant
// has the accumulator type, or exact_k excludes all.
const struct tvmq_variant *tvmq_select_gemm(enum tvmq_family family, const struct tvmq_gemm_problem *problem, float *cycles);

// Selects the variant that sums the problem's rows for a gemm variant, and sets *cycles for all sums. Returns NULL and
// 0 cycles if no sums are needed.
const struct tvmq_variant *tvmq_select_row_sums(const struct tvmq_variant *variant, const struct tvmq_gemm_problem *problem, float *cycles);

// Selects the variant that sums `m` rows of `k` bytes for other purposes, and sets *cycles for all sums.
const struct tvmq_variant *tvmq_select_byte_sums(const struct tvmq_target *target, size_t m, size_t k, float *cycles);

// Returns the part of the gemm's cycles that prepares rows: row sums, and zipping for TVMQ_ZIPPED_ROWS.
float tvmq_gemm_row_cycles(const struct tvmq_variant *variant, const struct tvmq_gemm_problem *problem);

struct tvmq_depthwise_problem {
  uint8_t acc_bytes;
  size_t out_h, out_w, channels, depth_multiplier, filter_h, filter_w, stride_h, stride_w;
  bool neighbours;  // pixels of a row are contiguous, in the input and in the output
  struct tvmq_target target;
  uint32_t excluded, required;  // as in tvmq_gemm_problem
};

// Returns how many neighbouring output pixels the variant computes as if they were channels, or 1. This fills a block
// if a pixel has fewer channels; it is possible if the inputs are contiguous too.
size_t tvmq_depthwise_side_by_side(const struct tvmq_variant *variant, const struct tvmq_depthwise_problem *problem);

const struct tvmq_variant *tvmq_select_depthwise(enum tvmq_family family, const struct tvmq_depthwise_problem *problem, float *cycles);

// Selects by element types; types that the family leaves open are ignored. uint8 counts as flipped int8, except in the
// family quantize.
const struct tvmq_variant *tvmq_select_elementwise(enum tvmq_family family, enum tvmq_type in_type, enum tvmq_type out_type, const struct tvmq_target *target);
static inline const struct tvmq_variant *tvmq_select_untyped(enum tvmq_family family, const struct tvmq_target *target) {
  return tvmq_select_elementwise(family, TVMQ_TYPE_OTHER, TVMQ_TYPE_OTHER, target);
}

// Selects for n elements by the type of the output; inputs have 8 bits.
const struct tvmq_variant *tvmq_select_softmax(enum tvmq_type out_type, size_t n, const struct tvmq_target *target);

const struct tvmq_variant *tvmq_select_arg_max(size_t depth, const struct tvmq_target *target);

// Selects the best variant of a pooling family.
const struct tvmq_variant *tvmq_select_pool(enum tvmq_family family, enum tvmq_type type, size_t channels, const struct tvmq_target *target);

// The gemms at the points of a Winograd convolution.
struct tvmq_winograd_problem {
  size_t rows[TVMQ_WINOGRAD_POINTS * TVMQ_WINOGRAD_POINTS], n_points;  // for each point, the tiles that have it
  size_t n, k;
  struct tvmq_target target;
};
const struct tvmq_variant *tvmq_select_winograd_gemm(const struct tvmq_winograd_problem *problem, float *cycles);

// Selects the best variant of a family of transforms and sets *cycles for all `channels` at one point of one tile.
// Returns NULL if each variant processes more channels at a time, or lacks one of `flags`. Output transforms must also
// process a divisor of the channels, which are those of a panel.
const struct tvmq_variant *tvmq_select_winograd_transform(enum tvmq_family family, size_t channels, uint32_t flags, const struct tvmq_target *target,
                                                          float *cycles);
