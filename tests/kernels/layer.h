// A random layer for one panel of channels: what gemm and depthwise have in common. The family's check draws activations and computes exact sums; this draws
// weights, zero points, biases, multipliers and the output stage around them, packs the panel, and compares what the kernel wrote.
#pragma once

#include "engine.h"
#include "packing/pack_gemm.h"
#include "support/guard.h"

enum { LAYER_MAX_WEIGHTS = 1 << 19, LAYER_MAX_CHANNELS = 256, LAYER_MAX_RESULTS = 1 << 16, LAYER_MAX_OUT = 1 << 18, LAYER_POOL = 113 };

struct layer {
  const struct tvmq_variant *variant;
  size_t element;                // bytes of an activation
  size_t stored;                 // bytes of an element of the output: those of an activation, or of a sum
  size_t operand;                // bytes of one that the kernel reads: more than an element where it takes int8 widened to int16
  int32_t value_min, value_max;  // of an activation as int8 (int16)
  size_t n, n_taps, n_depths;    // valid channels of the panels; weights per channel
  int32_t in_zero_point, filter_zero_point;
  uint8_t in_flip, filter_flip;  // 0x80 where the tensor is uint8

  const int32_t *weights;  // [n][n_taps * n_depths], less the zero point
  int64_t *sums;           // [n_rows * n_cols][n]: sum of (x - zx)(w - zw), filled by the family's check

  struct tvmq_channel_params params[LAYER_MAX_CHANNELS];  // bias as the model has it, not folded
  struct tvmq_stage stage;

  size_t n_rows, n_cols, row_stride, col_stride;  // of the output; strides in bytes
  size_t stored_n;                                // channels that may be stored of a pixel: unless the check says less, those of whole panels
};

// Draws weights and zero points. `weightless`: all weights and the filter zero point are 0, so that only bias and row terms reach the output stage.
void layer_draw(struct layer *layer, const struct tvmq_variant *variant, size_t n, size_t n_taps, size_t n_depths, bool weightless);

// Fills every slot of `pool` with n activations as the kernel reads them, and values [LAYER_POOL][n] with what they are less the zero point.
void layer_draw_pool(const struct layer *layer, const struct guard *pool, size_t n, enum guard_side side, int32_t *values);

// How the kernel is to be called: its in_flip, and its operand less (x - zx).
uint8_t layer_kernel_flip(const struct layer *layer);
int32_t layer_operand_offset(const struct layer *layer);

// Draws bias, multiplier, shift and stage to suit the sums.
void layer_draw_stage(struct layer *layer);

// Accumulator and requantized value, zero point included but not clamped, of channel n of result `i` (row-major).
int64_t layer_accumulator(const struct layer *layer, size_t i, size_t n);
int32_t layer_requantized(const struct layer *layer, size_t i, size_t n);

// The layer's channels for the packers, biases folded.
void layer_channels(const struct layer *layer, struct tvmq_channel channels[LAYER_MAX_CHANNELS], struct tvmq_channel_params params[LAYER_MAX_CHANNELS]);

// Room for a panel, which the kernel may read only; `written` is where to pack it. Valid until the next one.
const void *layer_panel(size_t size, enum guard_side side, void **written);
// Channels of whole panels.
size_t layer_padded_n(const struct layer *layer);
// The output, filled with what must not change. Valid until the next one.
void *layer_out(const struct layer *layer, enum guard_side side);

// Compares the output and all that lies around it; does not return if something differs.
void layer_compare(const struct layer *layer);

// The layer's parameters as text for check_case(). Static.
const char *layer_text(const struct layer *layer);
