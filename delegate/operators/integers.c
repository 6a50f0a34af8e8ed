#include "operators/integers.h"

static uint64_t load(enum tvmq_type type, const void *from, size_t i) {
  return type == TVMQ_TYPE_S64 ? ((const uint64_t *)from)[i] : ((const uint32_t *)from)[i];
}

static uint64_t compute(enum tvmq_operation operation, uint64_t a, uint64_t b) {
  if (operation == TVMQ_OPERATION_MUL) return a * b;
  return operation == TVMQ_OPERATION_SUB ? a - b : a + b;
}

// int32 values are loaded as unsigned, because the low bits of results do not depend on high bits of operands.
void tvmq_integers(const struct tvmq_binary_desc *desc, const void *const in[2], void *out) {
  const struct tvmq_broadcast *b = &desc->broadcast;
  for (size_t i = 0; i < desc->n; i++) {
    size_t at[2] = {i, i};
    for (int j = 0; j < 2 && b->rank > 0; j++) {
      if (b->in[j].repeats) at[j] = 0;
      size_t rest = i;
      for (int d = b->rank; b->in[j].repeats && d-- > 0; rest /= b->dims[d]) at[j] += rest % b->dims[d] * b->in[j].strides[d];
    }
    const uint64_t value = compute(desc->operation, load(desc->type, in[0], at[0]), load(desc->type, in[1], at[1]));
    if (desc->type == TVMQ_TYPE_S64) {
      ((uint64_t *)out)[i] = value;
    } else {
      ((uint32_t *)out)[i] = (uint32_t)value;
    }
  }
}
