// Operators that have but one way of being computed (TVMQ_WAY_PLAIN): the kernel is all there is to choose.
#pragma once

#include "cpu/ops/op.h"

// The operator's selector: the fastest kernel that the target leaves for the description, NULL if there is none.
typedef const struct tvmq_variant *(*tvmq_plain_select)(const union tvmq_desc *desc, const struct tvmq_target *target);

// The kernel that the environment's wish leaves, or NULL.
const struct tvmq_variant *tvmq_plain_choose(tvmq_plain_select select, const union tvmq_desc *desc, const struct tvmq_env *env);

// The candidates of an operator of `n` elements (op.h).
size_t tvmq_plain_candidates(tvmq_plain_select select, const union tvmq_desc *desc, size_t n, const struct tvmq_env *env, struct tvmq_choice *list, size_t max);

// Appends what decides on them (op.h).
void tvmq_plain_sign(enum tvmq_type in_type, enum tvmq_type out_type, size_t n, struct tvmq_text *text);

// The choice of a planned operator.
static inline struct tvmq_choice tvmq_plain_choice(const struct tvmq_variant *variant) {
  return (struct tvmq_choice){.way = TVMQ_WAY_PLAIN, .variant = variant, .flip = TVMQ_FLIP_USES};
}
