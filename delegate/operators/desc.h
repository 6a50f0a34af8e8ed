// Plain-data descriptions of the operators. node_*.c fill descriptions from TFLite's structures. Claim rules, planning, packing, kernels, tests and the fuzzer
// see only descriptions.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/shape.h"
#include "base/types.h"
#include "operators/broadcast.h"
#include "operators/copy.h"

enum { TVMQ_MAX_IN = 64, TVMQ_MAX_OUT = TVMQ_COPY_OUT };  // input and output tensors of an operator

enum tvmq_padding { TVMQ_PADDING_SAME, TVMQ_PADDING_VALID };

enum tvmq_activation { TVMQ_ACTIVATION_NONE, TVMQ_ACTIVATION_RELU, TVMQ_ACTIVATION_RELU6, TVMQ_ACTIVATION_RELU_N1_TO_1, TVMQ_ACTIVATION_OTHER };

// Affine quantization of a whole tensor: real = scale * (value - zero_point).
struct tvmq_quant {
  float scale;
  int32_t zero_point;
};
static inline bool tvmq_same_quant(struct tvmq_quant a, struct tvmq_quant b) { return a.scale == b.scale && a.zero_point == b.zero_point; }

// Border: pixels around an image that are in no tensor, because a PAD was folded into the node that reads its output.
struct tvmq_border {
  int32_t top, bottom, left, right;
  int32_t value;  // of every element of the border
};

// How the reference kernels scale sums: in fixed point, or by a product in float64, rounded half away from zero. For FULLY_CONNECTED, the method depends on the
// runtime's version.
enum tvmq_scaling { TVMQ_SCALING_UNKNOWN, TVMQ_SCALING_FIXED_POINT, TVMQ_SCALING_FLOAT64 };

// Which helper functions the runtime's hybrid kernels (float32 activations, int8 weights) call: NEON ones, the NEON ones translated to SSE, or portable ones.
enum tvmq_hybrid { TVMQ_HYBRID_UNKNOWN, TVMQ_HYBRID_NEON, TVMQ_HYBRID_SSE, TVMQ_HYBRID_PORTABLE };

// How the runtime's float32 kernels compute. LIBRARY: GELU with erfcf and Eigen's tanh of degrees 13 and 6. PACKETS: GELU with Eigen's erfc in packets of four
// elements and its tanh of degrees 9 and 8. FUSED, on Arm: as PACKETS, with fused multiply-add; products of matrices are added eight at a time, the rest fused.
enum tvmq_float32 { TVMQ_FLOAT32_UNKNOWN, TVMQ_FLOAT32_LIBRARY, TVMQ_FLOAT32_PACKETS, TVMQ_FLOAT32_FUSED };

// Properties in which versions and builds of the runtime's reference kernels differ.
struct tvmq_reference {
  enum tvmq_scaling scaling;  // of FULLY_CONNECTED
  enum tvmq_hybrid hybrid;
  enum tvmq_float32 float32;
  bool dot_products;  // the processor has Arm's dot-product instructions, which the runtime's hybrid kernels use
  bool fast_math;     // compiled with unsafe optimizations: quotients may be products with a reciprocal
};

// CONV_2D and DEPTHWISE_CONV_2D; FULLY_CONNECTED as a 1x1 convolution of an image with one row; TRANSPOSE_CONV. TRANSPOSE_CONV: stride and padding belong to
// the convolution in the opposite direction, from the node's output to its input. Activations are NHWC.
//
// CONV_2D's filter is OHWI: [out_c][filter_h][filter_w][filter_c] with filter_c = in_c / groups.
// DEPTHWISE_CONV_2D's filter is 1HWO: [1][filter_h][filter_w][out_c] with out_c = in_c * depth_multiplier;
// output channel o reads input channel o / depth_multiplier; filter_c is 1.
struct tvmq_conv_desc {
  bool depthwise, fully_connected;
  enum tvmq_scaling scaling;  // of FULLY_CONNECTED; else unknown, and it is fixed point
  enum tvmq_hybrid hybrid;    // meaningful only with float32 activations
  enum tvmq_float32 float32;  // meaningful only of products of float32
  bool dot_products;          // meaningful only of a hybrid FULLY_CONNECTED, as in struct tvmq_reference
  bool asymmetric_inputs;     // of a hybrid FULLY_CONNECTED: activations are quantized with a zero point
  bool keep_num_dims;         // of FULLY_CONNECTED: the output has the input's rank, else 2
  enum tvmq_type in_type, filter_type;
  enum tvmq_type out_type;   // S32: the sums, as they are
  enum tvmq_type bias_type;  // S32 or S64; F32 if hybrid; meaningful only with a bias
  int32_t batch, in_h, in_w, in_c;
  struct tvmq_border border;    // pixels of zero points around the input; `padding` applies to the input with its border
  int32_t out_h, out_w, out_c;  // as geometry.h computes them; claim_conv.c refuses others
  int32_t filter_h, filter_w, filter_c;
  int32_t stride_h, stride_w, dilation_h, dilation_w;
  int32_t depth_multiplier;  // depthwise only, else 1
  enum tvmq_padding padding;
  enum tvmq_activation activation;
  struct tvmq_quant in, out;
  int32_t filter_zero_point;   // 0 for int8 filters
  const float *filter_scales;  // [n_filter_scales]
  int32_t n_filter_scales;     // 1 (per tensor) or out_c (per channel)
  const void *filter;          // constant data, int8 or uint8
  const void *bias;            // constant data, [out_c] of bias_type, or NULL
  bool dynamic_bias;           // there is a bias, but no constant one (`bias` is NULL)
};

// BATCH_MATMUL: `products` products of a left and a right matrix; batch dimensions are broadcast. FULLY_CONNECTED with computed weights: one product, with the
// transposed weights on the right; `conv` also holds bias and activation.
enum { TVMQ_MATMUL_BATCH_DIMS = 3 };
struct tvmq_matmul_desc {
  struct tvmq_conv_desc conv;  // one product as a convolution: left rows are pixels, right columns are output channels; `filter` is NULL
  bool adj_x, adj_y;           // the left (x) or right (y) matrices are stored transposed
  bool finite;                 // float32: infinite results become the greatest finite numbers
  int32_t products, lefts, rights;
  int32_t batch[TVMQ_MATMUL_BATCH_DIMS];
  int32_t left_strides[TVMQ_MATMUL_BATCH_DIMS], right_strides[TVMQ_MATMUL_BATCH_DIMS];  // in matrices; 0 in a broadcast dimension
};

// Returns the index of the left or right matrix that a product uses.
static inline size_t tvmq_matmul_matrix(const struct tvmq_matmul_desc *desc, size_t product, const int32_t strides[TVMQ_MATMUL_BATCH_DIMS]) {
  size_t index = 0;
  for (int d = TVMQ_MATMUL_BATCH_DIMS; d-- > 0; product /= (size_t)desc->batch[d]) index += product % (size_t)desc->batch[d] * (size_t)strides[d];
  return index;
}

enum tvmq_reduction { TVMQ_REDUCTION_MEAN, TVMQ_REDUCTION_SUM, TVMQ_REDUCTION_MAX, TVMQ_REDUCTION_MIN };

// MEAN, SUM, REDUCE_MAX and REDUCE_MIN. dims[0], dims[2], ... are kept; dims[1], dims[3], ... are reduced. The last dimension is always a kept one
// (reduction.h).
struct tvmq_reduce_desc {
  enum tvmq_reduction reduction;
  enum tvmq_type in_type, out_type;
  struct tvmq_quant in, out;
  bool keep_dims;  // reduced dimensions are 1 in the output's shape
  int32_t n_dims, dims[TVMQ_MAX_RANK + 2];
};

// ARG_MAX: for each of `outer` and of `inner` the place of the greatest of `depth` elements.
struct tvmq_arg_max_desc {
  enum tvmq_type in_type, out_type;
  int32_t outer, depth, inner;
};

// QUANTIZE: float32 -> int8/uint8/int16 (affine quantization), or requantization between integer types.
struct tvmq_quantize_desc {
  enum tvmq_type in_type, out_type;
  struct tvmq_quant in, out;  // `in` means nothing for float32
  bool reciprocal;            // float32 is multiplied by 1 / scale, rounded to float32; else it is divided by the scale
  size_t n;                   // elements
};

// The border that a PAD before an operator puts around its image.
struct tvmq_pad_desc {
  struct tvmq_border border;
  enum tvmq_type type;  // of the image
  int32_t zero_point;   // of the padded image
};

enum tvmq_pooling { TVMQ_POOLING_AVERAGE, TVMQ_POOLING_MAX, TVMQ_POOLING_MEAN };

// AVERAGE_POOL_2D and MAX_POOL_2D of NHWC activations: for each channel, the mean or the maximum of the window's elements that lie in the input.
// TVMQ_POOLING_MEAN: a reduction computed by op_pool.c. Its windows lie in the input, and its results are rescaled.
struct tvmq_pool_desc {
  enum tvmq_pooling pooling;
  enum tvmq_type in_type, out_type;
  int32_t batch, in_h, in_w, channels;
  struct tvmq_border border;  // MAX_POOL_2D only: pixels around the input, which count as elements of the input
  int32_t out_h, out_w;       // as geometry.h computes them; claim_pool.c refuses others
  int32_t filter_h, filter_w;
  int32_t stride_h, stride_w;
  enum tvmq_padding padding;
  enum tvmq_activation activation;
  struct tvmq_quant in, out;  // equal, except that scales may differ by 1e-6; TVMQ_POOLING_MEAN: any
};

// An operation on two elements. PRELU multiplies a negative element by its slope and keeps the others.
enum tvmq_operation {
  TVMQ_OPERATION_ADD,
  TVMQ_OPERATION_SUB,
  TVMQ_OPERATION_MUL,
  TVMQ_OPERATION_DIV,
  TVMQ_OPERATION_MAXIMUM,
  TVMQ_OPERATION_MINIMUM,
  TVMQ_OPERATION_PRELU,
  TVMQ_OPERATION_SQUARED_DIFFERENCE
};

// An operation on two tensors of one type, of one shape or broadcast.
struct tvmq_binary_desc {
  enum tvmq_operation operation;
  enum tvmq_type type;           // of inputs and output
  struct tvmq_quant in[2], out;  // MAXIMUM, MINIMUM: means nothing
  enum tvmq_activation activation;
  bool six_dims;                    // MUL: the runtime broadcasts to 6 dimensions, instead of 4
  bool powers_of_two;               // int16: the node's option pot_scale_int16; with scales that are powers of two, the reference shifts instead of rescaling
  size_t n;                         // elements of the output
  int32_t rank;                     // of the output, where the inputs' shapes differ; else 0
  struct tvmq_broadcast broadcast;  // of the inputs; all zeros: none
};

// Operators that make, join or follow conditions, which are tensors of bool.
enum tvmq_condition {
  TVMQ_CONDITION_EQUAL,
  TVMQ_CONDITION_NOT_EQUAL,
  TVMQ_CONDITION_GREATER,
  TVMQ_CONDITION_GREATER_EQUAL,
  TVMQ_CONDITION_LESS,
  TVMQ_CONDITION_LESS_EQUAL,
  TVMQ_CONDITION_AND,
  TVMQ_CONDITION_OR,
  TVMQ_CONDITION_NOT,
  TVMQ_CONDITION_SELECT  // the first input, a condition, selects the second input or the third
};

// A comparison, an operation on conditions, or a selection; of tensors of one shape or broadcast.
struct tvmq_condition_desc {
  enum tvmq_condition condition;
  bool leading;                     // SELECT: the condition's only dimension is the first of the others
  enum tvmq_type type;              // of what is compared or selected
  struct tvmq_quant in[2];          // of what is compared: bytes are rescaled to one scale
  size_t n;                         // elements of the output
  int32_t rank;                     // of the output, where the inputs' shapes differ; else 0
  struct tvmq_broadcast broadcast;  // of the inputs; all zeros: none
};

// Returns the number of inputs.
static inline int tvmq_condition_inputs(enum tvmq_condition condition) {
  return condition == TVMQ_CONDITION_SELECT ? 3 : condition == TVMQ_CONDITION_NOT ? 1 : 2;
}
static inline bool tvmq_condition_compares(enum tvmq_condition condition) { return condition <= TVMQ_CONDITION_LESS_EQUAL; }

// A function of one element.
enum tvmq_function {
  TVMQ_FUNCTION_LOGISTIC,
  TVMQ_FUNCTION_TANH,
  TVMQ_FUNCTION_HARD_SWISH,
  TVMQ_FUNCTION_RELU,
  TVMQ_FUNCTION_RELU6,
  TVMQ_FUNCTION_RELU_N1_TO_1,
  TVMQ_FUNCTION_RELU_0_TO_1,
  TVMQ_FUNCTION_LEAKY_RELU,
  TVMQ_FUNCTION_GELU,
  TVMQ_FUNCTION_GELU_TANH,  // its approximation
  TVMQ_FUNCTION_EXP,
  TVMQ_FUNCTION_LOG,
  TVMQ_FUNCTION_ELU,
  TVMQ_FUNCTION_ABS,
  TVMQ_FUNCTION_RSQRT,
  TVMQ_FUNCTION_SQRT,
  TVMQ_FUNCTION_SQUARE,
  TVMQ_FUNCTION_NEG,
  TVMQ_FUNCTION_SILU  // x LOGISTIC(x), of two nodes
};

static inline bool tvmq_function_is_gelu(enum tvmq_function function) { return function == TVMQ_FUNCTION_GELU || function == TVMQ_FUNCTION_GELU_TANH; }

// Returns whether the function of float32 is a transcendental one, which the runtime computes with the math library or with
// Eigen.
static inline bool tvmq_function_is_transcendental(enum tvmq_function function) {
  return function == TVMQ_FUNCTION_EXP || function == TVMQ_FUNCTION_LOG || function == TVMQ_FUNCTION_ELU || function == TVMQ_FUNCTION_LOGISTIC ||
         function == TVMQ_FUNCTION_SILU || function == TVMQ_FUNCTION_TANH || tvmq_function_is_gelu(function);
}

// A function of each element of a tensor.
struct tvmq_unary_desc {
  enum tvmq_function function;
  enum tvmq_type in_type, out_type;
  struct tvmq_quant in, out;
  float alpha;                // LEAKY_RELU's slope below zero; else 0
  enum tvmq_hybrid floats;    // the runtime's float32 arithmetic
  enum tvmq_float32 float32;  // the runtime's kernels of float32
  size_t n;                   // elements
};

// CAST between types of numbers.
struct tvmq_cast_desc {
  enum tvmq_type in_type, out_type;
  size_t n;  // elements
};

// DEQUANTIZE: quantized integers -> float32.
struct tvmq_dequantize_desc {
  enum tvmq_type in_type, out_type;
  struct tvmq_quant in;
  bool constant;  // the input is, and the runtime computes the output once
  size_t n;       // elements
};

// EMBEDDING_LOOKUP: rows of a table, by their indices.
struct tvmq_lookup_desc {
  enum tvmq_type table_type, out_type;
  bool knows_row_scales;  // the runtime multiplies each row by its own scale
  bool offset;            // a zero point of the table is not 0
  const float *scales;    // [n_scales] of the table, or NULL; they mean nothing where rows are copied
  int32_t n_scales;       // 1, or one for each row
  int32_t n, rows, row;   // indices, rows of the table, elements of a row
};

// Returns whether rows are converted to float32 rather than copied.
static inline bool tvmq_lookup_converts(const struct tvmq_lookup_desc *desc) { return desc->table_type != desc->out_type; }

// GATHER_ND, and GATHER of computed indices: slices of a tensor. The integers of an index stand for dimensions of the tensor; those before them are kept.
struct tvmq_gather_desc {
  enum tvmq_type in_type, out_type, index_type;
  int32_t outer;                 // elements of the dimensions that are kept: parts of the input, each of which gives a slice for each index
  int32_t n, depth;              // indices, and integers of each
  int32_t sizes[TVMQ_MAX_RANK];  // [depth] the dimensions that the integers stand for
  int32_t slice;                 // elements of a slice
  const void *indices;           // their values, where these are known, else NULL
};

// CONCATENATION of tensors of one type. Row of an input: its elements from dimension `axis` on. The output has `rows` times one row of each input.
struct tvmq_concatenation_desc {
  enum tvmq_type type;
  enum tvmq_activation activation;
  int32_t axis;  // as the node has it
  int32_t n_in;
  struct tvmq_quant in[TVMQ_MAX_IN], out;
  size_t rows, row_bytes[TVMQ_MAX_IN];  // zeros where the output is empty
};
// Returns whether an input must be rescaled, because its scale or zero point differs from the output's.
static inline bool tvmq_concatenation_rescales(const struct tvmq_concatenation_desc *desc, int input) {
  return desc->type == TVMQ_TYPE_U8 && !tvmq_same_quant(desc->in[input], desc->out);
}

// RESIZE_BILINEAR of NHWC activations. Quantization means nothing: values are interpolated as they are.
struct tvmq_resize_desc {
  enum tvmq_type in_type, out_type;
  int32_t batch, in_h, in_w, channels, out_h, out_w;
  bool align_corners, half_pixel_centers;
};

// SHAPE: the dimensions themselves, as int32 or int64.
struct tvmq_shape_desc {
  enum tvmq_type out_type;
  int32_t rank, dims[TVMQ_MAX_RANK];
};

// SOFTMAX of `rows` rows of `depth` elements, each on its own.
struct tvmq_softmax_desc {
  enum tvmq_type in_type, out_type;
  struct tvmq_quant in, out;
  float beta;
  size_t rows, depth;
};

// The operator maps each of `n` bytes by a table of 256: out = table[in ^ in_flip] ^ out_flip.
struct tvmq_byte_map_desc {
  size_t n;
  const uint8_t *table;
  uint8_t in_flip, out_flip;
};

// The options of nodes that copy elements (operators/copy.h); their constant tensors say the rest.
struct tvmq_copy_options {
  int32_t axis;
  int32_t block;                                                            // DEPTH_TO_SPACE, SPACE_TO_DEPTH
  int32_t begin_mask, end_mask, shrink_mask, ellipsis_mask, new_axis_mask;  // STRIDED_SLICE
  int32_t align_corners, half_pixel_centers;                                // RESIZE_NEAREST_NEIGHBOR
  int32_t symmetric;                                                        // MIRROR_PAD: the outermost elements are repeated
  int32_t n_dims, dims[TVMQ_MAX_RANK];                                      // SQUEEZE, RESHAPE
};

// The description of any operator.
union tvmq_desc {
  struct tvmq_byte_map_desc byte_map;
  struct tvmq_concatenation_desc concatenation;
  struct tvmq_copy_desc copy;
  struct tvmq_copy_options copy_options;
  struct tvmq_conv_desc conv;
  struct tvmq_matmul_desc matmul;
  struct tvmq_reduce_desc reduce;
  struct tvmq_arg_max_desc arg_max;
  struct tvmq_quantize_desc quantize;
  struct tvmq_pool_desc pool;
  struct tvmq_resize_desc resize;
  struct tvmq_shape_desc shape;
  struct tvmq_softmax_desc softmax;
  struct tvmq_binary_desc binary;
  struct tvmq_condition_desc condition;
  struct tvmq_cast_desc cast;
  struct tvmq_dequantize_desc dequantize;
  struct tvmq_gather_desc gather;
  struct tvmq_lookup_desc lookup;
  struct tvmq_unary_desc unary;
};
