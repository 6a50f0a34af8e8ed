// Reasons speak of types: whatever types a node has, what its reason says of them is true.
#include <string.h>

#include "claims.h"

static const enum tvmq_type all_types[] = {S4, S8, U8, S16, S32, S64, F32, OTHER_TYPE};
static const int8_t weights[8 * 9 * 4];
static const int64_t bias[8];
static const float scales[8] = {0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.2f};

struct types {
  enum tvmq_type in, filter, out, bias;
  bool has_filter;
};

static bool always(const struct types *t) { return t != NULL; }
static bool is_float(const struct types *t) { return t->in == F32 && (!t->has_filter || t->filter == F32); }
static bool is_hybrid(const struct types *t) { return t->in == F32 && t->has_filter && t->filter != F32; }
static bool is_16(const struct types *t) { return t->in == S16; }
static bool is_16x8(const struct types *t) { return t->in == S16 && t->filter == S8; }
static bool is_wide(const struct types *t) { return t->in == S32 || t->in == S64; }
static bool is_not_quantized(const struct types *t) { return t->in != S8 && t->in != U8 && t->in != S16; }
static bool is_not_bytes(const struct types *t) { return t->in != S8 && t->in != U8; }
static bool is_not_s8_or_s16(const struct types *t) { return t->in != S8 && t->in != S16 && t->in != F32; }
static bool is_bytes(const struct types *t) { return t->in == S8 || t->in == U8; }
static bool is_not_u8(const struct types *t) { return t->in != U8; }
static bool is_not_float(const struct types *t) { return t->in != F32; }
static bool differ(const struct types *t) { return t->in != t->out; }
static bool has_s4_filter(const struct types *t) { return t->filter == S4; }
static bool has_s8_filter(const struct types *t) { return t->filter == S8; }
static bool has_u8_filter(const struct types *t) { return t->filter == U8; }
static bool has_no_s8_filter(const struct types *t) { return t->filter != S8; }
static bool has_no_s16_filter(const struct types *t) { return t->filter != S16; }
static bool has_no_u8_filter(const struct types *t) { return t->in == U8 && t->filter != U8; }
static bool has_float_out(const struct types *t) { return t->out == F32; }
static bool has_no_float_out(const struct types *t) { return !has_float_out(t); }
static bool is_no_table(const struct types *t) { return is_not_bytes(t) && is_not_float(t); }
static bool has_no_row_out(const struct types *t) { return t->in != t->out && (t->in == F32 || t->out != F32); }
static bool is_s4(const struct types *t) { return t->in == S4; }
static bool has_no_index_out(const struct types *t) { return t->out != S32 && t->out != S64; }
static bool has_no_float_bias(const struct types *t) { return t->bias != F32; }
static bool has_no_s32_bias(const struct types *t) { return t->in != S16 && t->bias != S32; }
static bool has_no_s64_bias(const struct types *t) { return t->in == S16 && t->bias != S64; }
static bool has_no_wide_bias(const struct types *t) { return t->in == S16 && t->bias != S32 && t->bias != S64; }

// Statements that reasons make of types, and whether each is true. All that a reason says must be.
static const struct {
  const char *said;
  bool (*is_true)(const struct types *types);
} statements[] = {
    {"float32: not quantized", is_float},
    {"float32: the runtime's approximation", is_float},
    {"float32: the result for -0.0", is_float},
    {"float32: how products are added", is_float},
    {"float32 to integer", is_float},
    {"a result exceeds int32", is_bytes},
    {"float32 is supported for MEAN only", is_float},
    {"supported for float32 only", is_not_float},
    {"the table is not int8, uint8 or float32", is_no_table},
    {"an int4 table", is_s4},
    {"the output is neither float32 nor of the table's type", has_no_row_out},
    {"hybrid:", is_hybrid},
    {"hybrid: weights are not int8", has_no_s8_filter},
    {"hybrid: the output is not float32", has_no_float_out},
    {"bias is not float32", has_no_float_bias},
    {"activations are not int8, uint8 or int16", is_not_quantized},
    {"activations are not int8 or uint8", is_not_bytes},
    {"activations are not int8 or int16, as products of two tensors need", is_not_s8_or_s16},
    {"int16 FULLY_CONNECTED", is_16},
    {"int16 sums", is_16},
    {"weights are not int8", has_no_s8_filter},
    {"weights are not uint8", has_no_u8_filter},
    {"int4 weights", has_s4_filter},
    {"int8 weights with a zero point", has_s8_filter},
    {"uint8 weights with per-channel", has_u8_filter},
    {"the second input is not int8", has_no_s8_filter},
    {"the second input is not int16", has_no_s16_filter},
    {"types differ", differ},
    {"16x8", is_16x8},
    {"int16: ", is_16},
    {"int16 with a zero point", is_16},
    {"int16: 1/32768", always},
    {"int32 and int64 are supported", is_wide},
    {"supported for uint8 only", is_not_u8},
    {"indices are neither int32 nor int64", has_no_index_out},
    {"bias is not int32", has_no_s32_bias},
    {"convolution is not int64", has_no_s64_bias},
    {"bias is neither int32 nor int64", has_no_wide_bias},
};

static const char *const words[] = {"int4", "int8", "int16", "int32", "int64", "float32", "hybrid", "16x8", "types differ"};

static void check(const char *reason, struct types types, const char *name) {
  bool speaks = false, known = false;
  for (size_t i = 0; reason != NULL && i < N_ELEMENTS(words); i++) speaks |= strstr(reason, words[i]) != NULL;
  for (size_t i = 0; speaks && i < N_ELEMENTS(statements); i++) {
    if (strstr(reason, statements[i].said) == NULL) continue;
    known = true;
    CHECK(statements[i].is_true(&types), "%s: in %d, filter %d, out %d, bias %d: %s", name, types.in, types.filter, types.out, types.bias, reason);
  }
  CHECK(known == speaks, "%s: no statement for \"%s\"", name, reason);
}

// ---- operators with weights

static const char *claim_matmul(const struct tvmq_conv_desc *conv) {
  const struct tvmq_matmul_desc desc = {.products = 1, .lefts = 1, .rights = 1, .conv = *conv};
  return tvmq_claim_matmul(&desc);
}

// clang-format off
#define CONV(...) {.batch = 1, .in_h = 9, .in_w = 9, .in_c = 4, .out_h = 9, .out_w = 9, .out_c = 8, .filter_h = 3, .filter_w = 3, .filter_c = 4, \
  .stride_h = 1, .stride_w = 1, .dilation_h = 1, .dilation_w = 1, .depth_multiplier = 1, .padding = TVMQ_PADDING_SAME, .in = {0.5f, 0}, .out = {0.25f, 0}, \
  .hybrid = TVMQ_HYBRID_NEON, .filter_scales = scales, .n_filter_scales = 8, .filter = weights, .bias = bias, __VA_ARGS__}
#define PRODUCT(...) CONV(.fully_connected = true, .in_h = 1, .out_h = 1, .filter_h = 1, .filter_w = 1, __VA_ARGS__)
// clang-format on

static const struct {
  const char *name;
  const char *(*claim)(const struct tvmq_conv_desc *desc);
  struct tvmq_conv_desc desc;
} weighted[] = {
    {"CONV_2D", tvmq_claim_conv, CONV()},
    {"CONV_2D without bias", tvmq_claim_conv, CONV(.bias = NULL)},
    {"CONV_2D of computed weights", tvmq_claim_conv, CONV(.filter = NULL)},
    {"CONV_2D with a zero point of its weights", tvmq_claim_conv, CONV(.filter_zero_point = 3, .n_filter_scales = 1)},
    {"DEPTHWISE_CONV_2D", tvmq_claim_conv, CONV(.depthwise = true, .filter_c = 1, .depth_multiplier = 2)},
    {"TRANSPOSE_CONV", tvmq_claim_transpose_conv, CONV()},
    {"FULLY_CONNECTED in float64", tvmq_claim_conv, PRODUCT(.scaling = TVMQ_SCALING_FLOAT64)},
    {"FULLY_CONNECTED in fixed point", tvmq_claim_conv, PRODUCT(.scaling = TVMQ_SCALING_FIXED_POINT)},
    {"FULLY_CONNECTED of computed weights", claim_matmul, PRODUCT(.scaling = TVMQ_SCALING_FIXED_POINT, .filter = NULL, .n_filter_scales = 1)},
    {"FULLY_CONNECTED of computed weights in SSE", claim_matmul,
     PRODUCT(.hybrid = TVMQ_HYBRID_SSE, .scaling = TVMQ_SCALING_FIXED_POINT, .filter = NULL, .n_filter_scales = 1)},
    {"BATCH_MATMUL", claim_matmul, PRODUCT(.scaling = TVMQ_SCALING_FIXED_POINT, .bias = NULL, .filter = NULL, .n_filter_scales = 1)},
};

static size_t check_weighted(size_t operation, enum tvmq_type in, enum tvmq_type out) {
  for (size_t f = 0; f < N_ELEMENTS(all_types); f++) {
    for (size_t b = 0; b < N_ELEMENTS(all_types); b++) {
      struct tvmq_conv_desc desc = weighted[operation].desc;
      desc.in_type = in;
      desc.out_type = out;
      desc.filter_type = all_types[f];
      desc.bias_type = all_types[b];
      check(weighted[operation].claim(&desc), (struct types){in, desc.filter_type, out, desc.bias_type, true}, weighted[operation].name);
    }
  }
  return N_ELEMENTS(all_types) * N_ELEMENTS(all_types);
}

// ---- operators without

static const struct tvmq_quant half = {0.5f, 0}, other = {0.25f, 1};

static size_t check_others(enum tvmq_type in, enum tvmq_type out) {
  const struct types types = {.in = in, .out = out};
  for (int r = TVMQ_REDUCTION_MEAN; r <= TVMQ_REDUCTION_MIN; r++) {
    check(tvmq_claim_reduce(&(struct tvmq_reduce_desc){
              .reduction = (enum tvmq_reduction)r, .in_type = in, .out_type = out, .n_dims = 3, .dims = {2, 3, 4}, .in = half, .out = other}),
          types, "a reduction");
  }
  for (int f = 0; f <= TVMQ_FUNCTION_NEG; f++) {
    check(tvmq_claim_unary(&(struct tvmq_unary_desc){.function = (enum tvmq_function)f, .in_type = in, .out_type = out, .n = 4, .in = half, .out = other}),
          types, "a function");
  }
  for (int o = 0; in == out && o <= TVMQ_OPERATION_SQUARED_DIFFERENCE; o++) {
    check(tvmq_claim_binary(&(struct tvmq_binary_desc){.operation = (enum tvmq_operation)o, .type = in, .n = 4, .in = {half, half}, .out = other}), types,
          "an operation on two tensors");
  }
  check(tvmq_claim_pool(&(struct tvmq_pool_desc){.in_type = in,
                                                 .out_type = out,
                                                 .batch = 1,
                                                 .in_h = 4,
                                                 .in_w = 4,
                                                 .channels = 2,
                                                 .out_h = 4,
                                                 .out_w = 4,
                                                 .filter_h = 1,
                                                 .filter_w = 1,
                                                 .stride_h = 1,
                                                 .stride_w = 1,
                                                 .in = half,
                                                 .out = half}),
        types, "a pooling");
  check(tvmq_claim_softmax(&(struct tvmq_softmax_desc){.in_type = in, .out_type = out, .rows = 2, .depth = 4, .beta = 1, .in = half, .out = other}), types,
        "SOFTMAX");
  check(tvmq_claim_arg_max(&(struct tvmq_arg_max_desc){.in_type = in, .out_type = out, .outer = 1, .depth = 4, .inner = 1}), types, "ARG_MAX");
  check(tvmq_claim_resize_bilinear(
            &(struct tvmq_resize_desc){.in_type = in, .out_type = out, .batch = 1, .channels = 1, .in_h = 2, .in_w = 2, .out_h = 4, .out_w = 4}),
        types, "RESIZE_BILINEAR");
  check(tvmq_claim_cast(&(struct tvmq_cast_desc){.in_type = in, .out_type = out, .n = 4}), types, "CAST");
  check(tvmq_claim_quantize(&(struct tvmq_quantize_desc){.in_type = in, .out_type = out, .n = 4, .in = half, .out = other}), types, "QUANTIZE");
  check(tvmq_claim_dequantize(&(struct tvmq_dequantize_desc){.in_type = in, .out_type = out, .n = 4, .in = other}), types, "DEQUANTIZE");
  check(tvmq_claim_lookup(&(struct tvmq_lookup_desc){.table_type = in, .out_type = out, .scales = &half.scale, .n_scales = 1, .n = 1, .rows = 1, .row = 1}),
        types, "EMBEDDING_LOOKUP");
  check(tvmq_claim_gather(
            &(struct tvmq_gather_desc){.in_type = in, .out_type = out, .index_type = S32, .outer = 1, .n = 1, .depth = 1, .sizes = {1}, .slice = 1}),
        types, "GATHER_ND");
  check(tvmq_claim_copy(&(struct tvmq_copy_desc){.in_type = in, .out_type = out}), types, "a copy");
  return 1;
}

int main(void) {
  size_t n = 0;
  for (size_t i = 0; i < N_ELEMENTS(all_types); i++) {
    for (size_t j = 0; j < N_ELEMENTS(all_types); j++) {
      for (size_t o = 0; o < N_ELEMENTS(weighted); o++) n += check_weighted(o, all_types[i], all_types[j]);
      n += check_others(all_types[i], all_types[j]);
    }
  }
  CHECK(n > 40000, "%zu combinations of types", n);
  return unit_report();
}
