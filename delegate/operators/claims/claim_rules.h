// Rules that several operators share, and helpers of rules. A rule returns NULL or its reason (static string).
// claim_*.c chain rules with ?: in an order in which each rule may rely on the rules before it.
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "operators/desc.h"

// Largest left shift of a 32-bit accumulator, which is shifted before the multiplication.
enum { MAX_SHIFT_32 = 30 };

// The same for int64 accumulators, which are multiplied by 16-bit multipliers and shifted right by 15 - shift.
enum { MAX_SHIFT_64 = 14 };

// Reason to refuse a FULLY_CONNECTED that runtimes scale in either of two ways.
#define UNKNOWN_SCALING "unknown scaling: set the option fully_connected to float64 (LiteRT) or fixed_point (tflite-runtime)"

static inline bool good_scale(float scale) { return isfinite(scale) && scale > 0; }
static inline bool fits_type(int32_t value, enum tvmq_type type) { return value >= tvmq_type_range(type).min && value <= tvmq_type_range(type).max; }

// Returns whether a tensor has too many elements: TFLite indexes tensors by int.
static inline bool too_many(int32_t a, int32_t b, int32_t c, int32_t d) {
  int32_t n;
  return __builtin_mul_overflow(a, b, &n) || __builtin_mul_overflow(n, c, &n) || __builtin_mul_overflow(n, d, &n);
}

static inline const char *type_rule(enum tvmq_type type) {
  if (type == TVMQ_TYPE_F32) return "float32: not quantized";
  return tvmq_type_is_byte(type) || type == TVMQ_TYPE_S16 ? NULL : "activations are not int8, uint8 or int16";
}

// Returns whether an operator is hybrid: float32 activations and quantized weights.
static inline bool is_hybrid(enum tvmq_type in, enum tvmq_type weights) { return in == TVMQ_TYPE_F32 && weights != TVMQ_TYPE_F32; }

// Rule for operators that move elements unchanged.
static inline const char *moved_type_rule(enum tvmq_type type) {
  return type == TVMQ_TYPE_S32 || type == TVMQ_TYPE_S64 || type == TVMQ_TYPE_F32 || type == TVMQ_TYPE_BOOL ? NULL : type_rule(type);
}

static inline const char *same_type_rule(enum tvmq_type in, enum tvmq_type out) { return in == out ? NULL : "input and output types differ"; }

// Rule for tensors of which only the number of elements matters.
static inline const char *elements_rule(size_t n) {
  if (n == 0) return "empty tensor";
  return n > INT32_MAX ? "tensor has more than 2^31 - 1 elements" : NULL;
}

static inline const char *in_quant_rule(struct tvmq_quant in, enum tvmq_type type) {
  if (!good_scale(in.scale)) return "input scale is not positive and finite";
  return fits_type(in.zero_point, type) ? NULL : "input zero point is out of range for its type";
}

static inline const char *out_quant_rule(struct tvmq_quant out, enum tvmq_type type) {
  if (!good_scale(out.scale)) return "output scale is not positive and finite";
  return fits_type(out.zero_point, type) ? NULL : "output zero point is out of range for its type";
}

static inline const char *activation_rule(enum tvmq_activation activation) {
  switch (activation) {
    case TVMQ_ACTIVATION_NONE:
    case TVMQ_ACTIVATION_RELU:
    case TVMQ_ACTIVATION_RELU6:
    case TVMQ_ACTIVATION_RELU_N1_TO_1:
      return NULL;
    case TVMQ_ACTIVATION_OTHER:
      break;
  }
  return "fused_activation_function is not NONE, RELU, RELU6 or RELU_N1_TO_1";
}

// Rule for the bounds of a fused activation, which TFLite quantizes to int32. `out` has a valid scale.
static inline const char *activation_range_rule(enum tvmq_activation activation, struct tvmq_quant out) {
  const float bound = activation == TVMQ_ACTIVATION_RELU6 ? 6 : activation == TVMQ_ACTIVATION_RELU_N1_TO_1 ? 1 : 0;
  return bound / out.scale < 1 << 30 ? NULL : "output scale is too small for the bounds of the fused activation";
}
