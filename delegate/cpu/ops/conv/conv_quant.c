#include "cpu/ops/conv/conv_quant.h"

#include <string.h>

#include "cpu/plan/select.h"

enum tvmq_form tvmq_conv_form(const struct tvmq_variant *variant, const struct tvmq_machine *machine, size_t results) {
  return results >= machine->float_results ? tvmq_form_of(variant) : TVMQ_FORM_FIXED;
}

// Returns the number of weights of a depthwise channel that are -128.
static size_t min_weights(const struct tvmq_conv_desc *desc, const struct tvmq_conv_quant *quant, size_t o) {
  const struct tvmq_channel channel = tvmq_conv_channel(desc, quant, desc->filter, o);
  size_t n = 0;
  for (size_t t = 0; t < channel.n_taps; t++) n += (int8_t)(channel.weights[t * channel.tap_stride] ^ channel.flip) == INT8_MIN;
  return n;
}

uint32_t tvmq_conv_excluded_flags(const struct tvmq_conv_desc *desc, const struct tvmq_conv_quant *quant, uint32_t cpu) {
  if (!desc->filter || !tvmq_any_has(TVMQ_NO_MIN_WEIGHT, cpu)) return 0;  // the weights need not be read
  const size_t n = (size_t)desc->out_c * (size_t)desc->filter_h * (size_t)desc->filter_w * (size_t)(desc->depthwise ? 1 : desc->filter_c);
  if (!memchr(desc->filter, 0x80 ^ quant->filter_flip, n)) return 0;
  if (!desc->depthwise) return TVMQ_NO_MIN_WEIGHT;
  for (size_t o = 0; o < (size_t)desc->out_c; o++) {
    if (min_weights(desc, quant, o) > 1) return TVMQ_NO_MIN_WEIGHT;
  }
  return 0;
}

size_t tvmq_conv_element_bytes(const struct tvmq_conv_desc *desc) { return desc->in_type == TVMQ_TYPE_S16 ? 2 : 1; }

size_t tvmq_conv_stored_bytes(const struct tvmq_conv_desc *desc) { return desc->out_type == TVMQ_TYPE_S32 ? sizeof(int32_t) : tvmq_conv_element_bytes(desc); }
