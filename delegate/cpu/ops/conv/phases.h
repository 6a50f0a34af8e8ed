// Groups the phases of a transposed convolution (operators/subpixels.h) into classes. An ordinary convolution computes
// each class.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/ops/op.h"
#include "operators/desc.h"
#include "operators/subpixels.h"

// Class: the phases of a part of each axis, row by row.
struct tvmq_phases {
  struct tvmq_subpixels h, w;
};

enum { TVMQ_MOST_PHASE_CLASSES = 4 };

static inline int32_t tvmq_phases_count(const struct tvmq_phases *class) { return class->h.phases * class->w.phases; }

// Returns whether two classes have the same phases and taps, regardless of the input's size.
bool tvmq_same_phases(const struct tvmq_phases *a, const struct tvmq_phases *b);

// Returns the convolution that computes a class. The caller must repeat the transposed convolution's bias and scales
// for each phase, and replace its filter (tvmq_phases_filter).
struct tvmq_conv_desc tvmq_phases_conv(const struct tvmq_conv_desc *desc, const struct tvmq_phases *class);

// Returns the filter of that convolution, which the caller frees, or NULL if out of memory.
uint8_t *tvmq_phases_filter(const struct tvmq_conv_desc *desc, const struct tvmq_phases *class);

// Finds the classes with the lowest estimate in total, for a claimed description. Returns NULL, or why the sizes do not
// match (static string).
const char *tvmq_classify_phases(const struct tvmq_conv_desc *desc, const struct tvmq_env *env, struct tvmq_phases classes[TVMQ_MOST_PHASE_CLASSES],
                                 size_t *n_classes);
