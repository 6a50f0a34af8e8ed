// Operators that copy elements.
#include "operators/claims/claim.h"
#include "operators/claims/claim_rules.h"

static const char *elements(const struct tvmq_copy_desc *desc) {
  size_t n = 1;
  for (int d = 0; d < desc->rank; d++) {
    if (desc->axes[d].n == 0) return "empty tensor";
    if (__builtin_mul_overflow(n, desc->axes[d].n, &n)) return "tensor has more than 2^31 - 1 elements";
  }
  return elements_rule(n);
}

// Copying needs no scale; but where the reference asks for the same, it fails.
static const char *same_quant(const struct tvmq_copy_desc *desc) {
  return desc->wants_same_quant && !desc->same_quant ? "input and output scales or zero points differ" : NULL;
}

static const char *padding(const struct tvmq_copy_desc *desc) {
  const char *reason = desc->in_type == TVMQ_TYPE_F32 ? NULL : type_rule(desc->in_type);
  return reason ?: fits_type(desc->value, desc->out_type) ? NULL : "the padding value is out of range for its type";
}

static const char *places(const struct tvmq_copy_desc *desc) {
  for (int d = 0; d < desc->rank; d++) {
    if (!tvmq_copy_fits(&desc->axes[d])) return "an index is outside the input";
    const char *reason = desc->axes[d].kind == TVMQ_COPY_PADDED ? padding(desc) : NULL;
    if (reason != NULL) return reason;
  }
  return NULL;
}

const char *tvmq_claim_copy(const struct tvmq_copy_desc *desc) {
  return moved_type_rule(desc->in_type) ?: same_type_rule(desc->in_type, desc->out_type) ?: elements(desc) ?: same_quant(desc) ?: places(desc);
}
