// Tables of functions of a byte (tvmq_unary_desc with int8 or uint8).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arithmetic/stage.h"
#include "operators/desc.h"

// Sets out[x] to the function's result for byte x, by the reference's own formula. Returns NULL, or why the result is
// not known (static string). Scales and zero points must be valid. `rounding` does not affect LOGISTIC, TANH,
// HARD_SWISH, GELU, EXP, LOG and ELU. RSQRT's entries for bytes below the zero point are undefined.
const char *tvmq_unary_table(const struct tvmq_unary_desc *desc, enum tvmq_rounding rounding, uint8_t out[TVMQ_N_BYTES]);

// Returns whether LOGISTIC, TANH, GELU, EXP, LOG or ELU is the same if steps around the math library's function are not performed as
// they are written. True for other functions.
bool tvmq_float_table_is_stable(const struct tvmq_unary_desc *desc);

// Returns whether HARD_SWISH is the same if the compiler replaced the division by a constant with a multiplication.
bool tvmq_hard_swish_is_stable(const struct tvmq_unary_desc *desc);

// Returns whether RSQRT is the same if the compiler rounded its root or its product differently.
bool tvmq_rsqrt_is_stable(const struct tvmq_unary_desc *desc);

// Parameters of functions that rescale: factors of (element - zero point), and the range of results. scale[0] is for
// values >= 0, scale[1] for negative values.
struct tvmq_unary_line {
  struct tvmq_scale scale[2];
  int32_t sign;  // factor of negative values before scale[1]: -1 for ABS, otherwise 1
  int32_t min, max;
};
// Sets *line for a function that rescales. Returns false for any other function.
bool tvmq_unary_line(const struct tvmq_unary_desc *desc, struct tvmq_unary_line *line);

// Sets out[x] to QUANTIZE's result for byte in[x].
void tvmq_rescale_bytes(const struct tvmq_quantize_desc *desc, enum tvmq_rounding rounding, const uint8_t in[TVMQ_N_BYTES], uint8_t out[TVMQ_N_BYTES]);
