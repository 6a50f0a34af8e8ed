// Output size and padding of a convolution or a pooling, in integers, overflow-checked, as TFLite computes them; and dilation taken apart.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "operators/desc.h"

struct tvmq_geometry {
  int32_t out_h, out_w;
  int32_t pad_top, pad_left;  // the border's included; never negative: SAME padding that comes out negative is clamped to 0
};

// Fills *geometry. Returns NULL, or the reason why the shape cannot be (static string): there is an output, of at least one pixel.
const char *tvmq_geometry(const struct tvmq_conv_desc *desc, struct tvmq_geometry *geometry);
const char *tvmq_pool_geometry(const struct tvmq_pool_desc *desc, struct tvmq_geometry *geometry);

// Height and width of the output only, which may be 0 here: TFLite accepts inputs that are smaller than the filter by less than a stride, and computes nothing.
// Where runtimes disagree, the shape is accepted, such as an input of height 0. A pooling whose size comes out negative is accepted too: LiteRT 2.3 makes that
// size 0, and the height too if it is the width that is negative. A convolution of negative size is refused.
const char *tvmq_conv_out_size(const struct tvmq_conv_desc *desc, int32_t *out_h, int32_t *out_w);
const char *tvmq_pool_out_size(const struct tvmq_pool_desc *desc, int32_t *out_h, int32_t *out_w);

// Inputs that the windows of `out` outputs reach behind `in`, where `before` lie before these.
static inline int64_t tvmq_pad_behind(int64_t in, int64_t before, int64_t out, int64_t filter, int64_t stride, int64_t dilation) {
  const int64_t behind = (out - 1) * stride + (filter - 1) * dilation + 1 - before - in;
  return behind > 0 ? behind : 0;
}

// One direction of a convolution, without dilation: outputs whose windows lie on the same grid of every dilation-th input are a convolution of their own, a
// phase.
struct tvmq_axis {
  size_t in, out, filter, pad;
  size_t step;      // inputs from one output to the next
  size_t dilation;  // inputs from one point of the grid to the next
  size_t phases;    // how many; also the outputs from one of a phase to its next
  size_t stride;    // grid points from one output of a phase to its next
};

struct tvmq_axis tvmq_axis(int32_t in, int32_t out, int32_t filter, int32_t stride, int32_t dilation, int32_t pad);

// Outputs of a phase; phase 0 has the most.
static inline size_t tvmq_phase_outputs(const struct tvmq_axis *axis, size_t phase) {
  return axis->phases == 1 ? axis->out : phase < axis->out ? (axis->out - 1 - phase) / axis->phases + 1 : 0;
}

// The input that the first tap of a phase's output meets; negative where that is padding.
static inline ptrdiff_t tvmq_first_input(const struct tvmq_axis *axis, size_t phase, size_t output) {
  return (ptrdiff_t)((phase + output * axis->phases) * axis->step) - (ptrdiff_t)axis->pad;
}

// Points of the grid that `n` outputs of a phase read.
static inline size_t tvmq_grid_points(const struct tvmq_axis *axis, size_t n) { return (n - 1) * axis->stride + axis->filter; }
