// A transposed convolution as ordinary ones of stride 1. Outputs a stride apart meet the same taps: they are a phase. Each phase is a convolution of its own
// with every stride-th tap of the filter, reversed, and all phases read the same inputs: those that have as many taps, or fewer beside absent ones, are
// together one convolution that has the output channels once for each phase.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "operators/desc.h"

// One axis, or a part of its phases.
struct tvmq_subpixels {
  int32_t first, phases;  // of the stride
  int32_t taps;           // of each phase, some of them perhaps behind the filter's last
  int32_t before, after;  // the border that the convolution has
  int32_t out;            // its outputs: groups of an output of each phase, `stride` of them, side by side in the output
  int32_t skipped;        // of the first group, those that lie before the output
};

// Both axes with all phases, overflow-checked. NULL, or why the sizes do not fit each other (static string).
const char *tvmq_find_subpixels(const struct tvmq_conv_desc *desc, struct tvmq_subpixels *h, struct tvmq_subpixels *w);

// The tap of the filter that tap `t` of a phase is; past the filter's last there is none.
static inline int64_t tvmq_subpixel_tap(const struct tvmq_subpixels *axis, int32_t stride, int32_t phase, int32_t t) {
  return phase + (int64_t)stride * (axis->taps - 1 - t);
}

// Phases whose first tap is behind the filter's last are a part that does without it, unless they have no other. Returns how many parts there are: 1 or 2.
size_t tvmq_part_subpixels(const struct tvmq_subpixels *axis, int32_t filter, int32_t stride, struct tvmq_subpixels parts[2]);

// The convolution of one phase, but for the filter's weights.
struct tvmq_conv_desc tvmq_subpixel_phase(const struct tvmq_conv_desc *desc, const struct tvmq_subpixels *h, const struct tvmq_subpixels *w);
