// Which nodes a runtime keeps that was compiled with unsafe optimizations of floating point.
#include <float.h>

#include "claims.h"

// Next to a tie of 31 bits where it divides, and not.
static const float divisor = 16717421, near_ties[] = {1.5f, 15596125 * 0x1p-23f}, plain[] = {1.5f, 1.75f}, small[] = {0.5f, 0.75f};

static void check_conv(void) {
  union tvmq_desc desc = {.conv = {.in_type = S8, .in = {1, 0}, .out = {divisor, 0}, .filter_scales = near_ties, .n_filter_scales = 2, .out_c = 2}};
  CHECK_STRING(tvmq_claim_fast_math_conv(&desc), "a scale is so near a rounding tie that the result depends on how the runtime was compiled", "a convolution");
  desc.conv.in.scale = FLT_MIN;
  desc.conv.filter_scales = small;
  CHECK_STRING(tvmq_claim_fast_math_conv(&desc), "a product of scales is subnormal, which the runtime flushes to zero", "a convolution of small scales");
  desc.conv.in.scale = 1;
  desc.conv.filter_scales = plain;
  CHECK_STRING(tvmq_claim_fast_math_conv(&desc), NULL, "a convolution of other scales");
  desc.conv.in_type = TVMQ_TYPE_F32;
  CHECK_STRING(tvmq_claim_fast_math_conv(&desc), "hybrid: the runtime was compiled with unsafe optimizations", "a hybrid convolution");
}

static void check_floats(void) {
  const char *reason = "float32: the runtime was compiled with unsafe optimizations";
  union tvmq_desc desc = {.pool = {.in_type = F32}};
  CHECK_STRING(tvmq_claim_fast_math_pool(&desc), reason, "a pooling of float32");
  desc.pool.in_type = S8;
  CHECK_STRING(tvmq_claim_fast_math_pool(&desc), NULL, "a pooling of int8");
  desc = (union tvmq_desc){.unary = {.function = TVMQ_FUNCTION_HARD_SWISH, .in_type = F32}};
  CHECK_STRING(tvmq_claim_fast_math_unary(&desc), reason, "HARD_SWISH of float32");
  desc.unary.function = TVMQ_FUNCTION_RSQRT;
  CHECK_STRING(tvmq_claim_fast_math_unary(&desc), reason, "RSQRT of float32");
  desc = (union tvmq_desc){.binary = {.operation = TVMQ_OPERATION_DIV, .type = F32}};
  CHECK_STRING(tvmq_claim_fast_math_binary(&desc), reason, "DIV of float32");
}

static void check_binary(void) {
  union tvmq_desc desc = {.binary = {.type = S16, .in = {{0.24256588518619537f, 0}, {0.19328083097934723f, 0}}, .out = {0.25f, 0}}};
  for (int i = 0; i < 3; i++) {
    desc.binary.operation = (enum tvmq_operation[]){TVMQ_OPERATION_ADD, TVMQ_OPERATION_SUB, TVMQ_OPERATION_SQUARED_DIFFERENCE}[i];
    CHECK_STRING(tvmq_claim_fast_math_binary(&desc), "a scale is so near a rounding tie that the result depends on how the runtime was compiled", "a sum");
  }
  desc.binary.operation = TVMQ_OPERATION_MUL;
  CHECK_STRING(tvmq_claim_fast_math_binary(&desc), NULL, "a product, which is divided once");
  desc.binary = (struct tvmq_binary_desc){.operation = TVMQ_OPERATION_PRELU, .type = S8, .in = {{0.13800125f, 127}, {0.7270839f, 0}}, .out = {0.16893147f, 0}};
  CHECK_STRING(tvmq_claim_fast_math_binary(&desc), "a scale is so near a rounding tie that the result depends on how the runtime was compiled",
               "PRELU divides twice");
  desc.binary.out.scale = 0.5f;
  CHECK_STRING(tvmq_claim_fast_math_binary(&desc), NULL, "PRELU by a power of two");
  desc.binary.operation = TVMQ_OPERATION_MUL;
  desc.binary.in[0].scale = desc.binary.in[1].scale = 1e-20f;
  CHECK_STRING(tvmq_claim_fast_math_binary(&desc), "a product of scales is subnormal, which the runtime flushes to zero", "a product of small scales");
  desc.binary.in[0].scale = 0.25f;
  desc.binary.operation = TVMQ_OPERATION_ADD;
  desc.binary.in[1].scale = 0.2f;
  CHECK_STRING(tvmq_claim_fast_math_binary(&desc), NULL, "a sum of other scales");
}

static void check_unary(void) {
  union tvmq_desc desc = {.unary = {.function = TVMQ_FUNCTION_HARD_SWISH, .in_type = S8, .in = {0.012059568427503109f, 0}, .out = {0.0125f, 0}}};
  CHECK_STRING(tvmq_claim_fast_math_unary(&desc), "a scale is so near a rounding tie that the result depends on how the runtime was compiled", "HARD_SWISH");
  desc.unary.function = TVMQ_FUNCTION_RELU;
  CHECK_STRING(tvmq_claim_fast_math_unary(&desc), NULL, "RELU");
  desc.unary.function = TVMQ_FUNCTION_HARD_SWISH;
  desc.unary.in.scale = 64 * FLT_MIN;
  CHECK_STRING(tvmq_claim_fast_math_unary(&desc), "a product of scales is subnormal, which the runtime flushes to zero", "HARD_SWISH of a small scale");
  desc.unary.in.scale = 0.0125f;
  CHECK_STRING(tvmq_claim_fast_math_unary(&desc), NULL, "HARD_SWISH of another scale");
  desc.unary = (struct tvmq_unary_desc){
      .function = TVMQ_FUNCTION_LEAKY_RELU, .in_type = S8, .out_type = S8, .in = {0.13800125f, 127}, .out = {0.16893147f, 0}, .alpha = 0.7270839f};
  CHECK_STRING(tvmq_claim_fast_math_unary(&desc), "a scale is so near a rounding tie that the result depends on how the runtime was compiled", "LEAKY_RELU");
  desc.unary.in.zero_point = 0;
  CHECK_STRING(tvmq_claim_fast_math_unary(&desc), NULL, "LEAKY_RELU of bytes that are not near a tie");
  desc.unary = (struct tvmq_unary_desc){
      .function = TVMQ_FUNCTION_RSQRT, .in_type = S8, .out_type = S8, .in = {0.005411221645772457f, -128}, .out = {0.03247494995594025f, -128}};
  CHECK_STRING(tvmq_claim_fast_math_unary(&desc), "a scale is so near a rounding tie that the result depends on how the runtime was compiled", "RSQRT");
  desc.unary.out.scale = 0.0325f;
  CHECK_STRING(tvmq_claim_fast_math_unary(&desc), NULL, "RSQRT of another scale");
  desc.unary = (struct tvmq_unary_desc){
      .function = TVMQ_FUNCTION_TANH, .in_type = S8, .out_type = S8, .in = {0x1p-6f, 0}, .out = {(float)(0.76159415595576489 / 50.5), 0}};
  CHECK_STRING(tvmq_claim_fast_math_unary(&desc), "a result is so near a rounding tie that it depends on how the runtime was compiled", "TANH(1)");
  desc.unary.out.scale = (float)(0.76159415595576489 / 50.4);
  CHECK_STRING(tvmq_claim_fast_math_unary(&desc), NULL, "TANH of another scale");
}

int main(void) {
  check_conv();
  check_floats();
  check_binary();
  check_unary();
  return unit_report();
}
