// Parts of a convolution's quantization that depend on the CPU's kernels.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cpu/machine.h"
#include "exact/float_stage.h"
#include "kernels/kernel.h"
#include "lowering/conv_lower.h"
#include "operators/desc.h"
#include "operators/quant_params.h"
#include "packing/pack_gemm.h"

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
