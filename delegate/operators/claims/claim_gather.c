// GATHER_ND, and GATHER of computed indices.
#include <string.h>

#include "operators/claims/claim.h"
#include "operators/claims/claim_rules.h"
#include "operators/gather.h"
#include "operators/operator.h"

static const char *indices_type(enum tvmq_type type) {
  return type == TVMQ_TYPE_S16 || type == TVMQ_TYPE_S32 || type == TVMQ_TYPE_S64 ? NULL : "the indices are not int16, int32 or int64";
}

static const char *sizes(const struct tvmq_gather_desc *desc) {
  int32_t slices = desc->outer;
  if (desc->outer <= 0 || desc->n <= 0 || desc->depth <= 0 || desc->slice <= 0) return "empty tensor";
  for (int32_t k = 0; k < desc->depth; k++) {
    if (desc->sizes[k] <= 0) return "empty tensor";
    if (__builtin_mul_overflow(slices, desc->sizes[k], &slices)) return "tensor has more than 2^31 - 1 elements";
  }
  const bool large = too_many(slices, desc->slice, 1, 1) || too_many(desc->outer, desc->n, desc->slice, 1) || too_many(desc->n, desc->depth, 1, 1);
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

static bool evaluate(const union tvmq_desc *desc, const void *const in[], void *const outs[]) {
  const struct tvmq_gather_desc *d = &desc->gather;
  const size_t bytes = (size_t)d->slice * tvmq_type_bytes(d->in_type);
  bool known = in[0] != NULL && in[1] != NULL;
  for (size_t i = 0; known && i < (size_t)d->outer * (size_t)d->n; i++) {
    const int64_t slice = tvmq_gather_slice(d, in[1], i);
    known = slice >= 0;
    if (known) memcpy((uint8_t *)outs[0] + i * bytes, (const uint8_t *)in[0] + (size_t)slice * bytes, bytes);
  }
  return known;
}

const struct tvmq_operator tvmq_operator_gather = {.claim = claim, .evaluate = evaluate, .light = TVMQ_LIGHT("gathers slices")};
