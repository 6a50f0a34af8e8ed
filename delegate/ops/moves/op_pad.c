// PAD and PADV2: nothing of them runs. They are folded into what reads them (fold_pad.h), or left to the runtime.
#include "ops/claims/claim.h"
#include "ops/op.h"

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_pad(&desc->pad); }

const struct tvmq_op_class tvmq_op_pad = {.claim = claim};
