#include <math.h>

#include "operators/quant_params.h"
#include "unit.h"

static const struct {
  double real;
  int32_t multiplier, shift;
} multipliers[] = {
    {0, 0, 0},
    {0.5, 1 << 30, 0},
    {1, 1 << 30, 1},
    {2, 1 << 30, 2},
    {0.25, 1 << 30, -1},
    {1.5, 1610612736, 1},
    {1.0 / 3, 1431655765, -1},
    {0.1, 1717986918, -3},
    {123456.789, 2022716031, 17},
    {0x1p-31, 1 << 30, -30},
    {0x1p-32, 1 << 30, -31},           // the last that is not flushed
    {0x1p-33, 0, 0},                   // all bits would be shifted out
    {0x1.fffffffep-33, 1 << 30, -31},  // rounds up into the range
    {0x1.fffffffcp-33, 0, 0},          // does not
    {0x1.fffffffcp-1, INT32_MAX, 0},   // 1 - 2^-31
    {0x1.fffffffep-1, 1 << 30, 1},     // 1 - 2^-32: half of the last place, rounds up to 2^31
    {0x1.fffffffdffffp-1, INT32_MAX, 0},
    {0x1.0000000200001p-1, (1 << 30) + 1, 0},  // half a place and a little
    {0x1.00000001fffffp-1, 1 << 30, 0},
    {0x1p29, 1 << 30, 30},
    {0x1.6a09e667f3bcdp29, 1518500250, 30},
    {0x1p30, 1 << 30, 31},  // claim_conv.c refuses what comes from here on
    {0x1p-1074, 0, 0},      // least denormal
    {0x1p-1022, 0, 0},
};

// The same from the bits of the double: mantissa rounded half up (it is positive) to 31 bits, exponent as stored.
static void model_multiplier(double real, int32_t *multiplier, int32_t *shift) {
  uint64_t bits;
  memcpy(&bits, &real, sizeof bits);
  int64_t mantissa = (int64_t)(bits & ((UINT64_C(1) << 52) - 1)) | INT64_C(1) << 52;
  int32_t exponent = (int32_t)(bits >> 52) - 1022;
  mantissa = (mantissa + (1 << 21)) >> 22;
  if (mantissa >> 31 != 0) {
    mantissa >>= 1;
    exponent++;
  }
  *multiplier = exponent < -31 ? 0 : (int32_t)mantissa;
  *shift = exponent < -31 ? 0 : exponent;
}

static void check_multipliers(void) {
  for (size_t i = 0; i < N_ELEMENTS(multipliers); i++) {
    int32_t multiplier = -1, shift = -1;
    tvmq_quantize_multiplier(multipliers[i].real, &multiplier, &shift);
    CHECK(multiplier == multipliers[i].multiplier && shift == multipliers[i].shift, "%a: got %d, %d, want %d, %d", multipliers[i].real, multiplier, shift,
          multipliers[i].multiplier, multipliers[i].shift);
  }
}

static void check_random_multipliers(void) {
  unsigned long long state = 1;
  size_t wrong = 0;
  const size_t n = 1000000;
  for (size_t i = 0; i < n; i++) {
    // Random mantissas, some with long runs of ones before the rounded bits, exponents around the used range.
    uint64_t mantissa = unit_random(&state) >> 12;
    if (i % 4 == 0) mantissa |= UINT64_C(0x7fffffff) << 21;
    const uint64_t bits = (1023 - 36 + unit_random(&state) % 68) << 52 | mantissa;
    double real;
    memcpy(&real, &bits, sizeof real);
    int32_t multiplier, shift, wanted_multiplier, wanted_shift;
    tvmq_quantize_multiplier(real, &multiplier, &shift);
    model_multiplier(real, &wanted_multiplier, &wanted_shift);
    wrong += multiplier != wanted_multiplier || shift != wanted_shift;
  }
  CHECK(wrong == 0, "%zu of %zu", wrong, n);
}

// Scales for which the product in float32 and the product in double give different multipliers.
static const struct {
  float in, filter, out;
  int32_t double_multiplier, float_multiplier, shift;
} products[] = {
    {0x1.84c6f4p-4f, 0x1.0516fep-5f, 0x1.5f835cp-5f, 1211180955, 1211180974, -3}, {0x1.53bb94p-4f, 0x1.540e48p-5f, 0x1.c5eab8p-5f, 2135015983, 2135015956, -4},
    {0x1.e8aebep-9f, 0x1.35a60ap-4f, 0x1.bca16ap-5f, 1427435857, 1427435867, -7}, {0x1.139b68p-5f, 0x1.43ce98p-4f, 0x1.fc2bbep-6f, 1473183037, 1473182978, -3},
    {0x1.77fb80p-5f, 0x1.d39a82p-7f, 0x1.4f1eaep-5f, 1100208771, 1100208802, -5}, {0x1.5a6444p-6f, 0x1.b9dc46p-6f, 0x1.345f34p-4f, 2081793653, 2081793758, -7},
};

static void check_products(void) {
  static const enum tvmq_type types[] = {TVMQ_TYPE_S8, TVMQ_TYPE_S16, TVMQ_TYPE_U8};
  for (size_t i = 0; i < N_ELEMENTS(products); i++) {
    const float scales[] = {1, products[i].filter, 2};
    struct tvmq_conv_desc desc = {.in.scale = products[i].in, .out.scale = products[i].out};
    for (size_t t = 0; t < N_ELEMENTS(types); t++) {
      desc.in_type = types[t];
      desc.filter_type = types[t] == TVMQ_TYPE_U8 ? TVMQ_TYPE_U8 : TVMQ_TYPE_S8;
      const int32_t wanted = types[t] == TVMQ_TYPE_U8 ? products[i].float_multiplier : products[i].double_multiplier;
      int32_t multiplier, shift;
      desc.filter_scales = &scales[1];
      desc.n_filter_scales = 1;
      tvmq_conv_multiplier(&desc, 2, &multiplier, &shift);  // one scale serves every channel
      CHECK(multiplier == wanted && shift == products[i].shift, "case %zu, type %d, one scale: %d, %d", i, types[t], multiplier, shift);
      if (types[t] == TVMQ_TYPE_U8) continue;
      desc.filter_scales = scales;
      desc.n_filter_scales = 3;
      tvmq_conv_multiplier(&desc, 1, &multiplier, &shift);
      CHECK(multiplier == wanted && shift == products[i].shift, "case %zu, type %d, per channel: %d, %d", i, types[t], multiplier, shift);
    }
  }
}

// A layer is nearest, whether its proof is new or remembered, only if each channel's factor is.
static void check_nearest(void) {
  enum { CHANNELS = 3, LAYERS = 2000 };
  unsigned long long state = 2;
  size_t n_nearest = 0, n_others = 0;
  for (size_t i = 0; i < LAYERS; i++) {
    float scales[CHANNELS];
    for (size_t c = 0; c < CHANNELS; c++) scales[c] = 0.001f * (float)(1 + unit_random(&state) % 999983) / 999983;
    const struct tvmq_conv_desc desc = {.fully_connected = true,
                                        .scaling = TVMQ_SCALING_FLOAT64,
                                        .in_type = TVMQ_TYPE_S8,
                                        .filter_type = TVMQ_TYPE_S8,
                                        .out_type = TVMQ_TYPE_S8,
                                        .filter_h = 1,
                                        .filter_w = 1,
                                        .filter_c = 40000,
                                        .out_c = CHANNELS,
                                        .in.scale = 0.02f,
                                        .out = {0.02f + 0.01f * (float)(i % 7), (int32_t)(i % 3)},
                                        .filter_scales = scales,
                                        .n_filter_scales = CHANNELS};
    bool each = true;
    for (int32_t c = 0; c < CHANNELS; c++) {
      struct tvmq_scale exact, near;
      tvmq_quantize_multiplier(tvmq_conv_scale(&desc, c), &near.multiplier, &near.shift);
      each &= tvmq_conv_multiplier(&desc, c, &exact.multiplier, &exact.shift) && exact.multiplier == near.multiplier && exact.shift == near.shift;
    }
    for (int again = 0; again < 2; again++) CHECK(tvmq_conv_nearest(&desc) == each, "layer %zu", i);
    n_nearest += each;
    n_others += !each;
  }
  CHECK(n_nearest > 0 && n_others > 0, "%zu layers are nearest, %zu are not", n_nearest, n_others);
}

#define S8 TVMQ_TYPE_S8
#define U8 TVMQ_TYPE_U8
#define S16 TVMQ_TYPE_S16
#define NONE TVMQ_ACTIVATION_NONE
#define RELU TVMQ_ACTIVATION_RELU
#define RELU6 TVMQ_ACTIVATION_RELU6
#define RELU1 TVMQ_ACTIVATION_RELU_N1_TO_1

static const struct {
  enum tvmq_activation activation;
  enum tvmq_type type;
  struct tvmq_quant out;
  int32_t min, max;
} ranges[] = {
    {NONE, S8, {0.1f, 3}, -128, 127},
    {NONE, U8, {0.1f, 3}, 0, 255},
    {NONE, S16, {0.1f, 0}, -32768, 32767},
    {RELU, S8, {0.1f, -128}, -128, 127},
    {RELU, S8, {0.1f, 5}, 5, 127},
    {RELU, U8, {0.1f, 0}, 0, 255},
    {RELU, U8, {0.1f, 255}, 255, 255},
    {RELU, S16, {0.1f, 0}, 0, 32767},
    {RELU6, S8, {6 / 255.0f, -128}, -128, 127},
    {RELU6, S8, {0.05f, -128}, -128, -8},  // 6 / 0.05 = 120
    {RELU6, S8, {1.0f, 0}, 0, 6},
    {RELU6, U8, {0.1f, 10}, 10, 70},
    {RELU6, U8, {0.001f, 10}, 10, 255},
    {RELU6, S16, {0.001f, 0}, 0, 6000},
    {RELU6, S8, {4.0f, 0}, 0, 2},   // 1.5 rounds away from zero
    {RELU6, S8, {2.4f, 0}, 0, 3},   // 2.5 in float32, less in double
    {RELU6, S8, {12.0f, 0}, 0, 1},  // 0.5
    {RELU6, S8, {13.0f, 0}, 0, 0},
    {RELU1, S8, {0.01f, 0}, -100, 100},
    {RELU1, S8, {0.01f, 100}, 0, 127},
    {RELU1, S8, {0.4f, 3}, 0, 6},  // -2.5 and 2.5 round away from zero
    {RELU1, U8, {0.4f, 1}, 0, 4},
    {RELU1, U8, {0.01f, 128}, 28, 228},
    {RELU1, S16, {0.00005f, 0}, -20000, 20000},
    {RELU1, S16, {0.00001f, 0}, -32768, 32767},
    {RELU1, S8, {2.0f, 0}, -1, 1},  // halves
};

static void check_ranges(void) {
  for (size_t i = 0; i < N_ELEMENTS(ranges); i++) {
    int32_t min = -1, max = -1;
    tvmq_activation_range(ranges[i].activation, ranges[i].type, ranges[i].out, &min, &max);
    CHECK(min == ranges[i].min && max == ranges[i].max, "case %zu: got %d..%d, want %d..%d", i, min, max, ranges[i].min, ranges[i].max);
  }
}

// Half the larger scale over itself is exact; the sum's multiplier takes the common scale back.
static void check_add(void) {
  const struct tvmq_binary_desc desc = {.type = TVMQ_TYPE_S8, .in = {{0.25f, 0}, {0.75f, 0}}, .out = {0.5f, 0}};
  struct tvmq_scale in[2], out;
  int32_t left_shift;
  tvmq_add_scales(&desc, &left_shift, in, &out);
  CHECK(left_shift == 20, "int8: %d", left_shift);
  CHECK(in[1].multiplier == 1 << 30 && in[1].shift == 0, "the larger: %d, %d", in[1].multiplier, in[1].shift);
  CHECK(in[0].multiplier == 0x55555555 && in[0].shift == -2, "a third of it: %d, %d", in[0].multiplier, in[0].shift);
  CHECK(out.multiplier == 3 << 29 && out.shift == -18, "3 / 2^20: %d, %d", out.multiplier, out.shift);
  struct tvmq_binary_desc wide = desc;
  wide.type = TVMQ_TYPE_S16;
  tvmq_add_scales(&wide, &left_shift, in, &out);
  CHECK(left_shift == 15 && out.shift == -13, "int16: %d, %d", left_shift, out.shift);
}

int main(void) {
  check_add();
  check_multipliers();
  check_random_multipliers();
  check_nearest();
  check_products();
  check_ranges();
  return unit_report();
}
