// Portable elementwise requantization and affine quantization, for every pair of types that TFLite's QUANTIZE knows.
#include "kernel.h"
#include "requant.h"

// The clamp is the range of the output type: QUANTIZE has no fused activation.
#define REQUANTIZE(SYMBOL, IN, OUT, MIN, MAX)                                                                                       \
  void SYMBOL(const struct tvmq_requantize_args *args) {                                                                            \
    const IN *const in = args->in;                                                                                                  \
    OUT *const out = args->out;                                                                                                     \
    for (size_t i = 0; i < args->n; i++) {                                                                                          \
      const int32_t value = tvmq_rescale(args->rounding, tvmq_sub_wrap(in[i], args->in_zero_point), args->multiplier, args->shift); \
      out[i] = (OUT)tvmq_clamp(tvmq_add_wrap(value, args->out_zero_point), MIN, MAX);                                               \
    }                                                                                                                               \
  }

REQUANTIZE(tvmq_requantize_s8_s8__c, int8_t, int8_t, INT8_MIN, INT8_MAX)
REQUANTIZE(tvmq_requantize_s8_u8__c, int8_t, uint8_t, 0, UINT8_MAX)
REQUANTIZE(tvmq_requantize_s8_s16__c, int8_t, int16_t, INT16_MIN, INT16_MAX)
REQUANTIZE(tvmq_requantize_u8_s8__c, uint8_t, int8_t, INT8_MIN, INT8_MAX)
REQUANTIZE(tvmq_requantize_u8_u8__c, uint8_t, uint8_t, 0, UINT8_MAX)
REQUANTIZE(tvmq_requantize_u8_s16__c, uint8_t, int16_t, INT16_MIN, INT16_MAX)
REQUANTIZE(tvmq_requantize_s16_s8__c, int16_t, int8_t, INT8_MIN, INT8_MAX)
REQUANTIZE(tvmq_requantize_s16_s16__c, int16_t, int16_t, INT16_MIN, INT16_MAX)
REQUANTIZE(tvmq_requantize_s16_s32__c, int16_t, int32_t, INT32_MIN, INT32_MAX)
REQUANTIZE(tvmq_requantize_s32_s8__c, int32_t, int8_t, INT8_MIN, INT8_MAX)
REQUANTIZE(tvmq_requantize_s32_s16__c, int32_t, int16_t, INT16_MIN, INT16_MAX)

#define QUANTIZE(SYMBOL, OUT, MIN, MAX)                                               \
  void SYMBOL(const struct tvmq_requantize_args *args) {                              \
    const float *const in = args->in;                                                 \
    OUT *const out = args->out;                                                       \
    for (size_t i = 0; i < args->n; i++) {                                            \
      const int32_t value = tvmq_quantize_f32(in[i], args->scale);                    \
      out[i] = (OUT)tvmq_clamp(tvmq_add_wrap(value, args->out_zero_point), MIN, MAX); \
    }                                                                                 \
  }

QUANTIZE(tvmq_requantize_f32_s8__c, int8_t, INT8_MIN, INT8_MAX)
QUANTIZE(tvmq_requantize_f32_u8__c, uint8_t, 0, UINT8_MAX)
QUANTIZE(tvmq_requantize_f32_s16__c, int16_t, INT16_MIN, INT16_MAX)
