// Every reason for which a node is refused, and what must not be refused.
#include <math.h>

#include "claims.h"

#define SAME TVMQ_PADDING_SAME
#define VALID TVMQ_PADDING_VALID
#define MAX INT32_MAX

static const int8_t filter[1];
static const int32_t bias[8];
static const int64_t bias64[8], huge_bias64[8] = {0, 0, 0, 0, 0, 0, 0, INT64_C(1) << 47}, least_bias64[8] = {INT64_MIN};
static const float scales[8] = {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f};
static const int8_t plain_weights[8 * 9 * 4], least_weights[8 * 9 * 4] = {[5] = INT8_MIN};
static const float alike[8] = {0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f};
static const float zero_scale[8] = {0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0};
static const float negative_scale[8] = {-0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f};
static const float nan_scale[8] = {0.1f, 0.1f, 0.1f, NAN, 0.1f, 0.1f, 0.1f, 0.1f};
static const float infinite_scale[8] = {0.1f, INFINITY, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f};
static const float large_scale[8] = {1e9f, 1e9f, 1e9f, 1e9f, 1e9f, 1e9f, 1e9f, 2e9f};  // 2^30 = 1.07e9
static const float float_max[1] = {3e38f}, wide_limit[1] = {16383}, wide_excess[1] = {16384}, narrow_limit[1] = {1e9f};

// clang-format off
// 9 x 9 x 4 -> 9 x 9 x 8, filter 3 x 3, int8 per channel
#define CONV(...) {.in_type = S8, .filter_type = S8, .out_type = S8, .bias_type = S32, .batch = 1, .in_h = 9, .in_w = 9, .in_c = 4, .out_h = 9, .out_w = 9, \
  .out_c = 8, .filter_h = 3, .filter_w = 3, .filter_c = 4, .stride_h = 1, .stride_w = 1, .dilation_h = 1, .dilation_w = 1, .depth_multiplier = 1, \
  .padding = SAME, .activation = TVMQ_ACTIVATION_NONE, .in = {0.5f, 3}, .out = {0.25f, -4}, .filter_scales = scales, .n_filter_scales = 8, .filter = filter, \
  .bias = bias, __VA_ARGS__}
#define DEPTHWISE(...) CONV(.depthwise = true, .in_c = 4, .filter_c = 1, .depth_multiplier = 2, __VA_ARGS__)
#define FULLY_CONNECTED(...) CONV(.fully_connected = true, .scaling = TVMQ_SCALING_FIXED_POINT, .in_h = 1, .out_h = 1, .filter_h = 1, .filter_w = 1, \
  __VA_ARGS__)
#define UINT8 .in_type = U8, .filter_type = U8, .out_type = U8, .in = {0.5f, 130}, .out = {0.25f, 120}, .filter_zero_point = 131, .n_filter_scales = 1
#define HYBRID .in_type = F32, .out_type = F32, .bias_type = F32, .hybrid = TVMQ_HYBRID_NEON, .filter = plain_weights
#define INT16 .in_type = S16, .out_type = S16, .in = {0.5f, 0}, .out = {0.25f, 0}, .bias_type = S64, .bias = bias64
// clang-format on

static const struct {
  struct tvmq_conv_desc desc;
  const char *reason;
} conv_cases[] = {
    // taken
    {CONV(), NULL},
    {CONV(.n_filter_scales = 1), NULL},
    {CONV(.bias = NULL), NULL},
    {CONV(.bias = NULL, .bias_type = OTHER_TYPE), NULL},
    {CONV(UINT8), NULL},
    {CONV(UINT8, .filter_zero_point = 0), NULL},
    {CONV(UINT8, .filter_zero_point = 255, .in = {0.5f, 255}, .out = {0.25f, 0}), NULL},
    {CONV(INT16), NULL},
    {CONV(INT16, .bias_type = S32, .bias = bias), NULL},
    {CONV(INT16, .n_filter_scales = 1), NULL},
    {CONV(.in = {0.5f, -128}, .out = {0.25f, 127}), NULL},
    {CONV(.in_c = 8), NULL},                 // 2 groups
    {CONV(.in_c = 8, .filter_c = 1), NULL},  // 8 groups of one channel
    {CONV(.batch = 7), NULL},
    {CONV(.padding = VALID, .out_h = 7, .out_w = 7), NULL},
    {CONV(.stride_h = 2, .stride_w = 5, .out_h = 5, .out_w = 2), NULL},  // negative SAME padding in width
    {CONV(.dilation_h = 4, .dilation_w = 30), NULL},
    {CONV(.stride_h = 32767, .stride_w = 32767, .out_h = 1, .out_w = 1), NULL},
    {CONV(.activation = TVMQ_ACTIVATION_RELU), NULL},
    {CONV(.activation = TVMQ_ACTIVATION_RELU6), NULL},
    {CONV(.activation = TVMQ_ACTIVATION_RELU_N1_TO_1), NULL},
    {CONV(.filter_scales = narrow_limit, .n_filter_scales = 1, .in.scale = 1, .out.scale = 1), NULL},       // left shift by 30
    {CONV(.in.scale = 1e-20f, .out.scale = 1e20f), NULL},                                                   // every output is the zero point
    {CONV(INT16, .filter_scales = wide_limit, .n_filter_scales = 1, .in.scale = 1, .out.scale = 1), NULL},  // left shift by 14
    {DEPTHWISE(), NULL},
    {DEPTHWISE(.bias = NULL), NULL},
    {DEPTHWISE(.in_c = 8, .depth_multiplier = 1), NULL},
    {DEPTHWISE(.in_c = 1, .depth_multiplier = 8), NULL},
    {DEPTHWISE(UINT8), NULL},
    {DEPTHWISE(UINT8, .bias = NULL), NULL},
    {DEPTHWISE(INT16), NULL},
    {DEPTHWISE(INT16, .bias = NULL), NULL},

    {FULLY_CONNECTED(), NULL},
    {FULLY_CONNECTED(.bias = NULL, .n_filter_scales = 1), NULL},
    {FULLY_CONNECTED(UINT8), NULL},
    {FULLY_CONNECTED(INT16, .bias = NULL), NULL},
    {FULLY_CONNECTED(INT16), NULL},
    {FULLY_CONNECTED(.scaling = TVMQ_SCALING_FLOAT64), NULL},
    {FULLY_CONNECTED(UINT8, .scaling = TVMQ_SCALING_FLOAT64), NULL},

    {FULLY_CONNECTED(.scaling = TVMQ_SCALING_UNKNOWN), "unknown scaling: set the option fully_connected to float64 (LiteRT) or fixed_point (tflite-runtime)"},
    {FULLY_CONNECTED(INT16, .scaling = TVMQ_SCALING_FLOAT64), NULL},
    {FULLY_CONNECTED(INT16, .scaling = TVMQ_SCALING_FLOAT64, .bias_type = S32), "the reference takes an int32 bias of 16x8 for int64"},
    {FULLY_CONNECTED(INT16, .scaling = TVMQ_SCALING_FLOAT64, .out.scale = 1e-9f), "input scale x weight scale / output scale is too large"},
    {FULLY_CONNECTED(.scaling = TVMQ_SCALING_FLOAT64, .out.scale = 1e-9f), "no fixed-point multiplier reproduces the reference's float64 scaling"},
    {FULLY_CONNECTED(.scaling = TVMQ_SCALING_FLOAT64, .out.scale = 1e-30f, .activation = TVMQ_ACTIVATION_RELU6),
     "output scale is too small for the bounds of the fused activation"},
    {FULLY_CONNECTED(.filter_scales = float_max, .n_filter_scales = 1, .in = {2, 0}, .out = {3e38f, 0}), "input scale x weight scale overflows float32"},

    // types
    {CONV(.in_type = F32, .filter_type = F32, .out_type = F32), "float32: not quantized"},
    {DEPTHWISE(.in_type = F32, .filter_type = F32, .out_type = F32), "float32: not quantized"},
    {CONV(HYBRID), NULL},
    {CONV(HYBRID, .hybrid = TVMQ_HYBRID_UNKNOWN), "hybrid: the runtime's arithmetic is unknown: see the option hybrid"},
    {CONV(HYBRID, .out_type = S8), "hybrid: the output is not float32"},
    {CONV(HYBRID, .bias_type = S32), "hybrid: bias is not float32"},
    {CONV(HYBRID, .bias = NULL), "hybrid: convolution without bias is not supported"},
    {CONV(HYBRID, .filter_type = U8), "hybrid: weights are not int8"},
    {CONV(HYBRID, .filter_type = S4), "hybrid: weights are not int8"},
    {CONV(HYBRID, .filter = NULL), "weights are not constant"},
    {CONV(HYBRID, .in_c = 32, .filter_c = 16), "hybrid: grouped convolution is not supported"},
    {CONV(HYBRID, .border = {.top = 2}, .out_h = 11), NULL},
    {CONV(HYBRID, .border = {.top = 60000}, .stride_h = 30000, .out_h = 3), NULL},  // a PAD's output would be as large
    {CONV(HYBRID, .border = {.top = 2}, .dilation_h = 300, .dilation_w = 300, .out_h = 11), "hybrid: padding is much larger than the input"},
    {CONV(HYBRID, .filter = least_weights), "hybrid: a weight is -128"},
    {CONV(HYBRID, .dilation_h = 200, .dilation_w = 200), NULL},
    {CONV(HYBRID, .dilation_h = 300, .dilation_w = 300), "hybrid: padding is much larger than the input"},
    {DEPTHWISE(HYBRID, .dilation_h = 32767, .dilation_w = 32767), "hybrid: padding is much larger than the input"},
    {CONV(HYBRID, .filter_scales = alike), NULL},
    {FULLY_CONNECTED(HYBRID, .dot_products = true), NULL},
    {FULLY_CONNECTED(HYBRID, .dot_products = true, .in_c = 16, .filter_c = 16, .out_c = 7, .n_filter_scales = 1), NULL},
    {FULLY_CONNECTED(HYBRID, .dot_products = true, .in_c = 16, .filter_c = 16, .n_filter_scales = 1),
     "hybrid: with dot products, the runtime's rounding depends on the number of rows"},
    {FULLY_CONNECTED(HYBRID, .in_c = 16, .filter_c = 16, .n_filter_scales = 1), NULL},
    {CONV(HYBRID, .hybrid = TVMQ_HYBRID_PORTABLE), NULL},
    {CONV(HYBRID, .hybrid = TVMQ_HYBRID_PORTABLE, .filter_scales = alike), "hybrid: the runtime's kernels ignore these per-channel scales"},
    {CONV(HYBRID, .hybrid = TVMQ_HYBRID_PORTABLE, .filter_scales = alike, .n_filter_scales = 1), NULL},
    {FULLY_CONNECTED(HYBRID, .filter_h = 2), "hybrid: FULLY_CONNECTED of images is not supported"},
    {FULLY_CONNECTED(HYBRID, .hybrid = TVMQ_HYBRID_PORTABLE), "hybrid: the runtime's kernels ignore these per-channel scales"},
    {DEPTHWISE(HYBRID), NULL},
    {DEPTHWISE(HYBRID, .bias = NULL), NULL},
    {DEPTHWISE(HYBRID, .n_filter_scales = 1), "hybrid: DEPTHWISE_CONV_2D needs per-channel scales"},
    {FULLY_CONNECTED(HYBRID, .n_filter_scales = 1), NULL},
    {CONV(.filter_type = S4), "int4 weights are not supported"},
    {CONV(INT16, .filter_type = S4), "int4 weights are not supported"},
    {DEPTHWISE(.filter_type = S4), "int4 weights are not supported"},
    {CONV(.out_type = U8), "input and output types differ"},
    {CONV(.out_type = S16), "input and output types differ"},
    {CONV(.filter_type = U8), "weights are not int8"},
    {CONV(.filter_type = F32), "weights are not int8"},
    {CONV(INT16, .filter_type = S16), "weights are not int8"},
    {CONV(UINT8, .filter_type = S8), "weights are not uint8"},
    {CONV(.in_type = S32, .out_type = S32), "activations are not int8, uint8 or int16"},
    {CONV(.in_type = OTHER_TYPE, .out_type = OTHER_TYPE), "activations are not int8, uint8 or int16"},

    // constants
    {CONV(.filter = NULL), "weights are not constant"},
    {CONV(.bias = NULL, .dynamic_bias = true), "bias is not constant"},
    {CONV(.bias_type = S64, .bias = bias64), "bias is not int32"},
    {CONV(.bias_type = F32), "bias is not int32"},
    {CONV(UINT8, .bias_type = S64, .bias = bias64), "bias is not int32"},
    {CONV(INT16, .bias_type = S16), "bias is neither int32 nor int64"},
    {CONV(INT16, .bias = NULL), "16x8 convolution without bias is not supported"},
    {DEPTHWISE(INT16, .bias_type = S32, .bias = bias), "bias of a 16x8 depthwise convolution is not int64"},

    {CONV(.activation = TVMQ_ACTIVATION_OTHER), "fused_activation_function is not NONE, RELU, RELU6 or RELU_N1_TO_1"},
    {CONV(.activation = 77), "fused_activation_function is not NONE, RELU, RELU6 or RELU_N1_TO_1"},

    // channels
    {CONV(.batch = 0), "batch is not positive"},
    {CONV(.batch = -1), "batch is not positive"},
    {CONV(.in_c = 0), "number of channels is not positive"},
    {CONV(.out_c = -8), "number of channels is not positive"},
    {CONV(.filter_c = 0), "weights have no input channels"},
    {CONV(.filter_c = -4), "weights have no input channels"},
    {CONV(.in_c = 6), "input channels are not a multiple of the weights' input channels"},
    {CONV(.in_c = 2), "input channels are not a multiple of the weights' input channels"},
    {CONV(.in_c = 12), "output channels are not a multiple of the number of groups"},
    {CONV(.in_c = 64), "output channels are not a multiple of the number of groups"},
    {DEPTHWISE(.depth_multiplier = 0), "depth_multiplier is not positive"},
    {DEPTHWISE(.depth_multiplier = -2), "depth_multiplier is not positive"},
    {DEPTHWISE(.filter_c = 4), "the depthwise filter does not have exactly one input channel"},
    {DEPTHWISE(.depth_multiplier = 1), "output channels are not input channels x depth_multiplier"},
    {DEPTHWISE(.in_c = 1 << 20, .depth_multiplier = 1 << 20, .out_c = 0x100), "output channels are not input channels x depth_multiplier"},

    // border
    {CONV(.border = {.top = 1, .bottom = 2, .left = 3}, .out_h = 12, .out_w = 12), NULL},
    {CONV(.border = {.top = 40000}, .out_h = 40009), NULL},  // not TFLite's to keep in int16
    {CONV(.border = {.left = -1}), "the border is negative"},
    {CONV(.border = {.top = 1}), "height or width of the output tensor does not match the convolution"},
    {CONV(.border = {.right = 1 << 29}, .out_w = 9 + (1 << 29)), "input has more than 2^31 - 1 elements"},

    // geometry
    {CONV(.in_h = 0), "input height or width is not positive"},
    {CONV(.filter_w = 0), "filter height or width is not positive"},
    {CONV(.stride_h = 0), "stride is not positive"},
    {CONV(.stride_w = -1), "stride is not positive"},
    {DEPTHWISE(.stride_w = 0), "stride is not positive"},
    {CONV(.dilation_h = 0), "dilation is not positive"},
    {CONV(.dilation_w = -3), "dilation is not positive"},
    {CONV(.dilation_w = MAX), "dilated filter is larger than 2^31 - 1"},
    {CONV(.stride_w = MAX), "stride is too large: input size + stride exceeds 2^31 - 1"},
    {CONV(.in_h = MAX - 1), "padded input is larger than 2^31 - 1"},
    {CONV(.padding = VALID, .dilation_h = 5), "VALID padding and a dilated filter larger than the input: no output"},
    {CONV(.padding = 2), "padding is neither SAME nor VALID"},
    {CONV(.out_h = 8), "height or width of the output tensor does not match the convolution"},
    {CONV(.out_w = 10), "height or width of the output tensor does not match the convolution"},
    {CONV(.padding = VALID), "height or width of the output tensor does not match the convolution"},
    {CONV(.stride_h = 32768, .out_h = 1), "stride, dilation, padding or depth_multiplier exceeds 32767"},
    {CONV(.filter_w = 1, .dilation_w = 32768), "stride, dilation, padding or depth_multiplier exceeds 32767"},
    {CONV(.filter_h = 65537), "stride, dilation, padding or depth_multiplier exceeds 32767"},
    {DEPTHWISE(.in_c = 1, .depth_multiplier = 32768, .out_c = 32768), "stride, dilation, padding or depth_multiplier exceeds 32767"},

    // sizes
    {CONV(.batch = 1 << 20, .in_c = 1 << 10, .filter_c = 1 << 10), "input has more than 2^31 - 1 elements"},
    {CONV(.batch = 1 << 12, .out_c = 1 << 20), "output has more than 2^31 - 1 elements"},
    {CONV(.in_c = 1 << 16, .filter_c = 1 << 16, .out_c = 1 << 12), "weights have more than 2^31 - 1 elements"},
    {CONV(.filter_h = 60001, .filter_w = 60001), "weights have more than 2^31 - 1 elements"},

    // quantization
    {CONV(.in.scale = 0), "input scale is not positive and finite"},
    {CONV(.in.scale = -1), "input scale is not positive and finite"},
    {CONV(.in.scale = NAN), "input scale is not positive and finite"},
    {CONV(.out.scale = INFINITY), "output scale is not positive and finite"},
    {CONV(.out.scale = 0), "output scale is not positive and finite"},
    {CONV(.in = {0.5f, -129}), "input zero point is out of range for its type"},
    {CONV(.in = {0.5f, 128}), "input zero point is out of range for its type"},
    {CONV(UINT8, .in = {0.5f, -1}), "input zero point is out of range for its type"},
    {CONV(UINT8, .out = {0.5f, 256}), "output zero point is out of range for its type"},
    {CONV(.out = {0.5f, INT32_MIN}), "output zero point is out of range for its type"},
    {CONV(INT16, .in = {0.5f, 1}), "int16 with a zero point other than 0"},
    {CONV(INT16, .out = {0.5f, -1}), "int16 with a zero point other than 0"},
    {CONV(UINT8, .filter_zero_point = 256), "zero point of the weights is out of range for their type"},
    {CONV(.filter_zero_point = 1), "int8 weights with a zero point other than 0"},
    {DEPTHWISE(.filter_zero_point = -1), "int8 weights with a zero point other than 0"},
    {DEPTHWISE(INT16, .filter_zero_point = 1), "int8 weights with a zero point other than 0"},
    {CONV(.filter_scales = NULL), "weights have no scale"},
    {CONV(.n_filter_scales = 0), "weights have no scale"},
    {CONV(.n_filter_scales = 4), "number of weight scales is neither 1 nor the number of output channels"},
    {CONV(UINT8, .n_filter_scales = 8), "uint8 weights with per-channel scales are not supported"},
    {CONV(.filter_scales = zero_scale), "a weight scale is not positive and finite"},
    {CONV(.filter_scales = negative_scale), "a weight scale is not positive and finite"},
    {CONV(.filter_scales = nan_scale), "a weight scale is not positive and finite"},
    {CONV(.filter_scales = infinite_scale), "a weight scale is not positive and finite"},
    {CONV(.in.scale = 1, .out.scale = 1, .filter_scales = large_scale), "input scale x weight scale / output scale is too large"},
    {CONV(INT16, .filter_scales = wide_excess, .n_filter_scales = 1, .in.scale = 1, .out.scale = 1), "input scale x weight scale / output scale is too large"},
    {CONV(UINT8, .filter_scales = float_max, .in = {2, 0}, .out = {3e38f, 0}), "input scale x weight scale overflows float32"},
    {CONV(INT16, .bias = huge_bias64), "16x8 accumulator may exceed 48 bits"},
    {CONV(INT16, .bias = least_bias64), "16x8 accumulator may exceed 48 bits"},
    {CONV(INT16, .filter_h = 4001, .filter_w = 4001, .filter_c = 4), "16x8 accumulator may exceed 48 bits"},
    {CONV(.activation = TVMQ_ACTIVATION_RELU6, .out.scale = 1e-9f), "output scale is too small for the bounds of the fused activation"},
    {CONV(.activation = TVMQ_ACTIVATION_RELU_N1_TO_1, .out.scale = 1e-10f, .in.scale = 1e-10f),
     "output scale is too small for the bounds of the fused activation"},
};

static const struct {
  struct tvmq_quantize_desc desc;
  const char *reason;
} quantize_cases[] = {
#define REQUANTIZE(...) {.in_type = S8, .out_type = S8, .in = {0.5f, 3}, .out = {0.25f, -4}, .n = 100, __VA_ARGS__}
    {REQUANTIZE(), NULL},
    {REQUANTIZE(.in = {0.5f, -128}, .out = {0.5f, 127}), NULL},
    {REQUANTIZE(.in_type = F32, .in = {0, 999}), NULL},  // no quantization to look at
    {REQUANTIZE(.in_type = F32, .reciprocal = true), NULL},
    {REQUANTIZE(.in_type = F32, .out.scale = 1e-39f), NULL},
    {REQUANTIZE(.in_type = F32, .out.scale = 1e38f), NULL},
    {REQUANTIZE(.n = INT32_MAX), NULL},
    {REQUANTIZE(.in = {1e9f, 0}, .out = {1, 0}), NULL},

    {REQUANTIZE(.n = 0), "empty tensor"},
    {REQUANTIZE(.n = (size_t)INT32_MAX + 1), "tensor has more than 2^31 - 1 elements"},
    {REQUANTIZE(.out.scale = 0), "output scale is not positive and finite"},
    {REQUANTIZE(.in_type = F32, .out.scale = NAN), "output scale is not positive and finite"},
    {REQUANTIZE(.out.zero_point = 128), "output zero point is out of range for its type"},
    {REQUANTIZE(.in_type = F32, .out_type = U8), "output zero point is out of range for its type"},
    {REQUANTIZE(.in.scale = -1), "input scale is not positive and finite"},
    {REQUANTIZE(.in.scale = INFINITY), "input scale is not positive and finite"},
    {REQUANTIZE(.in_type = U8, .in.zero_point = -1), "input zero point is out of range for its type"},
    {REQUANTIZE(.in_type = S16, .out_type = S16, .out.zero_point = 0), "int16 to int16 with a zero point other than 0"},
    {REQUANTIZE(.in_type = S16, .out_type = S16, .in.zero_point = 0), "int16 to int16 with a zero point other than 0"},
    {REQUANTIZE(.in_type = F32, .reciprocal = true, .out.scale = 1e-39f),
     "output scale or its reciprocal is subnormal, and the runtime multiplies by the reciprocal"},
    {REQUANTIZE(.in_type = F32, .reciprocal = true, .out.scale = 1e38f),
     "output scale or its reciprocal is subnormal, and the runtime multiplies by the reciprocal"},
    {REQUANTIZE(.in = {1.1e9f, 0}, .out = {1, 0}), "input scale / output scale is too large"},
};

// Row: input type, column: output type.
static void check_pairs(void) {
  static const enum tvmq_type types[] = {F32, S8, U8, S16, S32, S4, S64, OTHER_TYPE};
  static const char *const taken[] = {
      ".xxx....",  // float32
      ".xxx....",  // int8
      ".xxx....",  // uint8
      ".x.xx...",  // int16
      ".x.x....",  // int32
      "........", "........", "........",
  };
  for (size_t in = 0; in < N_ELEMENTS(types); in++) {
    for (size_t out = 0; out < N_ELEMENTS(types); out++) {
      const struct tvmq_quantize_desc desc = {.in_type = types[in], .out_type = types[out], .in = {0.5f, 0}, .out = {0.25f, 0}, .n = 1};
      char name[32];
      snprintf(name, sizeof name, "pair %d, %d", types[in], types[out]);
      CHECK_STRING(tvmq_claim_quantize(&desc), taken[in][out] == 'x' ? NULL : "conversion between these types is not supported", name);
    }
  }
}

// Answers for multipliers in float64 are kept: other contents at the same addresses get answers of their own.
static void check_contents(void) {
  static const char inexact[] = "no fixed-point multiplier reproduces the reference's float64 scaling";
  int32_t own_bias[8] = {0};
  float own_scales[8];
  memcpy(own_scales, scales, sizeof own_scales);
  const struct tvmq_conv_desc conv = FULLY_CONNECTED(.scaling = TVMQ_SCALING_FLOAT64, .bias = own_bias, .filter_scales = own_scales);
  for (int round = 0; round < 3; round++) {
    CHECK_STRING(tvmq_claim_conv(&conv), NULL, "small biases");
    own_bias[7] = INT32_MAX;
    CHECK_STRING(tvmq_claim_conv(&conv), inexact, "a great bias");
    own_bias[7] = 0;
    own_scales[7] = 1e6f;
    CHECK_STRING(tvmq_claim_conv(&conv), inexact, "a great scale");
    own_scales[7] = scales[7];
  }
}

int main(void) {
  CHECK_CLAIMS(tvmq_claim_conv, conv_cases);
  check_contents();
  check_pairs();
  CHECK_CLAIMS(tvmq_claim_quantize, quantize_cases);
  return unit_report();
}
