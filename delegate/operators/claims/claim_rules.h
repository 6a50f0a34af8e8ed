// Rules that several operators share, and what rules rest on. A rule returns NULL or its reason (a static string); claim_*.c chain rules by ?: in the
// order in which they build on each other.
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "operators/desc.h"

// 32-bit accumulators are shifted left before they are multiplied.
enum { MAX_SHIFT_32 = 30 };

// Why a FULLY_CONNECTED is refused that may be computed in one of two ways.
#define UNKNOWN_SCALING "unknown scaling: set the option fully_connected to float64 (LiteRT) or fixed_point (tflite-runtime)"

static inline bool good_scale(float scale) { return isfinite(scale) && scale > 0; }
static inline bool fits_type(int32_t value, enum tvmq_type type) { return value >= tvmq_type_range(type).min && value <= tvmq_type_range(type).max; }

// TFLite indexes tensors by int.
static inline bool too_many(int32_t a, int32_t b, int32_t c, int32_t d) {
  int32_t n;
  return __builtin_mul_overflow(a, b, &n) || __builtin_mul_overflow(n, c, &n) || __builtin_mul_overflow(n, d, &n);
}

static inline const char *type_rule(enum tvmq_type type) {
  if (type == TVMQ_TYPE_F32) return "float32: not quantized";
  return type == TVMQ_TYPE_S8 || type == TVMQ_TYPE_U8 || type == TVMQ_TYPE_S16 ? NULL : "activations are not int8, uint8 or int16";
}

// float32 activations and quantized weights.
static inline bool is_hybrid(enum tvmq_type in, enum tvmq_type weights) { return in == TVMQ_TYPE_F32 && weights != TVMQ_TYPE_F32; }

// The rule for operators that move elements as they are.
static inline const char *moved_type_rule(enum tvmq_type type) {
  return type == TVMQ_TYPE_S32 || type == TVMQ_TYPE_S64 || type == TVMQ_TYPE_F32 ? NULL : type_rule(type);
}

static inline const char *same_type_rule(enum tvmq_type in, enum tvmq_type out) { return in == out ? NULL : "input and output types differ"; }

// The rule for tensors of which only the number of elements matters.
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

// TFLite quantizes the bounds to int32. `out` has a good scale.
static inline const char *activation_range_rule(enum tvmq_activation activation, struct tvmq_quant out) {
  const float bound = activation == TVMQ_ACTIVATION_RELU6 ? 6 : activation == TVMQ_ACTIVATION_RELU_N1_TO_1 ? 1 : 0;
  return bound / out.scale < 1 << 30 ? NULL : "output scale is too small for the bounds of the fused activation";
}
