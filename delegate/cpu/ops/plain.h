// Operators with a single algorithm (TVMQ_ALGORITHM_PLAIN): only the kernel can be chosen.
#pragma once

#include "cpu/ops/op.h"

// Selects the fastest kernel for the description within the target. Returns NULL if there is none.
typedef const struct tvmq_variant *(*tvmq_plain_select)(const union tvmq_desc *desc, const struct tvmq_target *target);

// Returns the fastest kernel that satisfies the environment's constraint, or NULL.
const struct tvmq_variant *tvmq_plain_choose(tvmq_plain_select select, const union tvmq_desc *desc, const struct tvmq_env *env);

// Lists the candidates of an operator of `n` elements, as tvmq_implementation.candidates (op.h).
size_t tvmq_plain_candidates(tvmq_plain_select select, const union tvmq_desc *desc, size_t n, const struct tvmq_env *env, struct tvmq_choice *list, size_t max);

// Appends the properties that determine the candidates, as tvmq_implementation.sign (op.h).
void tvmq_plain_sign(enum tvmq_type in_type, enum tvmq_type out_type, size_t n, struct tvmq_text *text);

// Returns the choice of a planned operator.
static inline struct tvmq_choice tvmq_plain_choice(const struct tvmq_variant *variant) {
  return (struct tvmq_choice){.algorithm = TVMQ_ALGORITHM_PLAIN, .variant = variant, .flip = TVMQ_FLIP_USES};
}
