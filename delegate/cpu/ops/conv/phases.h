// The phases of a transposed convolution (operators/subpixels.h) in classes, each of which is an ordinary convolution.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/ops/op.h"
#include "operators/desc.h"
#include "operators/subpixels.h"

// A class: the phases of a part of each axis, by rows.
struct tvmq_phases {
  struct tvmq_subpixels h, w;
};

enum { TVMQ_MOST_PHASE_CLASSES = 4 };

static inline int32_t tvmq_phases_count(const struct tvmq_phases *class) { return class->h.phases * class->w.phases; }

// They are the same phases with the same taps, whatever the input's size.
bool tvmq_same_phases(const struct tvmq_phases *a, const struct tvmq_phases *b);

// The convolution that computes a class. Its filter, bias and scales are those of the transposed one, but are wanted for each phase.
struct tvmq_conv_desc tvmq_phases_conv(const struct tvmq_conv_desc *desc, const struct tvmq_phases *class);

// The filter of that convolution, which the caller frees. NULL: out of memory.
uint8_t *tvmq_phases_filter(const struct tvmq_conv_desc *desc, const struct tvmq_phases *class);

// The classes that are estimated to take the fewest cycles together, of a description that is claimed. Returns NULL, or why the sizes do not fit each other
// (static string).
const char *tvmq_classify_phases(const struct tvmq_conv_desc *desc, const struct tvmq_env *env, struct tvmq_phases classes[TVMQ_MOST_PHASE_CLASSES],
                                 size_t *n_classes);
