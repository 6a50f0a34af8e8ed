// Comparisons, LOGICAL_AND, LOGICAL_OR, LOGICAL_NOT, SELECT and SELECT_V2.
#include "operators/claims/claim.h"
#include "operators/claims/claim_rules.h"
#include "operators/operator.h"
#include "operators/ranks.h"

static bool is_integer(enum tvmq_type type) { return type == TVMQ_TYPE_S32 || type == TVMQ_TYPE_S64; }

// Refuses scales of 1 and more: some of the runtimes abort.
static const char *scales(const struct tvmq_condition_desc *desc) {
  for (int i = 0; i < 2; i++) {
    const char *reason = in_quant_rule(desc->in[i], desc->type);
    if (reason != NULL) return reason;
    if (!(desc->in[i].scale < 1) || tvmq_comparison_scale(desc->in[i].scale).shift > 0) return "an input scale is not below 1";
  }
  return NULL;
}

// int16 is rescaled by some versions of the runtime and not by others.
static const char *compared(const struct tvmq_condition_desc *desc) {
  const bool equality = desc->condition == TVMQ_CONDITION_EQUAL || desc->condition == TVMQ_CONDITION_NOT_EQUAL;
  if (desc->type == TVMQ_TYPE_F32 || is_integer(desc->type) || (equality && desc->type == TVMQ_TYPE_BOOL)) return NULL;
  return tvmq_type_is_byte(desc->type) ? scales(desc) : "comparisons are supported for int8, uint8, int32, int64 and float32 only";
}

static const char *types(const struct tvmq_condition_desc *desc) {
  if (tvmq_condition_compares(desc->condition)) return compared(desc);
  if (desc->condition == TVMQ_CONDITION_SELECT) return moved_type_rule(desc->type);
  return desc->type == TVMQ_TYPE_BOOL ? NULL : "the inputs are not bool";
}

const char *tvmq_claim_condition(const struct tvmq_condition_desc *desc) {
  const int most_rank = desc->condition == TVMQ_CONDITION_SELECT ? 5 : 4;
  if (desc->rank > most_rank) return "some of the runtimes do not broadcast tensors of this rank";
  return elements_rule(desc->n) ?: types(desc);
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_condition(&desc->condition); }

const struct tvmq_operator tvmq_operator_condition = {.claim = claim, .light_if_wide = TVMQ_LIGHT("compares or selects elements of 32 or 64 bits")};
