// Portable elementwise requantization and affine quantization, for all pairs of types that TFLite's QUANTIZE supports.
#include "arithmetic/stage.h"
#include "kernels/kernel.h"

// Copies the arguments, because the compiler must assume that stored bytes alias them, and would not vectorize the
// loop. The clamp is the range of the output type: QUANTIZE has no fused activation.
#define ELEMENTWISE(SYMBOL, IN, OUT, MIN, MAX, VALUE)                             \
  void SYMBOL(const struct tvmq_quantize_args *args) {                            \
    const struct tvmq_quantize_args a = *args;                                    \
    const IN *const in = a.in;                                                    \
    OUT *const out = a.out;                                                       \
    for (size_t i = 0; i < a.n; i++) {                                            \
      out[i] = (OUT)tvmq_clamp(tvmq_add_wrap(VALUE, a.out_zero_point), MIN, MAX); \
    }                                                                             \
  }

#define REQUANTIZE(SYMBOL, IN, OUT, MIN, MAX) \
  ELEMENTWISE(SYMBOL, IN, OUT, MIN, MAX, tvmq_rescale(a.rounding, tvmq_sub_wrap(in[i], a.in_zero_point), a.multiplier, a.shift))

static void map_bytes(const struct tvmq_quantize_args *args) {
  const uint8_t *const in = args->in, flip = args->flip;
  uint8_t *const out = args->out;
  const size_t n = args->n;
  if (args->rule == TVMQ_BYTES_FLIP)
    for (size_t i = 0; i < n; i++) out[i] = in[i] ^ flip;
  else
    tvmq_byte_map__c(&(struct tvmq_byte_map_args){.in = in, .out = out, .n = n, .map = args->map});
}

void tvmq_quantize_s8_s8__c(const struct tvmq_quantize_args *args) { map_bytes(args); }
void tvmq_quantize_s8_u8__c(const struct tvmq_quantize_args *args) { map_bytes(args); }
void tvmq_quantize_u8_s8__c(const struct tvmq_quantize_args *args) { map_bytes(args); }
void tvmq_quantize_u8_u8__c(const struct tvmq_quantize_args *args) { map_bytes(args); }

REQUANTIZE(tvmq_quantize_s8_s16__c, int8_t, int16_t, INT16_MIN, INT16_MAX)
REQUANTIZE(tvmq_quantize_u8_s16__c, uint8_t, int16_t, INT16_MIN, INT16_MAX)
REQUANTIZE(tvmq_quantize_s16_s8__c, int16_t, int8_t, INT8_MIN, INT8_MAX)
REQUANTIZE(tvmq_quantize_s16_s16__c, int16_t, int16_t, INT16_MIN, INT16_MAX)
REQUANTIZE(tvmq_quantize_s16_s32__c, int16_t, int32_t, INT32_MIN, INT32_MAX)
REQUANTIZE(tvmq_quantize_s32_s8__c, int32_t, int8_t, INT8_MIN, INT8_MAX)
REQUANTIZE(tvmq_quantize_s32_s16__c, int32_t, int16_t, INT16_MIN, INT16_MAX)

#define QUANTIZE(SYMBOL, OUT, MIN, MAX) ELEMENTWISE(SYMBOL, float, OUT, MIN, MAX, tvmq_round_f32(a.scale > 0 ? in[i] / a.scale : in[i] * a.inverse))

QUANTIZE(tvmq_quantize_f32_s8__c, int8_t, INT8_MIN, INT8_MAX)
QUANTIZE(tvmq_quantize_f32_u8__c, uint8_t, 0, UINT8_MAX)
QUANTIZE(tvmq_quantize_f32_s16__c, int16_t, INT16_MIN, INT16_MAX)
