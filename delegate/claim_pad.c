// PAD and PADV2.
#include "claim.h"
#include "claim_rules.h"

const char *tvmq_claim_pad(const struct tvmq_pad_desc *desc) {
  if (desc->out_type != desc->in_type) return "input and output types differ";
  if (desc->in_type != TVMQ_TYPE_S8 && desc->in_type != TVMQ_TYPE_U8 && desc->in_type != TVMQ_TYPE_S16) return "activations are not int8, uint8 or int16";
  int32_t padded[4];
  for (int i = 0; i < 4; i++) {
    if (desc->before[i] < 0 || desc->after[i] < 0) return "a padding is negative";
    padded[i] = desc->before[i] + desc->size[i] + desc->after[i];
  }
  if (padded[0] != desc->size[0] || padded[3] != desc->size[3]) return "batch or channels are padded";
  if (too_many(padded[0], padded[1], padded[2], padded[3])) return "output has more than 2^31 - 1 elements";
  if (!tvmq_same_quant(desc->in, desc->out)) return "input and output have not the same scale and zero point";
  return desc->value == desc->out.zero_point ? NULL : "the padded value is not the zero point";
}
