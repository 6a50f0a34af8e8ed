// AVERAGE_POOL_2D and MAX_POOL_2D: every reason for which they are refused; and means without a division.
#include <math.h>

#include "arithmetic/mean.h"
#include "claims.h"

#define MAX INT32_MAX

// clang-format off
// 9 x 9 x 4 -> 9 x 9 x 4, windows of 3 x 3
#define POOL(...) {.in_type = S8, .out_type = S8, .batch = 1, .in_h = 9, .in_w = 9, .channels = 4, .out_h = 9, .out_w = 9, .filter_h = 3, .filter_w = 3, \
  .stride_h = 1, .stride_w = 1, .padding = TVMQ_PADDING_SAME, .in = {0.5f, 3}, .out = {0.5f, 3}, __VA_ARGS__}
// clang-format on
#define LARGEST .pooling = TVMQ_POOLING_MAX
#define TYPE(TYPE) .in_type = TYPE, .out_type = TYPE
#define GLOBAL(H, W) .in_h = H, .in_w = W, .filter_h = H, .filter_w = W, .padding = TVMQ_PADDING_VALID, .out_h = 1, .out_w = 1, .channels = 1

static const struct {
  struct tvmq_pool_desc desc;
  const char *reason;
} cases[] = {
    {POOL(), NULL},
    {POOL(TYPE(U8), .in = {0.5f, 255}, .out = {0.5f, 255}), NULL},
    {POOL(TYPE(S16)), NULL},
    {POOL(.batch = 3, .stride_h = 2, .stride_w = 5, .out_h = 5, .out_w = 2), NULL},
    {POOL(.filter_h = 1, .stride_h = 4, .out_h = 3), NULL},  // stride beyond the window
    {POOL(.filter_h = 60, .filter_w = 1000), NULL},          // windows beyond the input
    {POOL(.activation = TVMQ_ACTIVATION_RELU6), NULL},
    {POOL(.in.scale = 0.5000005f), NULL},
    {POOL(GLOBAL(2896, 2896)), NULL},  // of 2^23
    {POOL(TYPE(S16), GLOBAL(1 << 15, 1)), NULL},

    {POOL(LARGEST), NULL},
    {POOL(LARGEST, GLOBAL(2897, 2896)), NULL},  // nothing is summed
    {POOL(LARGEST, .in_h = 7, .in_w = 4, .border = {1, 1, 2, 3, -128}), NULL},
    {POOL(LARGEST, .in_h = 1, .in_w = 1, .border.top = 40000, .border.left = 1, .out_h = 40001, .out_w = 2), NULL},

    {POOL(TYPE(F32), .in = {0, 0}, .out = {NAN, 9}), NULL},  // quantization means nothing
    {POOL(TYPE(F32), GLOBAL(4096, 4096)), NULL},
    {POOL(TYPE(F32), GLOBAL(4097, 4096)), "float32: a window has more than 2^24 elements"},
    {POOL(LARGEST, TYPE(F32), GLOBAL(4097, 4096)), NULL},
    {POOL(TYPE(F32), .activation = TVMQ_ACTIVATION_OTHER), "fused_activation_function is not NONE, RELU, RELU6 or RELU_N1_TO_1"},
    {POOL(TYPE(F32), .out_h = 8), "height or width of the output tensor does not match the pooling"},
    {POOL(.in_type = F32), "input and output types differ"},
    {POOL(LARGEST, TYPE(F32), .in_h = 7, .border.top = 2), "float32 with a folded PAD is not supported"},
    {POOL(.out_type = U8), "input and output types differ"},
    {POOL(TYPE(TVMQ_TYPE_S32)), "activations are not int8, uint8 or int16"},
    {POOL(TYPE(TVMQ_TYPE_OTHER)), "activations are not int8, uint8 or int16"},
    {POOL(.activation = TVMQ_ACTIVATION_OTHER), "fused_activation_function is not NONE, RELU, RELU6 or RELU_N1_TO_1"},
    {POOL(.batch = 0), "batch is not positive"},
    {POOL(.channels = -4), "number of channels is not positive"},
    {POOL(.in_w = 0), "input height or width is not positive"},
    {POOL(.filter_h = 0), "filter height or width is not positive"},
    {POOL(.filter_w = -1), "filter height or width is not positive"},
    {POOL(.stride_h = 0), "stride is not positive"},
    {POOL(.stride_w = INT32_MIN), "stride is not positive"},
    {POOL(.stride_w = MAX), "stride is too large: input size + stride exceeds 2^31 - 1"},
    {POOL(.filter_w = MAX), "padded input is larger than 2^31 - 1"},
    {POOL(.padding = TVMQ_PADDING_VALID, .filter_w = 10), "VALID padding and a dilated filter larger than the input: no output"},
    {POOL(.padding = 2), "padding is neither SAME nor VALID"},
    {POOL(.out_h = 8), "height or width of the output tensor does not match the pooling"},
    {POOL(.filter_w = 65537), "padding exceeds 32767"},
    {POOL(.batch = 1 << 20, .channels = 1 << 10), "input has more than 2^31 - 1 elements"},
    {POOL(GLOBAL(2897, 2896)), "the sum of a window may exceed 32 bits"},
    {POOL(TYPE(S16), GLOBAL((1 << 15) + 1, 1)), "the sum of a window may exceed 32 bits"},
    {POOL(LARGEST, .border.left = -1), "the border is negative"},
    {POOL(LARGEST, .border.top = 1), "height or width of the output tensor does not match the pooling"},
    {POOL(LARGEST, .border.right = 1 << 29, .out_w = 9 + (1 << 29)), "input has more than 2^31 - 1 elements"},
    {POOL(LARGEST, .in.scale = 0.25f), "input and output scales differ"},
    {POOL(LARGEST, .filter_h = 65537), "padding exceeds 32767"},
    {POOL(.in.scale = NAN), "input scale is not positive and finite"},
    {POOL(.out.scale = 0), "output scale is not positive and finite"},
    {POOL(.in.scale = 0.500002f), "input and output scales differ"},
    {POOL(.out.zero_point = 4), "input and output zero points differ"},
    {POOL(.in.zero_point = 128, .out.zero_point = 128), "input zero point is out of range for its type"},
    {POOL(.in.scale = 1e-9f, .out.scale = 1e-9f, .activation = TVMQ_ACTIVATION_RELU6), "output scale is too small for the bounds of the fused activation"},
};

// As the reference kernels write it.
static int64_t divided(enum tvmq_type type, int64_t sum, int64_t taps) {
  return type == TVMQ_TYPE_U8 || sum > 0 ? (sum + taps / 2) / taps : (sum - taps / 2) / taps;
}

static void check_mean(enum tvmq_type type, const struct tvmq_mean *mean, int64_t sum) {
  const struct tvmq_range range = tvmq_type_range(type);
  const int64_t taps = mean->taps, wanted = divided(type, sum, taps);
  if (sum < range.min * taps || sum > range.max * taps) return;
  const int32_t got = tvmq_mean_wide(mean, (int32_t)sum, type);
  CHECK(got == wanted, "sum %lld of %lld taps: %d", (long long)sum, (long long)taps, got);
  if (type == S16 || taps > TVMQ_MEAN_NARROW) return;
  const int32_t narrow = tvmq_mean_narrow(mean, (int32_t)sum, type);
  CHECK(sum + mean->bias <= 1 << 14, "sum %lld of %lld taps", (long long)sum, (long long)taps);
  CHECK(narrow == wanted, "sum %lld of %lld taps: %d", (long long)sum, (long long)taps, narrow);
}

// Every sum of a few bytes, else those around means and halves, and of many taps around some of them.
static void check_means(enum tvmq_type type) {
  const struct tvmq_range range = tvmq_type_range(type);
  const int32_t most = tvmq_mean_most_taps(type);
  for (int32_t taps = 1; taps <= most; taps = taps < 200 || taps == most ? taps + 1 : taps + taps / 7 < most ? taps + taps / 7 : most) {
    const struct tvmq_mean mean = tvmq_mean(type, taps);
    const bool few = type != S16 && taps <= TVMQ_MEAN_NARROW;
    for (int64_t sum = (int64_t)range.min * taps; few && sum <= (int64_t)range.max * taps; sum++) check_mean(type, &mean, sum);
    for (int64_t value = range.min; !few && value <= range.max; value += type == S16 ? 37 : 1) {
      for (int64_t near = -2; near <= 2; near++) {
        check_mean(type, &mean, value * taps + near);
        check_mean(type, &mean, value * taps + taps / 2 + near);
      }
    }
  }
}

int main(void) {
  CHECK_CLAIMS(tvmq_claim_pool, cases);
  check_means(S8);
  check_means(U8);
  check_means(S16);
  return unit_report();
}
