// ADD, SUB and MUL of float32, as they stand between hybrid nodes: each element is one rounded operation, and then cut by the activation. Plain C, which
// compilers make vectors of; memory is what such nodes wait for.
#include <float.h>

#include "ops/elementwise/binary.h"

static void plan(struct tvmq_binary *b, const struct tvmq_binary_desc *desc, enum tvmq_rounding rounding, const struct tvmq_variant *variant) {
  (void)rounding, (void)variant;
  const enum tvmq_activation activation = desc->activation;
  b->operation = desc->operation;
  // Without an activation the reference cuts infinities off.
  b->least = activation == TVMQ_ACTIVATION_NONE ? -FLT_MAX : activation == TVMQ_ACTIVATION_RELU_N1_TO_1 ? -1 : 0;
  b->most = activation == TVMQ_ACTIVATION_RELU6 ? 6 : activation == TVMQ_ACTIVATION_RELU_N1_TO_1 ? 1 : FLT_MAX;
  b->algorithm = "elementwise";
}

#define LOOP(NAME, OPERATOR)                                                                                                   \
  static void NAME(const float *restrict x, const float *restrict y, float *restrict out, size_t n, float least, float most) { \
    for (size_t i = 0; i < n; i++) {                                                                                           \
      float value = x[i] OPERATOR y[i];                                                                                        \
      value = value < least ? least : value;                                                                                   \
      out[i] = value > most ? most : value;                                                                                    \
    }                                                                                                                          \
  }
LOOP(add, +)
LOOP(subtract, -)
LOOP(multiply, *)

static void compute(const struct tvmq_binary *b, const void *const in[2], void *out, size_t n) {
  (b->operation == TVMQ_OPERATION_ADD ? add : b->operation == TVMQ_OPERATION_SUB ? subtract : multiply)(in[0], in[1], out, n, b->least, b->most);
}

const struct tvmq_binary_way tvmq_binary_floats = {.cycles = 0.5f, .plan = plan, .compute = compute};
