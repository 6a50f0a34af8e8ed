// GATHER_ND.
#include "operators/claims/claim.h"
#include "operators/claims/claim_rules.h"
#include "operators/gather.h"
#include "operators/operator.h"

static const char *indices_type(enum tvmq_type type) {
  return type == TVMQ_TYPE_S16 || type == TVMQ_TYPE_S32 || type == TVMQ_TYPE_S64 ? NULL : "the indices are not int16, int32 or int64";
}

static const char *sizes(const struct tvmq_gather_desc *desc) {
  int32_t slices = 1;
  if (desc->n <= 0 || desc->depth <= 0 || desc->slice <= 0) return "empty tensor";
  for (int32_t k = 0; k < desc->depth; k++) {
    if (desc->sizes[k] <= 0) return "empty tensor";
    if (__builtin_mul_overflow(slices, desc->sizes[k], &slices)) return "tensor has more than 2^31 - 1 elements";
  }
  const bool large = too_many(slices, desc->slice, 1, 1) || too_many(desc->n, desc->slice, 1, 1) || too_many(desc->n, desc->depth, 1, 1);
  return large ? "tensor has more than 2^31 - 1 elements" : NULL;
}

static const char *places(const struct tvmq_gather_desc *desc) {
  bool inside = true;
  for (size_t i = 0; desc->indices != NULL && i < (size_t)desc->n; i++) inside &= tvmq_gather_slice(desc, desc->indices, i) >= 0;
  return inside ? NULL : "an index is outside the input";
}

const char *tvmq_claim_gather(const struct tvmq_gather_desc *desc) {
  return moved_type_rule(desc->in_type) ?: same_type_rule(desc->in_type, desc->out_type) ?: indices_type(desc->index_type) ?: sizes(desc) ?: places(desc);
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_gather(&desc->gather); }

const struct tvmq_operator tvmq_operator_gather = {.claim = claim, .light = TVMQ_LIGHT("gathers slices")};
