#include "cpu/ops/plain.h"

static bool allows(const struct tvmq_choice *constraint) {
  return tvmq_algorithm_allowed(constraint, TVMQ_ALGORITHM_PLAIN) && constraint->flip != TVMQ_FLIP_COPY && constraint->rows == 0 && constraint->panels == 0;
}

const struct tvmq_variant *tvmq_plain_choose(tvmq_plain_select select, const union tvmq_desc *desc, const struct tvmq_env *env) {
  const struct tvmq_choice constraint = tvmq_constraint_of(env->constraint);
  const struct tvmq_target target = tvmq_target(env);
  return allows(&constraint) ? select(desc, &target) : NULL;
}

size_t tvmq_plain_candidates(tvmq_plain_select select, const union tvmq_desc *desc, size_t n, const struct tvmq_env *env, struct tvmq_choice *list,
                             size_t max) {
  const struct tvmq_choice constraint = tvmq_constraint_of(env->constraint);
  struct tvmq_choices choices = {.list = list, .max = max};
  for (size_t v = tvmq_n_variants; v-- > 0 && allows(&constraint);) {  // of equally fast kernels, the last in variants.def is the most specific
    struct tvmq_target target = tvmq_target(env);
    if (target.only != NULL && target.only != &tvmq_variants[v]) continue;
    target.only = &tvmq_variants[v];
    if (select(desc, &target) == NULL) continue;
    struct tvmq_choice found = tvmq_plain_choice(target.only);
    found.cycles = (float)n / tvmq_speed_of(target.only, env->machine).rate;
    tvmq_choices_add(&choices, &found);
  }
  return choices.n;
}

void tvmq_plain_sign(enum tvmq_type in_type, enum tvmq_type out_type, size_t n, struct tvmq_text *text) {
  tvmq_say(text, " in=%s out=%s elements=%zu", tvmq_type_name(in_type), tvmq_type_name(out_type), n);
}
