// PAD and PADV2.
#include "ops/claims/claim.h"
#include "ops/claims/claim_rules.h"

static const char *paddings(const struct tvmq_pad_desc *desc) {
  int32_t padded[4];
  for (int i = 0; i < 4; i++) {
    if (desc->before[i] < 0 || desc->after[i] < 0) return "a padding is negative";
    padded[i] = desc->before[i] + desc->size[i] + desc->after[i];
  }
  if (padded[0] != desc->size[0] || padded[3] != desc->size[3]) return "batch or channels are padded";
  return too_many(padded[0], padded[1], padded[2], padded[3]) ? "output has more than 2^31 - 1 elements" : NULL;
}

// Which value may be padded depends on what reads it.
static const char *same_quant(const struct tvmq_pad_desc *desc) {
  return tvmq_same_quant(desc->in, desc->out) ? NULL : "input and output have not the same scale and zero point";
}

const char *tvmq_claim_pad(const struct tvmq_pad_desc *desc) {
  return type_rule(desc->in_type) ?: same_type_rule(desc->in_type, desc->out_type) ?: paddings(desc) ?: same_quant(desc);
}
