// Converts float scales to the parameters of integer kernels: multiplier and shift per channel, clamp range. All
// formulas equal TFLite's bit for bit.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arithmetic/stage.h"
#include "operators/desc.h"

// Converts `real` to multiplier * 2^(shift - 31) with multiplier in [2^30, 2^31) or 0. shift > 0: left.
void tvmq_quantize_multiplier(double real, int32_t *multiplier, int32_t *shift);

// Returns the real factor of the accumulators of output channel `channel`.
double tvmq_conv_scale(const struct tvmq_conv_desc *desc, int32_t channel);

// Computes the fixed-point factor of output channel `channel`, double(in) * double(w[c]) / double(out). The product is
// float32 for uint8, and for a FULLY_CONNECTED with one scale that the reference scales in fixed point. If the
// reference scales in float64, the factor is for a single rounding. Returns false if no fixed-point factor gives the
// reference's results.
bool tvmq_conv_multiplier(const struct tvmq_conv_desc *desc, int32_t channel, int32_t *multiplier, int32_t *shift);

// Returns whether the factor of every channel is the one nearest to tvmq_conv_scale(), as tvmq_quantize_multiplier()
// returns it, or is a float64 scale with which no product may exceed int32. Almost all layers are so. Remembers the
// proofs, because claiming and packing both ask.
bool tvmq_conv_nearest(const struct tvmq_conv_desc *desc);

// Returns the channel of the filter's largest scale.
int32_t tvmq_conv_largest_scale(const struct tvmq_conv_desc *desc);

// Returns whether accumulators are multiplied by a float64 scale, without fixed point. This is so for a 16x8
// FULLY_CONNECTED if the reference scales in float64. tvmq_conv_multiplier() then sets the halves of the scale
// (tvmq_float64_scale()), and returns false if a product may exceed int32.
bool tvmq_conv_in_float64(const struct tvmq_conv_desc *desc);

// Returns the bias of an output channel, 0 without one.
int64_t tvmq_conv_bias(const struct tvmq_conv_desc *desc, size_t channel);

// Returns whether the weights of a hybrid convolution have one scale, or several equal scales, which kernels treat as
// one.
bool tvmq_hybrid_has_one_scale(const struct tvmq_conv_desc *desc);

// Returns the bytes of TFLite's accumulator: 8 for a 16x8 convolution with an int64 bias, for every 16x8 depthwise
// convolution, and if tvmq_conv_in_float64(). Otherwise 4.
uint8_t tvmq_conv_acc_bytes(const struct tvmq_conv_desc *desc);

// Compute the factors of ADD and SUB, as real numbers and in fixed point. Inputs, shifted left by *left_shift, are
// multiplied by scale / (2 * larger scale), which is below 1. The sum is multiplied by *out, which gives the output's
// scale.
void tvmq_add_ratios(const struct tvmq_binary_desc *desc, double in[2], double *out);
void tvmq_add_scales(const struct tvmq_binary_desc *desc, int32_t *left_shift, struct tvmq_scale in[2], struct tvmq_scale *out);

// Compute the same factors for SQUARED_DIFFERENCE, whose inputs are shifted left by TVMQ_SQUARE_SHIFT. `out` is the
// factor of the square.
void tvmq_square_ratios(const struct tvmq_binary_desc *desc, double in[2], double *out);
void tvmq_square_scales(const struct tvmq_binary_desc *desc, struct tvmq_scale in[2], struct tvmq_scale *out);

// Compute the factor of MUL's products, and the factors of PRELU: [0] for elements >= 0, [1] for products of negative
// elements and their slopes. All ratios are computed in float32.
struct tvmq_scale tvmq_mul_scale(const struct tvmq_binary_desc *desc);
void tvmq_prelu_scales(const struct tvmq_binary_desc *desc, struct tvmq_scale scale[2]);

// Returns the part of an output type's range between two real numbers, either of which may be infinite.
struct tvmq_range tvmq_quantized_range(float low, float high, enum tvmq_type type, struct tvmq_quant out);

// Bounds of a fused activation, in real numbers; -most or most if there is no bound.
struct tvmq_bounds {
  float low, high;
};
struct tvmq_bounds tvmq_activation_bounds(enum tvmq_activation activation, float most);

// Computes the output range: the intersection of the output type's range and the fused activation's range, quantized.
void tvmq_activation_range(enum tvmq_activation activation, enum tvmq_type type, struct tvmq_quant out, int32_t *min, int32_t *max);
