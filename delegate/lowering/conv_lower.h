// Integer parameters of a convolution's quantization, whatever computes it: output stage, zero points of int8 (int16)
// values, and the parameters of each channel.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arithmetic/stage.h"
#include "operators/desc.h"
#include "packing/fold.h"

struct tvmq_conv_quant {
  struct tvmq_stage stage;                   // stage before it is lowered for channels
  uint8_t in_flip, filter_flip;              // 0x80 for uint8 tensors, else 0: byte ^ flip is the int8 value
  int32_t in_zero_point, filter_zero_point;  // zero points of the int8 (int16) values
  bool nearest;                              // every channel's multiplier is the nearest one (tvmq_conv_nearest)
};

struct tvmq_conv_quant tvmq_conv_quant(const struct tvmq_conv_desc *desc, enum tvmq_rounding rounding);

// Returns the weights of output channel `o` in a filter of the description's shape (OHWI, depthwise 1HWO). The filter
// may differ from the description's own. Weights are in the order of taps, then depths. Inline because tvmq_fold() is.
static inline struct tvmq_channel tvmq_conv_channel(const struct tvmq_conv_desc *desc, const struct tvmq_conv_quant *quant, const uint8_t *filter, size_t o) {
  const size_t n_taps = (size_t)desc->filter_h * (size_t)desc->filter_w, n_depths = (size_t)desc->filter_c;
  return (struct tvmq_channel){
      .weights = filter + (desc->depthwise ? o : o * n_taps * n_depths),
      .flip = quant->filter_flip,
      .zero_point = quant->filter_zero_point,
      .n_taps = n_taps,
      .tap_stride = desc->depthwise ? (size_t)desc->out_c : n_depths,
      .n_depths = n_depths,
      .depth_stride = 1,
  };
}

// Lowers the output stage for the `n` output channels from `first` on, whose weights are channels[0..n), in one panel.
// a_offset: as in packing/layout.h. Folds the channels and fills their parameters, in the given form if it is exact
// (float_stage.h). Otherwise clears right_shifts, headroom and fits_int16 of `stage` if a channel does not allow them.
// All channels share `stage`, which begins as quant->stage.
void tvmq_conv_lower(const struct tvmq_conv_desc *desc, const struct tvmq_conv_quant *quant, int32_t a_offset, enum tvmq_form form,
                     const struct tvmq_channel *channels, size_t first, size_t n, struct tvmq_stage *stage, struct tvmq_channel_params *params);
