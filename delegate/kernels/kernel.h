// The index of kernels: families, flags, and the struct for the rows of variants.def. Each family has a header with its
// contract, a function type and an argument struct.
//
// Conventions shared by all families
// - Kernels handle 8-bit tensors as int8. A uint8 tensor becomes int8 by xor 0x80, with its zero point lowered by 128.
//   `in_flip` and `stage->flip` hold the mask: 0x80 for uint8, else 0. A kernel with an unsigned operand (layout
//   a_offset = 128) computes with value + 128: its caller toggles in_flip, and fold.c corrects the bias for the offset.
// - Accumulators wrap, as in the reference. They are int32, or int64 if the layout's acc_bytes is 8 (16x8).
// - Kernels read nothing outside the given rows, pixels and panels. They write nothing outside the output of their
//   contract.
// - Kernels allocate nothing, lock nothing and keep no state.
#pragma once

#include <stdint.h>

#include "arithmetic/stage.h"
#include "base/types.h"
#include "cpu/cpu_bits.h"
#include "kernels/add.h"
#include "kernels/arg_max.h"
#include "kernels/byte_map.h"
#include "kernels/depthwise.h"
#include "kernels/floats.h"
#include "kernels/functions.h"
#include "kernels/gemm.h"
#include "kernels/hybrid.h"
#include "kernels/interpolate.h"
#include "kernels/maximum.h"
#include "kernels/mul.h"
#include "kernels/pool.h"
#include "kernels/quantize.h"
#include "kernels/row_sums.h"
#include "kernels/softmax.h"
#include "kernels/transpose.h"
#include "kernels/winograd.h"
#include "kernels/word_map.h"
#include "packing/layout.h"

// Families of kernels with their names in reports, in the order of variants.def.
#define TVMQ_FAMILIES(FAMILY)                                     \
  FAMILY(GEMM_S8, "gemm_s8")   /* int8 x int8 -> int8 */          \
  FAMILY(GEMM_S16, "gemm_s16") /* int16 x int8 -> int16 (16x8) */ \
  FAMILY(ROW_SUMS, "row_sums")                                    \
  FAMILY(DEPTHWISE_S8, "depthwise_s8")                            \
  FAMILY(DEPTHWISE_S16, "depthwise_s16")                          \
  FAMILY(QUANTIZE, "quantize")                                    \
  FAMILY(BYTE_MAP, "byte_map")                                    \
  FAMILY(WORD_MAP, "word_map")                                    \
  FAMILY(ADD, "add")                                              \
  FAMILY(MUL, "mul")                                              \
  FAMILY(INTERPOLATE, "interpolate")                              \
  FAMILY(SOFTMAX, "softmax")                                      \
  FAMILY(ARG_MAX, "arg_max")                                      \
  FAMILY(FLOAT_RANGE, "float_range")                              \
  FAMILY(FLOAT_QUANTIZE, "float_quantize")                        \
  FAMILY(FLOAT_DEQUANTIZE, "float_dequantize")                    \
  FAMILY(FLOAT_PAIR, "float_pair")                                \
  FAMILY(FLOAT_MAP, "float_map")                                  \
  FAMILY(FLOAT_POOL, "float_pool")                                \
  FAMILY(FLOAT_FUNCTION, "float_function")                        \
  FAMILY(FLOAT_SOFTMAX, "float_softmax")                          \
  FAMILY(FLOAT_PRODUCT, "float_product")                          \
  FAMILY(MAXIMUM, "maximum")                                      \
  FAMILY(TRANSPOSE, "transpose")                                  \
  FAMILY(AVERAGE_POOL, "average_pool")                            \
  FAMILY(MAX_POOL, "max_pool")                                    \
  FAMILY(WINOGRAD_INPUT, "winograd_input")                        \
  FAMILY(WINOGRAD_GEMM, "winograd_gemm")                          \
  FAMILY(WINOGRAD_OUTPUT, "winograd_output")

#define TVMQ_FAMILY_ID(id, name) TVMQ_FAMILY_##id,
enum tvmq_family { TVMQ_FAMILIES(TVMQ_FAMILY_ID) TVMQ_N_FAMILIES };
#undef TVMQ_FAMILY_ID

enum tvmq_variant_flags {
  TVMQ_NO_MIN_WEIGHT = 1u << 0,  // exact only if no weight is -128; depthwise: if at most one weight of a channel is -128
  TVMQ_WIDE_ROWS = 1u << 1,      // GEMM_S8 on rows of int16: the caller has widened the int8 values
  TVMQ_MATRIX_ROWS = 1u << 2,    // gemm on rows at a constant distance
  TVMQ_ZIPPED_ROWS = 1u << 3,    // GEMM_S8 on tiles of zipped rows: the caller has zipped and flipped the bytes
  TVMQ_FLOAT_STAGE = 1u << 4,    // each panel may be in float form (stage.h)
  TVMQ_LINES = 1u << 5,          // with TVMQ_MATRIX_ROWS: applies in_flip and computes several lines of rows
  TVMQ_SUMS = 1u << 6,           // the stage may have `sums`
  TVMQ_NARROW = 1u << 7,         // stores only `wanted` channels of the last panel, and skips vectors without a wanted one
  TVMQ_GAPS = 1u << 8,           // with TVMQ_MATRIX_ROWS: need not store the rows between lines
  TVMQ_FUSED_STAGE = 1u << 9,    // each panel may be in fused form (stage.h)
  TVMQ_SLOPES = 1u << 10         // byte_map: uses the map's slopes, if the map has any
};
enum { TVMQ_NARROWING = 16 };  // channels per vector in kernels with TVMQ_NARROW

// Speed of a variant on one kind of core: measured on x86, estimated from instruction timings on Arm. Comparable only
// within a family.
struct tvmq_speed {
  float rate;         // work per cycle: multiply-accumulates; quantize to arg_max: elements; row sums: bytes; pools:
                      // input elements; winograd transforms: values
  float tile_cycles;  // overhead per tile: start, epilogue and stores, in cycles; row sums and arg_max: per row; softmax: per call; pools: per nr outputs
};

// One row of variants.def.
struct tvmq_variant {
  const char *name;
  enum tvmq_family family;
  uint32_t cpu;                      // required processor features; all of them
  uint32_t flags;                    // enum tvmq_variant_flags
  enum tvmq_type in_type, out_type;  // only quantize, add, mul, interpolate, maximum, softmax and pools
  struct {
    uint8_t filter_h, filter_w,
        stride;  // depthwise only: the single supported value, or 0: any. `stride` applies along a row unless filter_w is 1, and along a column unless mr is 1
  } only;
  uint8_t mr;  // rows of a tile; gemm: output pixels; depthwise: output rows
  struct tvmq_layout layout;
  struct tvmq_speed speeds[2];  // [0]: out-of-order cores; [1]: in-order cores, or zeros if [0] serves both
  union {
    tvmq_gemm_fn gemm;
    tvmq_row_sums_fn row_sums;
    tvmq_depthwise_fn depthwise;
    tvmq_quantize_fn quantize;
    tvmq_byte_map_fn byte_map;
    tvmq_word_map_fn word_map;
    tvmq_add_fn add;
    tvmq_mul_fn mul;
    tvmq_interpolate_fn interpolate;
    tvmq_maximum_fn maximum;
    tvmq_softmax_fn softmax;
    tvmq_arg_max_fn arg_max;
    tvmq_float_range_fn float_range;
    tvmq_float_quantize_fn float_quantize;
    tvmq_float_dequantize_fn float_dequantize;
    tvmq_float_pair_fn float_pair;
    tvmq_float_map_fn float_map;
    tvmq_float_pool_fn float_pool;
    tvmq_float_function_fn float_function;
    tvmq_float_softmax_fn float_softmax;
    tvmq_transpose_fn transpose;
    tvmq_float_product_fn float_product;
    tvmq_pool_fn pool;
    tvmq_winograd_input_fn winograd_input;
    tvmq_winograd_gemm_fn winograd_gemm;
    tvmq_winograd_output_fn winograd_output;
  } fn;
};

// Returns the form, besides fixed point, that panels for the kernel may have.
static inline enum tvmq_form tvmq_form_of(const struct tvmq_variant *variant) {
  return (variant->flags & TVMQ_FUSED_STAGE) != 0 ? TVMQ_FORM_FUSED : (variant->flags & TVMQ_FLOAT_STAGE) != 0 ? TVMQ_FORM_FLOAT : TVMQ_FORM_FIXED;
}

// Returns whether the kernel accepts panels of the form.
static inline bool tvmq_form_serves(enum tvmq_form form, const struct tvmq_variant *variant) {
  return form == TVMQ_FORM_FIXED || form == tvmq_form_of(variant);
}

#define TVMQ_GEMM(family, symbol, ...) void symbol(const struct tvmq_gemm_args *args);
#define TVMQ_ROW_SUMS(symbol, ...) void symbol(const struct tvmq_row_sums_args *args);
#define TVMQ_DEPTHWISE(family, symbol, ...) void symbol(const struct tvmq_depthwise_args *args);
#define TVMQ_QUANTIZE(symbol, ...) void symbol(const struct tvmq_quantize_args *args);
#define TVMQ_BYTE_MAP(symbol, ...) void symbol(const struct tvmq_byte_map_args *args);
#define TVMQ_WORD_MAP(symbol, ...) void symbol(const struct tvmq_word_map_args *args);
#define TVMQ_ADD(symbol, ...) void symbol(const struct tvmq_add_args *args);
#define TVMQ_MUL(symbol, ...) void symbol(const struct tvmq_mul_args *args);
#define TVMQ_INTERPOLATE(symbol, ...) void symbol(const struct tvmq_interpolate_args *args);
#define TVMQ_SOFTMAX(symbol, ...) void symbol(const struct tvmq_softmax_args *args);
#define TVMQ_ARG_MAX(symbol, ...) void symbol(const struct tvmq_arg_max_args *args);
#define TVMQ_MAXIMUM(symbol, ...) void symbol(const struct tvmq_maximum_args *args);
#define TVMQ_TRANSPOSE(symbol, ...) void symbol(const struct tvmq_transpose_args *args);
#define TVMQ_FLOAT(family, id, symbol, ...) void symbol(const struct tvmq_##family##_args *args);
#define TVMQ_POOL(family, symbol, ...) void symbol(const struct tvmq_pool_args *args);
#define TVMQ_WINOGRAD_INPUT(symbol, ...) void symbol(const struct tvmq_winograd_input_args *args);
#define TVMQ_WINOGRAD_GEMM(symbol, ...) void symbol(const struct tvmq_winograd_gemm_args *args);
#define TVMQ_WINOGRAD_OUTPUT(symbol, ...) void symbol(const struct tvmq_winograd_output_args *args);
#include "kernels/variants.def"
