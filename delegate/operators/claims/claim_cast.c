// CAST.
#include "operators/claims/claim.h"
#include "operators/claims/claim_rules.h"

// To a narrower integer the low bits stay in every runtime. From float32 to integers runtimes differ beyond the range of the type.
static const char *types(const struct tvmq_cast_desc *desc) {
  static const enum tvmq_type integers[] = {TVMQ_TYPE_S8, TVMQ_TYPE_U8, TVMQ_TYPE_S16, TVMQ_TYPE_S32, TVMQ_TYPE_S64};
  bool from = false, to = desc->out_type == TVMQ_TYPE_F32;
  for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++) {
    from |= desc->in_type == integers[i];
    to |= desc->out_type == integers[i];
  }
  if (desc->in_type == TVMQ_TYPE_F32) return "float32 to integer: out-of-range values differ between runtimes";
  return from && to ? NULL : "conversion between these types is not supported";
}

const char *tvmq_claim_cast(const struct tvmq_cast_desc *desc) { return types(desc) ?: elements_rule(desc->n); }
