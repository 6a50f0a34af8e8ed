// The integer side of a convolution's quantization: output stage, zero points of the int8 (int16) values, and what each channel's panel carries.
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
  struct tvmq_stage stage;                   // as it is before it is lowered for given channels
  uint8_t in_flip, filter_flip;              // 0x80 where the tensor is uint8: byte ^ flip is the int8 value
  int32_t in_zero_point, filter_zero_point;  // of the int8 (int16) values
};

struct tvmq_conv_quant tvmq_conv_quant(const struct tvmq_conv_desc *desc, enum tvmq_rounding rounding);

// Weights of output channel `o` in a filter of the description's shape (OHWI, depthwise 1HWO), which need not be the description's own: they lie
// tap_stride / n_depths apart, in the order of taps, then depths. Inline as tvmq_fold() is.
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

// Lowers the output stage for the `n` output channels from `first` on, whose weights are channels[0..n), all in one panel of `layout`: folds and fills their
// parameters, in the given form if it is exact (float_stage.h). Else clears right_shifts, headroom and fits_int16 of `stage`, which all channels
// share and which begins as quant->stage, if a channel does not allow them.
void tvmq_conv_lower(const struct tvmq_conv_desc *desc, const struct tvmq_conv_quant *quant, const struct tvmq_layout *layout, enum tvmq_form form,
                     const struct tvmq_channel *channels, size_t first, size_t n, struct tvmq_stage *stage, struct tvmq_channel_params *params);

// The form of panels for the kernel, if it is worth its proof for channels of which an inference has `results`.
enum tvmq_form tvmq_conv_form(const struct tvmq_variant *variant, const struct tvmq_machine *machine, size_t results);

// Flags of which a kernel for the processor may have none, given these weights; of weights that are not known yet (NULL), nothing is said.
uint32_t tvmq_conv_excluded_flags(const struct tvmq_conv_desc *desc, const struct tvmq_conv_quant *quant, uint32_t cpu);

// The flip that makes a kernel's operand (int8, or uint8 where the layout's a_offset is 128) of an input byte.
static inline uint8_t tvmq_operand_flip(const struct tvmq_conv_quant *quant, const struct tvmq_layout *layout) { return quant->in_flip ^ layout->a_offset; }

// Bytes of one element of the activations: 1, or 2 for 16x8.
size_t tvmq_conv_element_bytes(const struct tvmq_conv_desc *desc);

// Bytes of one element of the output: as many, or 4 for sums.
size_t tvmq_conv_stored_bytes(const struct tvmq_conv_desc *desc);
