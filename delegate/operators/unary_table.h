// Functions of a byte (tvmq_unary_desc of int8 or uint8) as tables.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arithmetic/stage.h"
#include "operators/desc.h"

// Sets out[x] to what the function makes of byte x, by the reference's own formula. NULL, or why that is not known (a static string). Scales and zero points
// are good. LOGISTIC, TANH, HARD_SWISH, GELU and EXP are the reference's whatever the rounding. RSQRT's entries for bytes below the zero point mean nothing.
const char *tvmq_unary_table(const struct tvmq_unary_desc *desc, enum tvmq_rounding rounding, uint8_t out[TVMQ_N_BYTES]);

// Says whether HARD_SWISH is the same where the compiler has replaced a division by a constant.
bool tvmq_hard_swish_is_stable(const struct tvmq_unary_desc *desc);

// Says whether RSQRT is the same where the compiler has rounded its root or its product otherwise.
bool tvmq_rsqrt_is_stable(const struct tvmq_unary_desc *desc);

// The parameters of functions that rescale: the factor of elements less the zero point, [0] for those not below zero, [1] for others; and the range of results.
struct tvmq_unary_line {
  struct tvmq_scale scale[2];
  int32_t sign;  // of ABS -1, else 1: elements below zero are multiplied by it first
  int32_t min, max;
};
// False: it is another function.
bool tvmq_unary_line(const struct tvmq_unary_desc *desc, struct tvmq_unary_line *line);

// Sets out[x] to what QUANTIZE makes of byte in[x].
void tvmq_rescale_bytes(const struct tvmq_quantize_desc *desc, enum tvmq_rounding rounding, const uint8_t in[TVMQ_N_BYTES], uint8_t out[TVMQ_N_BYTES]);
