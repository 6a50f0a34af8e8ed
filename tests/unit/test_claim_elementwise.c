// Every reason for which an operator that computes element by element is refused, and what must not be refused.
#include <math.h>

#include "claims.h"

static const struct {
  struct tvmq_binary_desc desc;
  const char *reason;
} add_cases[] = {
#define ADD(...) {.type = S8, .in = {{0.5f, 3}, {0.25f, -128}}, .out = {0.75f, 127}, .n = 100, __VA_ARGS__}
#define ADD_INT16(...) ADD(.type = S16, .in = {{0.5f, 0}, {0.25f, 0}}, .out = {0.7f, 0}, __VA_ARGS__)
    {ADD(), NULL},
    {ADD(.activation = TVMQ_ACTIVATION_RELU6), NULL},
    {ADD(.powers_of_two = true, .out = {0.5f, 0}), NULL},
    {ADD(.type = U8, .in = {{0.5f, 255}, {0.5f, 0}}, .out = {0.5f, 0}), NULL},
    {ADD_INT16(), NULL},
    {ADD_INT16(.powers_of_two = true), NULL},
    {ADD_INT16(.out.scale = 0.5f), NULL},
    {ADD(.in[0].scale = 1e-30f), NULL},  // adds nothing
    {ADD(.in[0].scale = 300000), NULL},

    {ADD(.type = F32, .in = {{0, 0}, {NAN, 9}}, .activation = TVMQ_ACTIVATION_RELU6, .rank = 4), NULL},  // quantization means nothing
    {ADD(.type = F32, .rank = 5), "some of the runtimes do not broadcast tensors of this rank"},
    {ADD(.type = F32, .activation = TVMQ_ACTIVATION_OTHER), "fused_activation_function is not NONE, RELU, RELU6 or RELU_N1_TO_1"},
    {ADD(.type = F32, .n = 0), "empty tensor"},
    {ADD(.type = S32, .n = 257), "int32 and int64 are supported for up to 256 elements only"},
    {ADD(.type = S32, .n = 256), NULL},
    {ADD(.type = S64, .n = 1, .rank = 5), "some of the runtimes do not broadcast tensors of this rank"},
    {ADD(.type = S64, .n = 1, .activation = TVMQ_ACTIVATION_RELU), "int32 and int64 are not supported with a fused activation"},
    {ADD(.type = S32, .n = 1, .operation = TVMQ_OPERATION_MAXIMUM), "int32 and int64 are supported for ADD, SUB and MUL only"},
    {ADD(.type = S4), "activations are not int8, uint8 or int16"},
    {ADD(.n = 0), "empty tensor"},
    {ADD(.n = (size_t)INT32_MAX + 1), "tensor has more than 2^31 - 1 elements"},
    {ADD(.activation = TVMQ_ACTIVATION_OTHER), "fused_activation_function is not NONE, RELU, RELU6 or RELU_N1_TO_1"},
    {ADD(.in[0].scale = 0), "input scale is not positive and finite"},
    {ADD(.in[1].scale = NAN), "input scale is not positive and finite"},
    {ADD(.out.scale = -1), "output scale is not positive and finite"},
    {ADD(.in[0].zero_point = 128), "input zero point is out of range for its type"},
    {ADD(.type = U8), "input zero point is out of range for its type"},
    {ADD(.out.zero_point = -129), "output zero point is out of range for its type"},
    {ADD_INT16(.in[1].zero_point = 1), "int16 with a zero point other than 0"},
    {ADD_INT16(.powers_of_two = true, .out.scale = 0.5f), "pot_scale_int16 with scales that are all powers of two is not supported"},
    {ADD_INT16(.powers_of_two = true, .in[1].scale = 0.25001f, .out.scale = 0.5f), "pot_scale_int16 with scales that are all powers of two is not supported"},
    {ADD(.in[0].scale = 400000), "input scale / output scale is out of range"},
    {ADD(.in[0].scale = 3e38f, .out.scale = 1e38f), "the ratio of the input scales is out of range"},
    {ADD(.out.scale = 3e38f), "input scale / output scale is out of range"},
    {ADD(.out.scale = 1e-9f), "input scale / output scale is out of range"},
    {ADD(.in = {{1e-14f, 0}, {1e-14f, 0}}, .out.scale = 1e-9f, .activation = TVMQ_ACTIVATION_RELU6),
     "output scale is too small for the bounds of the fused activation"},
};

static const struct {
  struct tvmq_binary_desc desc;
  const char *reason;
} binary_cases[] = {
#define OPERATION(NAME, ...) ADD(.operation = TVMQ_OPERATION_##NAME, __VA_ARGS__)
#define OPERATION_INT16(NAME, ...) ADD_INT16(.operation = TVMQ_OPERATION_##NAME, __VA_ARGS__)
    {OPERATION(SUB), NULL},
    {OPERATION(SUB, .rank = 5), NULL},
    {OPERATION_INT16(SUB), NULL},
    {OPERATION(SUB, .rank = 6), "some of the runtimes do not broadcast tensors of this rank"},
    {OPERATION_INT16(SUB, .powers_of_two = true, .out.scale = 0.5f), "pot_scale_int16 with scales that are all powers of two is not supported"},
    {OPERATION(SUB, .out.scale = 1e-9f), "input scale / output scale is out of range"},

    {OPERATION(MUL), NULL},
    {OPERATION(MUL, .rank = 4), NULL},
    {OPERATION(MUL, .activation = TVMQ_ACTIVATION_RELU6), NULL},
    {OPERATION_INT16(MUL), NULL},
    {OPERATION(MUL, .in = {{0x1p14f, 0}, {0x1p14f, 0}}, .out.scale = 0.5f), NULL},  // left shift by 30
    {OPERATION(MUL, .in = {{0x1p15f, 0}, {0x1p14f, 0}}, .out.scale = 0.5f), "input scales / output scale is too large"},
    {OPERATION(MUL, .in = {{1e30f, 0}, {1e30f, 0}}), "input scales / output scale is too large"},
    {OPERATION(MUL, .rank = 5), "some of the runtimes do not broadcast tensors of this rank"},
    {OPERATION(MUL, .rank = 6, .six_dims = true), NULL},
    {OPERATION(MUL, .type = F32, .rank = 6, .six_dims = true), NULL},
    {OPERATION(MUL, .rank = 7, .six_dims = true), "some of the runtimes do not broadcast tensors of this rank"},
    {OPERATION_INT16(MUL, .out.zero_point = 1), "int16 with a zero point other than 0"},
    {OPERATION(MUL, .activation = TVMQ_ACTIVATION_OTHER), "fused_activation_function is not NONE, RELU, RELU6 or RELU_N1_TO_1"},
    {OPERATION(MUL, .in = {{1e-14f, 0}, {1e-14f, 0}}, .out.scale = 1e-9f, .activation = TVMQ_ACTIVATION_RELU6),
     "output scale is too small for the bounds of the fused activation"},

    {OPERATION(MAXIMUM, .in = {{0, 300}, {NAN, 0}}, .out = {-1, 999}), NULL},  // quantization means nothing
    {OPERATION_INT16(MINIMUM, .rank = 5), NULL},
    {OPERATION(MINIMUM, .rank = 6), "some of the runtimes do not broadcast tensors of this rank"},
    {OPERATION(MAXIMUM, .type = F32, .rank = 5), NULL},
    {OPERATION(MINIMUM, .type = F32, .rank = 6), "some of the runtimes do not broadcast tensors of this rank"},
    {OPERATION(MINIMUM, .type = F32, .activation = TVMQ_ACTIVATION_RELU), "this operator takes no fused activation"},

    {OPERATION(DIV, .type = F32, .rank = 5, .activation = TVMQ_ACTIVATION_RELU6), NULL},
    {OPERATION(DIV, .type = F32, .rank = 6), "some of the runtimes do not broadcast tensors of this rank"},
    {OPERATION(DIV, .type = F32, .activation = TVMQ_ACTIVATION_OTHER), "fused_activation_function is not NONE, RELU, RELU6 or RELU_N1_TO_1"},
    {OPERATION(DIV, .type = F32, .n = 0), "empty tensor"},
    {OPERATION(DIV), "DIV is supported for float32 only"},
    {OPERATION_INT16(DIV), "DIV is supported for float32 only"},
    {OPERATION(DIV, .type = S32, .n = 1), "int32 and int64 are supported for ADD, SUB and MUL only"},

    {OPERATION(SQUARED_DIFFERENCE, .out.scale = 1), NULL},
    {OPERATION(SQUARED_DIFFERENCE, .out.scale = 1, .rank = 4), NULL},
    {OPERATION(SQUARED_DIFFERENCE, .out.scale = 1, .rank = 5), "some of the runtimes do not broadcast tensors of this rank"},
    {OPERATION(SQUARED_DIFFERENCE, .type = U8, .out = {1, 5}), "the reference has no kernel for this type"},
    {OPERATION_INT16(SQUARED_DIFFERENCE), "the reference has no kernel for this type"},
    {OPERATION(SQUARED_DIFFERENCE, .out.scale = 1, .activation = TVMQ_ACTIVATION_RELU), "this operator takes no fused activation"},
    {OPERATION(SQUARED_DIFFERENCE, .type = F32, .rank = 4), NULL},
    {OPERATION(SQUARED_DIFFERENCE, .type = F32, .rank = 5), "some of the runtimes do not broadcast tensors of this rank"},
    {OPERATION(SQUARED_DIFFERENCE, .type = S32, .n = 1), "int32 and int64 are supported for ADD, SUB and MUL only"},
    {OPERATION(SQUARED_DIFFERENCE, .in = {{1e-20f, 0}, {1, 0}}, .out.scale = 1), NULL},  // the first input's multiplier is 0
    {OPERATION(SQUARED_DIFFERENCE, .in = {{3e38f, 0}, {1, 0}}, .out.scale = 3e38f), "the ratio of the input scales is out of range"},
    {OPERATION(SQUARED_DIFFERENCE, .in = {{1, 0}, {1, 0}}, .out.scale = 0x1p-12f), "input scale / output scale is out of range"},
    {OPERATION(SQUARED_DIFFERENCE, .in = {{0x1.75aaeap+0f, 0}, {1, 0}}, .out.scale = 0x1.10b5cp-11f),
     "input scale / output scale is out of range"},  // 1 - 2^-34, which as a multiplier is 1

    {OPERATION(PRELU), NULL},
    {OPERATION(PRELU, .rank = 5), "some of the runtimes do not broadcast tensors of this rank"},
    {OPERATION(PRELU, .type = F32, .in = {{NAN, 0}, {0, 0}}, .rank = 4), NULL},
    {OPERATION(PRELU, .type = F32, .rank = 5), "some of the runtimes do not broadcast tensors of this rank"},
    {OPERATION_INT16(PRELU), "int16: some of the runtimes have no kernel for this operator"},
    {OPERATION(PRELU, .in[0].scale = 0x1p30f, .out.scale = 1), "input scale / output scale is too large"},
    {OPERATION(PRELU, .in = {{0x1p20f, 0}, {0x1p10f, 0}}, .out.scale = 1), "input scales / output scale is too large"},
};

#if defined __aarch64__
#define ON_ARM(arm, other) arm
#else
#define ON_ARM(arm, other) other
#endif
#define OF_OTHERS "float32: the runtime's approximation, by the option float32, is that of other processors"

static const struct {
  struct tvmq_unary_desc desc;
  const char *reason;
} unary_cases[] = {
#define UNARY(NAME, ...) {.function = TVMQ_FUNCTION_##NAME, .in_type = S8, .out_type = S8, .in = {0.05f, 3}, .out = {0.02f, -5}, .n = 100, __VA_ARGS__}
#define UNARY_INT16(NAME, ...) UNARY(NAME, .in_type = S16, .out_type = S16, .in = {0.05f, 0}, .out = {0.02f, 0}, __VA_ARGS__)
    {UNARY(LOGISTIC, .out = {1.0f / 256, -128}), NULL},
    {UNARY(LOGISTIC, .in_type = U8, .out_type = U8, .out = {1.0f / 256, 0}), NULL},
    {UNARY(TANH), NULL},
    {UNARY(HARD_SWISH), NULL},
    {UNARY(RELU), NULL},
    {UNARY_INT16(RELU), NULL},
    {UNARY_INT16(RELU6), NULL},
    {UNARY(RELU_N1_TO_1), NULL},
    {UNARY(RELU_0_TO_1), NULL},
    {UNARY(LEAKY_RELU, .alpha = 0.1f), NULL},
    {UNARY(LEAKY_RELU, .alpha = 3), NULL},
    {UNARY_INT16(LEAKY_RELU, .alpha = 0), NULL},
    {UNARY(GELU), NULL},
    {UNARY(GELU_TANH), NULL},
    {UNARY(EXP), NULL},
    {UNARY(LOG), NULL},
    {UNARY(ELU), NULL},
    {UNARY(ABS), NULL},
    {UNARY_INT16(ABS), NULL},
    {UNARY(RSQRT, .in = {0.05f, -128}), NULL},

    {UNARY(HARD_SWISH, .in_type = F32, .out_type = F32, .in = {NAN, 9}), NULL},  // quantization means nothing
    {UNARY(LEAKY_RELU, .in_type = F32, .out_type = F32, .alpha = -2), NULL},
    {UNARY(ABS, .in_type = F32), "input and output types differ"},
    {UNARY(HARD_SWISH, .in_type = F32, .out_type = F32, .n = 0), "empty tensor"},
    {UNARY(RSQRT, .in_type = F32, .out_type = F32), NULL},
    {UNARY(SQRT, .in_type = F32, .out_type = F32), NULL},
    {UNARY(SQUARE, .in_type = F32, .out_type = F32), NULL},
    {UNARY(NEG, .in_type = F32, .out_type = F32), NULL},
    {UNARY(RELU_N1_TO_1, .in_type = F32, .out_type = F32), NULL},
    {UNARY(RELU_0_TO_1, .in_type = F32, .out_type = F32), NULL},
    {UNARY(NEG, .in_type = F32, .out_type = F32, .n = (size_t)INT32_MAX + 1), "tensor has more than 2^31 - 1 elements"},
    {UNARY(RELU, .in_type = F32, .out_type = F32, .floats = TVMQ_HYBRID_SSE), NULL},
    {UNARY(RELU, .in_type = F32, .out_type = F32, .floats = TVMQ_HYBRID_PORTABLE), NULL},
    {UNARY(RELU, .in_type = F32, .out_type = F32, .floats = TVMQ_HYBRID_NEON), "float32: the result for -0.0 depends on the runtime's version and processor"},
    {UNARY(RELU6, .in_type = F32, .out_type = F32, .floats = TVMQ_HYBRID_SSE), "float32: the result for -0.0 depends on the runtime's version and processor"},
    {UNARY(RELU, .in_type = F32, .out_type = F32), "float32: the result for -0.0 depends on the runtime's version and processor"},
    {UNARY(RELU6, .in_type = F32, .out_type = F32), "float32: the result for -0.0 depends on the runtime's version and processor"},
    {UNARY(LOGISTIC, .in_type = F32, .out_type = F32), NULL},
    {UNARY(TANH, .in_type = F32, .out_type = F32, .in = {NAN, 9}), NULL},
    {UNARY(EXP, .in_type = F32, .out_type = F32), NULL},
    {UNARY(LOG, .in_type = F32, .out_type = F32), NULL},
    {UNARY(ELU, .in_type = F32, .out_type = F32), NULL},
    {UNARY(EXP, .in_type = F32, .out_type = S8), "input and output types differ"},
    {UNARY(LOGISTIC, .in_type = F32, .out_type = F32, .n = 0), "empty tensor"},
    {UNARY(GELU_TANH, .in_type = F32, .out_type = F32), "float32: the runtime's approximation is unknown: see the option float32"},
    {UNARY(GELU, .in_type = F32, .out_type = F32), "float32: the runtime's approximation is unknown: see the option float32"},
    {UNARY(GELU, .in_type = F32, .out_type = F32, .float32 = TVMQ_FLOAT32_LIBRARY), ON_ARM(OF_OTHERS, NULL)},
    {UNARY(GELU_TANH, .in_type = F32, .out_type = F32, .float32 = TVMQ_FLOAT32_PACKETS), ON_ARM(OF_OTHERS, NULL)},
    {UNARY(GELU, .in_type = F32, .out_type = F32, .float32 = TVMQ_FLOAT32_FUSED), ON_ARM(NULL, OF_OTHERS)},
    {UNARY(RELU, .in_type = S32), "activations are not int8, uint8 or int16"},
    {UNARY(RELU, .out_type = U8), "input and output types differ"},
    {UNARY(RELU, .n = 0), "empty tensor"},
    {UNARY(RELU, .n = (size_t)INT32_MAX + 1), "tensor has more than 2^31 - 1 elements"},
    {UNARY(RELU, .in.scale = 0), "input scale is not positive and finite"},
    {UNARY(RELU, .in.zero_point = 128), "input zero point is out of range for its type"},
    {UNARY(RELU, .out.scale = INFINITY), "output scale is not positive and finite"},
    {UNARY(RELU, .out.zero_point = -129), "output zero point is out of range for its type"},
    {UNARY_INT16(RELU, .in.zero_point = 1), "int16 with a zero point other than 0"},
    {UNARY_INT16(LOGISTIC, .out.scale = 1.0f / 32768), NULL},
    {UNARY_INT16(TANH, .in.scale = 0x1p-11f, .out.scale = 1.0f / 32768), NULL},
    {UNARY_INT16(LOGISTIC, .out.scale = 1.0f / 256), "output scale is not 1/32768"},
    {UNARY_INT16(TANH), "output scale is not 1/32768"},
    {UNARY_INT16(TANH, .in.scale = 5.4f, .out.scale = 1.0f / 32768), "input scale is too large"},
    {UNARY_INT16(TANH, .in.scale = 3.7e-14f, .out.scale = 1.0f / 32768), "input scale is too small"},
    {UNARY_INT16(TANH, .in.scale = 4.2e-14f, .out.scale = 1.0f / 32768), NULL},
    {UNARY_INT16(TANH, .in.scale = 0x1p-11f * 1.000695f, .out.scale = 1.0f / 32768), "input scale is nearly a power of two"},
    {UNARY_INT16(HARD_SWISH), "the reference has no kernel for this type"},
    {UNARY_INT16(RELU_N1_TO_1), "the reference has no kernel for this type"},
    {UNARY_INT16(GELU, .floats = TVMQ_HYBRID_SSE), NULL},
    {UNARY_INT16(GELU_TANH, .floats = TVMQ_HYBRID_PORTABLE), "the reference has no kernel for this type"},
    {UNARY_INT16(GELU, .floats = TVMQ_HYBRID_UNKNOWN), "some of the runtimes have no kernel for this type"},
    {UNARY_INT16(EXP, .in.scale = 1e-4f, .floats = TVMQ_HYBRID_PORTABLE), NULL},
    {UNARY_INT16(EXP, .floats = TVMQ_HYBRID_SSE), "a result is infinite"},
    {UNARY_INT16(EXP, .in.scale = 1e-4f, .floats = TVMQ_HYBRID_UNKNOWN), "int16: the runtime's arithmetic is unknown: see the option hybrid"},
    {UNARY_INT16(LOG, .floats = TVMQ_HYBRID_SSE), NULL},
    {UNARY_INT16(LOG, .floats = TVMQ_HYBRID_UNKNOWN), "int16: the runtime's arithmetic is unknown: see the option hybrid"},
    {UNARY(LOG, .in_type = U8, .out_type = U8, .out.zero_point = 5), "the reference has no kernel for this type"},
    {UNARY_INT16(ELU, .floats = TVMQ_HYBRID_SSE), "the reference has no kernel for this type"},
    {UNARY(ELU, .in_type = U8, .out_type = U8, .out.zero_point = 5), "the reference has no kernel for this type"},
    {UNARY_INT16(RSQRT, .floats = TVMQ_HYBRID_SSE), NULL},
    {UNARY(EXP, .in_type = U8, .out_type = U8, .out.zero_point = 5), "the reference has no exact kernel for this type"},
    {UNARY(ABS, .in_type = U8, .out_type = U8, .out.zero_point = 5), "the reference has no kernel for this type"},
    {UNARY(RSQRT), "input zero point is not -128: the reference fails on negative elements"},
    {UNARY(RSQRT, .in_type = U8, .out_type = U8, .in = {0.05f, 0}, .out.zero_point = 5), "the reference has no kernel for this type"},
    {UNARY(SQRT), "some of the runtimes have no kernel for this type"},
    {UNARY_INT16(SQRT), "some of the runtimes have no kernel for this type"},
    {UNARY(SQUARE), "the reference has no kernel for this type"},
    {UNARY(NEG, .in_type = U8, .out_type = U8, .out.zero_point = 5), "some of the runtimes have no kernel for this type"},
    {UNARY(RSQRT, .in = {1e-12f, -128}, .out.scale = 1e-4f), "scales are out of RSQRT's range"},
    {UNARY(RSQRT, .in = {1e12f, -128}, .out.scale = 1), "scales are out of RSQRT's range"},
    {UNARY(LOGISTIC), "output scale is not 1/256"},
    {UNARY(LEAKY_RELU, .alpha = -0.1f), "alpha is negative"},
    {UNARY(LEAKY_RELU, .alpha = NAN), "alpha is negative"},
    {UNARY(LEAKY_RELU, .alpha = INFINITY), "input scale / output scale is too large"},
    {UNARY(RELU, .in.scale = 0x1p30f, .out.scale = 1), "input scale / output scale is too large"},
    {UNARY(RELU6, .in.scale = 1e-9f, .out.scale = 1e-9f), "output scale is too small for the bounds of the function"},
    {UNARY(HARD_SWISH, .in.scale = 10, .out.scale = 0.01f), "input scale / output scale is too large"},
    {UNARY(HARD_SWISH, .in.scale = 0x1p-25f), "scales are out of HARD_SWISH's range"},
    {UNARY(HARD_SWISH, .in.scale = 0x1p127f, .out.scale = 0x1p127f), "scales are out of HARD_SWISH's range"},
    {UNARY(EXP, .in.scale = 1), "a result exceeds int32, or depends on how the runtime was compiled"},
};

static const struct {
  struct tvmq_dequantize_desc desc;
  const char *reason;
} dequantize_cases[] = {
#define DEQUANTIZE(...) {.in_type = S8, .out_type = F32, .in = {0.5f, 3}, .n = 100, __VA_ARGS__}
    {DEQUANTIZE(), NULL},
    {DEQUANTIZE(.in_type = U8), NULL},
    {DEQUANTIZE(.in_type = S16, .in.zero_point = 0), NULL},
    {DEQUANTIZE(.in_type = S16), "int16 with a zero point other than 0"},
    {DEQUANTIZE(.constant = true), "the input is constant: the runtime computes it once"},
    {DEQUANTIZE(.in_type = S32), "conversion between these types is not supported"},
    {DEQUANTIZE(.out_type = S8), "conversion between these types is not supported"},
    {DEQUANTIZE(.n = 0), "empty tensor"},
    {DEQUANTIZE(.in.scale = 0), "input scale is not positive and finite"},
    {DEQUANTIZE(.in.zero_point = 128), "input zero point is out of range for its type"},
};

static const struct {
  struct tvmq_cast_desc desc;
  const char *reason;
} cast_cases[] = {
    {{S8, S32, 1}, NULL},
    {{U8, F32, 1}, NULL},
    {{S64, S8, 1}, NULL},
    {{S16, S16, 1}, NULL},
    {{F32, S8, 1}, "float32 to integer: out-of-range values differ between runtimes"},
    {{S4, S8, 1}, "conversion between these types is not supported"},
    {{S8, OTHER_TYPE, 1}, "conversion between these types is not supported"},
    {{S8, S32, 0}, "empty tensor"},
};

static const struct {
  struct tvmq_condition_desc desc;
  const char *reason;
} condition_cases[] = {
#define CONDITION(NAME, ...) {.condition = TVMQ_CONDITION_##NAME, .type = S8, .in = {{0.5f, 3}, {0.25f, -128}}, .n = 100, __VA_ARGS__}
    {CONDITION(EQUAL), NULL},
    {CONDITION(GREATER, .type = U8, .in = {{0.5f, 3}, {0.25f, 255}}, .rank = 4), NULL},
    {CONDITION(LESS, .type = F32, .in = {{0, 0}, {NAN, 9}}), NULL},  // quantization means nothing
    {CONDITION(LESS_EQUAL, .type = S32), NULL},
    {CONDITION(GREATER_EQUAL, .type = S64), NULL},
    {CONDITION(NOT_EQUAL, .type = BOOL), NULL},
    {CONDITION(GREATER, .type = BOOL), "comparisons are supported for int8, uint8, int32, int64 and float32 only"},
    {CONDITION(EQUAL, .type = S16), "comparisons are supported for int8, uint8, int32, int64 and float32 only"},
    {CONDITION(EQUAL, .rank = 5), "some of the runtimes do not broadcast tensors of this rank"},
    {CONDITION(EQUAL, .n = 0), "empty tensor"},
    {CONDITION(EQUAL, .in[0].scale = 0), "input scale is not positive and finite"},
    {CONDITION(EQUAL, .in[1].zero_point = -129), "input zero point is out of range for its type"},
    {CONDITION(EQUAL, .in[1].scale = 1), "an input scale is not below 1"},
    {CONDITION(EQUAL, .in[1].scale = 0x1.fffffep-1f), NULL},
    {CONDITION(AND, .type = BOOL), NULL},
    {CONDITION(OR), "the inputs are not bool"},
    {CONDITION(NOT, .type = F32), "the inputs are not bool"},
    {CONDITION(SELECT, .rank = 5), NULL},
    {CONDITION(SELECT, .type = BOOL), NULL},
    {CONDITION(SELECT, .type = S64), NULL},
    {CONDITION(SELECT, .rank = 6), "some of the runtimes do not broadcast tensors of this rank"},
    {CONDITION(SELECT, .type = S4), "activations are not int8, uint8 or int16"},
};

int main(void) {
  CHECK_CLAIMS(tvmq_claim_cast, cast_cases);
  CHECK_CLAIMS(tvmq_claim_binary, add_cases);
  CHECK_CLAIMS(tvmq_claim_binary, binary_cases);
  CHECK_CLAIMS(tvmq_claim_condition, condition_cases);
  CHECK_CLAIMS(tvmq_claim_unary, unary_cases);
  CHECK_CLAIMS(tvmq_claim_dequantize, dequantize_cases);
  return unit_report();
}
