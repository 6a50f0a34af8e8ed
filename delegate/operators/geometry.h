// Output size and padding of convolutions and poolings in integers, as TFLite computes them, with overflow checks. Also
// splits a dilated axis into phases.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "operators/desc.h"

struct tvmq_geometry {
  int32_t out_h, out_w;
  int32_t pad_top, pad_left;  // border included; negative SAME padding is clamped to 0
};

// Fills *geometry, whose output has at least one pixel. Returns NULL, or the reason why the shape is not possible
// (static string).
const char *tvmq_geometry(const struct tvmq_conv_desc *desc, struct tvmq_geometry *geometry);
const char *tvmq_pool_geometry(const struct tvmq_pool_desc *desc, struct tvmq_geometry *geometry);

// Compute only the height and width of the output, which may be 0. TFLite accepts inputs that are smaller than the
// filter by less than a stride, and computes nothing. Shapes on which runtimes disagree are accepted, for example an
// input of height 0. A pooling of negative size is accepted too. LiteRT 2.3 makes a negative size 0; if the width is
// negative, also the height. A convolution of negative size is refused.
const char *tvmq_conv_out_size(const struct tvmq_conv_desc *desc, int32_t *out_h, int32_t *out_w);
const char *tvmq_pool_out_size(const struct tvmq_pool_desc *desc, int32_t *out_h, int32_t *out_w);

// Returns the padding needed after `in` inputs by the windows of `out` outputs, if `before` padding lies before the
// inputs.
static inline int64_t tvmq_pad_behind(int64_t in, int64_t before, int64_t out, int64_t filter, int64_t stride, int64_t dilation) {
  const int64_t behind = (out - 1) * stride + (filter - 1) * dilation + 1 - before - in;
  return behind > 0 ? behind : 0;
}

// One axis of a convolution, split into phases without dilation. Outputs whose windows read the same grid, every
// dilation-th input, form a convolution of their own: a phase.
struct tvmq_axis {
  size_t in, out, filter, pad;
  size_t step;      // inputs from one output to the next
  size_t dilation;  // inputs from one grid point to the next
  size_t phases;    // number of phases; also the distance of a phase's outputs in the output
  size_t stride;    // grid points from one output of a phase to its next
};

struct tvmq_axis tvmq_axis(int32_t in, int32_t out, int32_t filter, int32_t stride, int32_t dilation, int32_t pad);

// Returns the number of outputs of a phase; phase 0 has the most.
static inline size_t tvmq_phase_outputs(const struct tvmq_axis *axis, size_t phase) {
  return axis->phases == 1 ? axis->out : phase < axis->out ? (axis->out - 1 - phase) / axis->phases + 1 : 0;
}

// Returns the input that the first tap of a phase's output reads; negative if the tap reads padding.
static inline ptrdiff_t tvmq_first_input(const struct tvmq_axis *axis, size_t phase, size_t output) {
  return (ptrdiff_t)((phase + output * axis->phases) * axis->step) - (ptrdiff_t)axis->pad;
}

// Returns the number of grid points that `n` outputs of a phase read.
static inline size_t tvmq_grid_points(const struct tvmq_axis *axis, size_t n) { return (n - 1) * axis->stride + axis->filter; }
