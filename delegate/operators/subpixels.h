// Computes a transposed convolution by ordinary convolutions of stride 1. Outputs a stride apart use the same taps and
// form a phase. Each phase is a convolution with every stride-th tap of the filter, reversed. All phases read the same
// inputs. Phases with the same number of taps, absent taps included, are together one convolution. It has the output
// channels once for each phase.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "operators/desc.h"

// All phases of one axis, or some of them.
struct tvmq_subpixels {
  int32_t first, phases;  // phases [first, first + phases), out of `stride` phases
  int32_t taps;           // taps of each phase; some may be absent, after the filter's last tap
  int32_t before, after;  // border pixels of the convolution
  int32_t out;            // outputs of the convolution; each is a group of `stride` adjacent outputs, one for each phase
  int32_t skipped;        // outputs of the first group that lie before the output tensor
};

// Computes both axes with all phases, with overflow checks. Returns NULL, or why the sizes do not fit each other
// (static string).
const char *tvmq_find_subpixels(const struct tvmq_conv_desc *desc, struct tvmq_subpixels *h, struct tvmq_subpixels *w);

// Returns the filter's tap for tap `t` of a phase. A result beyond the filter's last tap means that the tap is absent.
static inline int64_t tvmq_subpixel_tap(const struct tvmq_subpixels *axis, int32_t stride, int32_t phase, int32_t t) {
  return phase + (int64_t)stride * (axis->taps - 1 - t);
}

// Splits the phases into those with all taps and those whose first tap is absent; the latter omit that tap, unless it
// is their only one. Returns the number of parts: 1 or 2.
size_t tvmq_part_subpixels(const struct tvmq_subpixels *axis, int32_t filter, int32_t stride, struct tvmq_subpixels parts[2]);

// Returns the convolution of one phase, without the filter's weights.
struct tvmq_conv_desc tvmq_subpixel_phase(const struct tvmq_conv_desc *desc, const struct tvmq_subpixels *h, const struct tvmq_subpixels *w);
