// From float scales to what integer kernels use: multiplier and shift per channel, clamp range. All formulas are TFLite's, bit for bit.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arithmetic/stage.h"
#include "operators/desc.h"

// real -> multiplier * 2^(shift - 31) with multiplier in [2^30, 2^31) or 0. shift > 0: left.
void tvmq_quantize_multiplier(double real, int32_t *multiplier, int32_t *shift);

// Returns the real number that accumulators of output channel `channel` are multiplied by.
double tvmq_conv_scale(const struct tvmq_conv_desc *desc, int32_t channel);

// Fixed-point parameters of output channel `channel`: of double(in) * double(w[c]) / double(out), or of the float32 product for uint8 and, in fixed point, for
// a FULLY_CONNECTED with one scale. Where the reference scales in float64 they are for a single rounding; false: none gives the same.
bool tvmq_conv_multiplier(const struct tvmq_conv_desc *desc, int32_t channel, int32_t *multiplier, int32_t *shift);

// Whether sums are multiplied by their scale in float64 itself: those of a 16x8 FULLY_CONNECTED where the reference scales in float64. tvmq_conv_multiplier()
// then gives the halves of that scale (tvmq_float64_scale()); false: a product may exceed int32.
bool tvmq_conv_in_float64(const struct tvmq_conv_desc *desc);

// Returns the bias of an output channel, 0 without one.
int64_t tvmq_conv_bias(const struct tvmq_conv_desc *desc, size_t channel);

// Whether the weights of a hybrid convolution have one scale, or several that are alike, which kernels take for one.
bool tvmq_hybrid_has_one_scale(const struct tvmq_conv_desc *desc);

// Bytes of the accumulator that TFLite uses: 8 for a 16x8 convolution with an int64 bias, every 16x8 depthwise convolution and sums that are scaled in float64
// themselves, else 4.
uint8_t tvmq_conv_acc_bytes(const struct tvmq_conv_desc *desc);

// The factors of ADD and SUB. Inputs, shifted left by *left_shift, are multiplied by scale / twice the larger scale (below 1), and the sum by what remains to
// the output's scale. As real numbers, and as fixed point.
void tvmq_add_ratios(const struct tvmq_binary_desc *desc, double in[2], double *out);
void tvmq_add_scales(const struct tvmq_binary_desc *desc, int32_t *left_shift, struct tvmq_scale in[2], struct tvmq_scale *out);

// The same of SQUARED_DIFFERENCE, whose inputs are shifted left by TVMQ_SQUARE_SHIFT; `out` is the factor of the square.
void tvmq_square_ratios(const struct tvmq_binary_desc *desc, double in[2], double *out);
void tvmq_square_scales(const struct tvmq_binary_desc *desc, struct tvmq_scale in[2], struct tvmq_scale *out);

// The factor of MUL's products; and the factors of PRELU: [0] for elements not below zero, [1] for the others, multiplied by their slopes. All ratios are of
// float32.
struct tvmq_scale tvmq_mul_scale(const struct tvmq_binary_desc *desc);
void tvmq_prelu_scales(const struct tvmq_binary_desc *desc, struct tvmq_scale scale[2]);

// The part of an output type that lies between two real numbers, either of which may be infinite.
struct tvmq_range tvmq_quantized_range(float low, float high, enum tvmq_type type, struct tvmq_quant out);

// The real numbers that a fused activation keeps; -most and most where it has no bound.
struct tvmq_bounds {
  float low, high;
};
struct tvmq_bounds tvmq_activation_bounds(enum tvmq_activation activation, float most);

// Range of the output type and of the fused activation, in the output's own type.
void tvmq_activation_range(enum tvmq_activation activation, enum tvmq_type type, struct tvmq_quant out, int32_t *min, int32_t *max);
