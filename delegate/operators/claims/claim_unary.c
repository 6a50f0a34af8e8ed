// Functions of one element: LOGISTIC, TANH, HARD_SWISH, RELU, RELU6, RELU_N1_TO_1, RELU_0_TO_1, LEAKY_RELU, GELU, EXP, LOG, ELU,
// ABS, RSQRT, SQRT, SQUARE, NEG.
#include "operators/claims/claim.h"
#include "operators/claims/claim_rules.h"
#include "operators/operator.h"
#include "operators/unary_table.h"
#include "operators/word_function.h"

enum { INT8 = 1 << 0, UINT8 = 1 << 1, INT16 = 1 << 2, BYTES = INT8 | UINT8 };

static const char no_kernel[] = "the reference has no kernel for this type";
static const char some_have_it[] = "some of the runtimes have no kernel for this type";

// Reason to refuse float32. Runtimes clamp at a lower bound of 0 in ways that keep or lose a negative zero.
static const char versions[] = "float32: the result for -0.0 depends on the runtime's version and processor";

// For each function: the supported integer types, the reason to refuse other integers, and the reason to refuse float32
// (NULL: supported). bound: the function's greatest fixed bound, which is quantized to the output's type.
static const struct {
  uint32_t types;
  const char *others, *floats;
  float bound;
} functions[] = {
    [TVMQ_FUNCTION_LOGISTIC] = {BYTES | INT16, "", NULL, 0},
    [TVMQ_FUNCTION_TANH] = {BYTES | INT16, "", NULL, 0},
    [TVMQ_FUNCTION_HARD_SWISH] = {BYTES, no_kernel, NULL, 0},
    [TVMQ_FUNCTION_RELU] = {BYTES | INT16, "", NULL, 0},
    [TVMQ_FUNCTION_RELU6] = {BYTES | INT16, "", versions, 6},
    [TVMQ_FUNCTION_RELU_N1_TO_1] = {BYTES, no_kernel, NULL, 1},
    [TVMQ_FUNCTION_RELU_0_TO_1] = {BYTES, no_kernel, NULL, 1},
    [TVMQ_FUNCTION_LEAKY_RELU] = {BYTES | INT16, "", NULL, 0},
    [TVMQ_FUNCTION_GELU] = {BYTES | INT16, "", NULL, 0},
    [TVMQ_FUNCTION_GELU_TANH] = {BYTES | INT16, "", NULL, 0},
    [TVMQ_FUNCTION_EXP] = {INT8 | INT16, "the reference has no exact kernel for this type", NULL, 0},
    [TVMQ_FUNCTION_LOG] = {INT8 | INT16, no_kernel, NULL, 0},
    [TVMQ_FUNCTION_ELU] = {INT8, no_kernel, NULL, 0},
    [TVMQ_FUNCTION_ABS] = {INT8 | INT16, no_kernel, NULL, 0},
    [TVMQ_FUNCTION_RSQRT] = {INT8 | INT16, no_kernel, NULL, 0},
    [TVMQ_FUNCTION_SQRT] = {0, some_have_it, NULL, 0},
    [TVMQ_FUNCTION_SQUARE] = {0, no_kernel, NULL, 0},
    [TVMQ_FUNCTION_NEG] = {0, some_have_it, NULL, 0},
    [TVMQ_FUNCTION_SILU] = {0, no_kernel, NULL, 0},
};

static const char *types(const struct tvmq_unary_desc *desc) {
  const uint32_t bit = desc->in_type == TVMQ_TYPE_S8 ? INT8 : desc->in_type == TVMQ_TYPE_U8 ? UINT8 : INT16;
  return (functions[desc->function].types & bit) != 0 ? NULL : functions[desc->function].others;
}

static const char *zero_points(const struct tvmq_unary_desc *desc) {
  if (desc->in_type != TVMQ_TYPE_S16) return NULL;
  return desc->in.zero_point == 0 && desc->out.zero_point == 0 ? NULL : "int16 with a zero point other than 0";
}

// Checks options and fixed quantizations. The runtime itself refuses other output scales of LOGISTIC. Versions of the
// runtime multiply by a negative slope differently. RSQRT of an element below the zero point is an error during the
// inference: of bytes, the zero point must exclude such elements.
static const char *options(const struct tvmq_unary_desc *desc) {
  const bool sigmoid = desc->function == TVMQ_FUNCTION_LOGISTIC || desc->function == TVMQ_FUNCTION_TANH;
  if (sigmoid && desc->in_type == TVMQ_TYPE_S16) return desc->out.scale == 1.0f / 32768 ? NULL : "output scale is not 1/32768";
  if (desc->function == TVMQ_FUNCTION_RSQRT && desc->in_type == TVMQ_TYPE_S8 && desc->in.zero_point != tvmq_type_range(desc->in_type).min)
    return "input zero point is not -128: the reference fails on negative elements";
  const bool words_of_gelu = tvmq_function_is_gelu(desc->function) && desc->in_type == TVMQ_TYPE_S16;
  if (words_of_gelu && desc->floats == TVMQ_HYBRID_PORTABLE) return no_kernel;
  if (words_of_gelu && desc->floats == TVMQ_HYBRID_UNKNOWN) return some_have_it;
  if (desc->function == TVMQ_FUNCTION_LOGISTIC && desc->out.scale != 1.0f / 256) return "output scale is not 1/256";
  return desc->function == TVMQ_FUNCTION_LEAKY_RELU && !(desc->alpha >= 0) ? "alpha is negative" : NULL;
}

static const char *ratios(const struct tvmq_unary_desc *desc) {
  const float bound = functions[desc->function].bound;
  if (!(bound / desc->out.scale < 1 << 30)) return "output scale is too small for the bounds of the function";
  if (desc->function == TVMQ_FUNCTION_RSQRT) return NULL;  // tvmq_unary_table() checks the scales
  const float ratio = desc->in.scale / desc->out.scale, below = desc->in.scale * desc->alpha / desc->out.scale, most = 0x1p30f;
  return ratio < most && below < most ? NULL : "input scale / output scale is too large";
}

static const char *table(const struct tvmq_unary_desc *desc) {
  uint8_t unused[TVMQ_N_BYTES];
  return tvmq_unary_table(desc, TVMQ_ROUNDING_REFERENCE, unused);
}

// Checks that the formula is known: bytes use tables, int16 functions lines or maps.
static const char *formula(const struct tvmq_unary_desc *desc) {
  struct tvmq_unary_line line;
  if (desc->in_type != TVMQ_TYPE_S16) return table(desc);
  return tvmq_unary_line(desc, &line) ? NULL : tvmq_unary_words(desc, NULL);
}

// Returns whether the processor's kernels compute GELU as the runtime does.
static bool is_native(enum tvmq_float32 float32) {
#if defined __aarch64__
  return float32 == TVMQ_FLOAT32_FUSED;
#else
  return float32 == TVMQ_FLOAT32_LIBRARY || float32 == TVMQ_FLOAT32_PACKETS;
#endif
}

static const char *gelu_of_floats(enum tvmq_float32 float32) {
  if (float32 == TVMQ_FLOAT32_UNKNOWN) return "float32: the runtime's approximation is unknown: see the option float32";
  return is_native(float32) ? NULL : "float32: the runtime's approximation, by the option float32, is that of other processors";
}

// All builds for x86 that were tried keep a negative zero in RELU, but not all in RELU6.
static const char *relu_of_floats(enum tvmq_hybrid floats) { return floats == TVMQ_HYBRID_SSE || floats == TVMQ_HYBRID_PORTABLE ? NULL : versions; }

static const char *claim_floats(const struct tvmq_unary_desc *desc) {
  const char *why = tvmq_function_is_gelu(desc->function)  ? gelu_of_floats(desc->float32)
                    : desc->function == TVMQ_FUNCTION_RELU ? relu_of_floats(desc->floats)
                                                           : NULL;
  if (why != NULL) return why;
  return functions[desc->function].floats ?: same_type_rule(desc->in_type, desc->out_type) ?: elements_rule(desc->n);
}

const char *tvmq_claim_unary(const struct tvmq_unary_desc *desc) {
  if (desc->in_type == TVMQ_TYPE_F32) return claim_floats(desc);
  return type_rule(desc->in_type) ?: same_type_rule(desc->in_type, desc->out_type) ?: types(desc) ?: elements_rule(desc->n)
             ?: in_quant_rule(desc->in, desc->in_type) ?: out_quant_rule(desc->out, desc->out_type) ?: zero_points(desc) ?: options(desc)
             ?: ratios(desc) ?: formula(desc);
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_unary(&desc->unary); }

static bool byte_function(const union tvmq_desc *desc, enum tvmq_rounding rounding, const uint8_t *const in[], uint8_t out[TVMQ_N_BYTES]) {
  uint8_t table[TVMQ_N_BYTES];
  if (tvmq_type_bytes(desc->unary.in_type) != 1 || tvmq_unary_table(&desc->unary, rounding, table) != NULL) return false;
  for (int x = 0; x < TVMQ_N_BYTES; x++) out[x] = table[in[0][x]];
  return true;
}

const struct tvmq_operator tvmq_operator_unary = {
    .claim = claim,
    .claim_fast_math = tvmq_claim_fast_math_unary,
    .byte_function = byte_function,
    .light_if_wide = TVMQ_LIGHT("maps elements of 32 bits"),
};
