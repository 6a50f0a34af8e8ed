// Integer parameters of a convolution's quantization: output stage, zero points of int8 (int16) values, and the
// parameters in each channel's panel.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cpu/machine.h"
#include "exact/float_stage.h"
#include "kernels/kernel.h"
#include "operators/desc.h"
#include "operators/quant_params.h"
#include "packing/pack_gemm.h"

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

// Lowers the output stage for the `n` output channels from `first` on, whose weights are channels[0..n), in one panel
// of `layout`. Folds the channels and fills their parameters, in the given form if it is exact (float_stage.h).
// Otherwise clears right_shifts, headroom and fits_int16 of `stage` if a channel does not allow them. All channels
// share `stage`, which begins as quant->stage.
void tvmq_conv_lower(const struct tvmq_conv_desc *desc, const struct tvmq_conv_quant *quant, const struct tvmq_layout *layout, enum tvmq_form form,
                     const struct tvmq_channel *channels, size_t first, size_t n, struct tvmq_stage *stage, struct tvmq_channel_params *params);

// Returns the form of panels for the kernel. `results`: results per channel and inference; with few results, the proof
// for other forms than fixed point is not worth its time.
enum tvmq_form tvmq_conv_form(const struct tvmq_variant *variant, const struct tvmq_machine *machine, size_t results);

// Returns the flags that a kernel must not have with these weights; 0 if the weights are unknown (NULL).
uint32_t tvmq_conv_excluded_flags(const struct tvmq_conv_desc *desc, const struct tvmq_conv_quant *quant, uint32_t cpu);

// Returns the mask that converts an input byte to the kernel's operand: int8, or uint8 if the layout's a_offset is 128.
static inline uint8_t tvmq_operand_flip(const struct tvmq_conv_quant *quant, const struct tvmq_layout *layout) { return quant->in_flip ^ layout->a_offset; }

// Returns the bytes of an input element: 1, or 2 for 16x8.
size_t tvmq_conv_element_bytes(const struct tvmq_conv_desc *desc);

// Returns the bytes of an output element: the same, or 4 for sums.
size_t tvmq_conv_stored_bytes(const struct tvmq_conv_desc *desc);
