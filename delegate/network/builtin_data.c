#include "network/builtin_data.h"

#include <string.h>

#include "operators/op_names.h"

// How a field of the schema becomes a member.
enum kind {
  INT,      // an int
  FLOAT,    // a float
  BOOL,     // a bool
  ENUM,     // a byte of the schema, an int of the interface
  COUNTED,  // likewise, and the interface counts from 1; numbers above 1 become 0, which means unknown
  TYPE,     // type of a tensor
  LIST      // a vector of at most 8 ints, followed by their number
};

struct field {
  uint8_t number;  // in the schema's table
  uint8_t kind;
  uint8_t offset;  // of the member
  uint8_t absent;  // value if the field is absent
};

enum { LIST_SIZE = 8 };
_Static_assert(offsetof(TfLiteReshapeParams, num_dimensions) == LIST_SIZE * sizeof(int), "the number follows the list");
_Static_assert(offsetof(TfLiteSqueezeParams, num_squeeze_dims) == LIST_SIZE * sizeof(int), "the number follows the list");

// ---- the schema: the tables of options, and the operators that have them

#define FIELD(number_, kind_, params, member, ...) {.number = (number_), .kind = (kind_), .offset = offsetof(params, member), __VA_ARGS__}

static const struct field conv[] = {
    FIELD(0, COUNTED, TfLiteConvParams, padding),
    FIELD(1, INT, TfLiteConvParams, stride_width),
    FIELD(2, INT, TfLiteConvParams, stride_height),
    FIELD(3, ENUM, TfLiteConvParams, activation),
    FIELD(4, INT, TfLiteConvParams, dilation_width_factor, .absent = 1),
    FIELD(5, INT, TfLiteConvParams, dilation_height_factor, .absent = 1),
    FIELD(6, TYPE, TfLiteConvParams, quantized_bias_type),
};
static const struct field depthwise_conv[] = {
    FIELD(0, COUNTED, TfLiteDepthwiseConvParams, padding),
    FIELD(1, INT, TfLiteDepthwiseConvParams, stride_width),
    FIELD(2, INT, TfLiteDepthwiseConvParams, stride_height),
    FIELD(3, INT, TfLiteDepthwiseConvParams, depth_multiplier),
    FIELD(4, ENUM, TfLiteDepthwiseConvParams, activation),
    FIELD(5, INT, TfLiteDepthwiseConvParams, dilation_width_factor, .absent = 1),
    FIELD(6, INT, TfLiteDepthwiseConvParams, dilation_height_factor, .absent = 1),
};
static const struct field transpose_conv[] = {
    FIELD(0, COUNTED, TfLiteTransposeConvParams, padding),
    FIELD(1, INT, TfLiteTransposeConvParams, stride_width),
    FIELD(2, INT, TfLiteTransposeConvParams, stride_height),
    FIELD(3, ENUM, TfLiteTransposeConvParams, activation),
};
static const struct field pool[] = {
    FIELD(0, COUNTED, TfLitePoolParams, padding),  FIELD(1, INT, TfLitePoolParams, stride_width),  FIELD(2, INT, TfLitePoolParams, stride_height),
    FIELD(3, INT, TfLitePoolParams, filter_width), FIELD(4, INT, TfLitePoolParams, filter_height), FIELD(5, ENUM, TfLitePoolParams, activation),
};
static const struct field fully_connected[] = {
    FIELD(0, ENUM, TfLiteFullyConnectedParams, activation),
    FIELD(1, ENUM, TfLiteFullyConnectedParams, weights_format),
    FIELD(2, BOOL, TfLiteFullyConnectedParams, keep_num_dims),
    FIELD(3, BOOL, TfLiteFullyConnectedParams, asymmetric_quantize_inputs),
};
static const struct field batch_matmul[] = {
    FIELD(0, BOOL, TfLiteBatchMatMulParams, adj_x),
    FIELD(1, BOOL, TfLiteBatchMatMulParams, adj_y),
};
static const struct field add[] = {
    FIELD(0, ENUM, TfLiteAddParams, activation),
    FIELD(1, BOOL, TfLiteAddParams, pot_scale_int16, .absent = 1),
};
static const struct field mul[] = {FIELD(0, ENUM, TfLiteMulParams, activation)};
static const struct field softmax[] = {FIELD(0, FLOAT, TfLiteSoftmaxParams, beta)};
static const struct field leaky_relu[] = {FIELD(0, FLOAT, TfLiteLeakyReluParams, alpha)};
static const struct field gelu[] = {FIELD(0, BOOL, TfLiteGeluParams, approximate)};
static const struct field arg_max[] = {FIELD(0, TYPE, TfLiteArgMaxParams, output_type)};
static const struct field reducer[] = {FIELD(0, BOOL, TfLiteReducerParams, keep_dims)};
static const struct field concatenation[] = {
    FIELD(0, INT, TfLiteConcatenationParams, axis),
    FIELD(1, ENUM, TfLiteConcatenationParams, activation),
};
static const struct field strided_slice[] = {
    FIELD(0, INT, TfLiteStridedSliceParams, begin_mask),       FIELD(1, INT, TfLiteStridedSliceParams, end_mask),
    FIELD(2, INT, TfLiteStridedSliceParams, ellipsis_mask),    FIELD(3, INT, TfLiteStridedSliceParams, new_axis_mask),
    FIELD(4, INT, TfLiteStridedSliceParams, shrink_axis_mask), FIELD(5, BOOL, TfLiteStridedSliceParams, offset),
};
static const struct field squeeze[] = {FIELD(0, LIST, TfLiteSqueezeParams, squeeze_dims)};
static const struct field reshape[] = {FIELD(0, LIST, TfLiteReshapeParams, shape)};
static const struct field resize_bilinear[] = {
    FIELD(2, BOOL, TfLiteResizeBilinearParams, align_corners),
    FIELD(3, BOOL, TfLiteResizeBilinearParams, half_pixel_centers),
};
static const struct field resize_nearest_neighbor[] = {
    FIELD(0, BOOL, TfLiteResizeNearestNeighborParams, align_corners),
    FIELD(1, BOOL, TfLiteResizeNearestNeighborParams, half_pixel_centers),
};
static const struct field depth_to_space[] = {FIELD(0, INT, TfLiteDepthToSpaceParams, block_size)};
static const struct field gather[] = {
    FIELD(0, INT, TfLiteGatherParams, axis),
    FIELD(1, INT, TfLiteGatherParams, batch_dims),
};
static const struct field pack[] = {
    FIELD(0, INT, TfLitePackParams, values_count),
    FIELD(1, INT, TfLitePackParams, axis),
};
static const struct field unpack[] = {
    FIELD(0, INT, TfLiteUnpackParams, num),
    FIELD(1, INT, TfLiteUnpackParams, axis),
};
static const struct field mirror_pad[] = {FIELD(0, COUNTED, TfLiteMirrorPaddingParams, mode)};

#define OPTIONS(operator, type_, fields_) \
  {.builtin_code = TVMQ_BUILTIN_##operator, .type =(type_), .n = sizeof(fields_) / sizeof(fields_)[0], .fields = (fields_)}

static const struct options {
  int32_t builtin_code;
  uint8_t type;  // number of the table in the schema's union
  uint8_t n;
  const struct field *fields;
} known[] = {
    OPTIONS(CONV_2D, 1, conv),
    OPTIONS(DEPTHWISE_CONV_2D, 2, depthwise_conv),
    OPTIONS(AVERAGE_POOL_2D, 5, pool),
    OPTIONS(MAX_POOL_2D, 5, pool),
    OPTIONS(FULLY_CONNECTED, 8, fully_connected),
    OPTIONS(SOFTMAX, 9, softmax),
    OPTIONS(CONCATENATION, 10, concatenation),
    OPTIONS(ADD, 11, add),
    OPTIONS(RESIZE_BILINEAR, 15, resize_bilinear),
    OPTIONS(RESHAPE, 17, reshape),
    OPTIONS(SPACE_TO_DEPTH, 19, depth_to_space),
    OPTIONS(MUL, 21, mul),
    OPTIONS(GATHER, 23, gather),
    OPTIONS(MEAN, 27, reducer),
    OPTIONS(SUM, 27, reducer),
    OPTIONS(REDUCE_MAX, 27, reducer),
    OPTIONS(REDUCE_MIN, 27, reducer),
    OPTIONS(SUB, 28, add),
    OPTIONS(DIV, 29, mul),
    OPTIONS(SQUEEZE, 30, squeeze),
    OPTIONS(STRIDED_SLICE, 32, strided_slice),
    OPTIONS(ARG_MAX, 40, arg_max),
    OPTIONS(TRANSPOSE_CONV, 49, transpose_conv),
    OPTIONS(PACK, 59, pack),
    OPTIONS(UNPACK, 64, unpack),
    OPTIONS(RESIZE_NEAREST_NEIGHBOR, 74, resize_nearest_neighbor),
    OPTIONS(LEAKY_RELU, 75, leaky_relu),
    OPTIONS(MIRROR_PAD, 77, mirror_pad),
    OPTIONS(DEPTH_TO_SPACE, 94, depth_to_space),
    OPTIONS(BATCH_MATMUL, 101, batch_matmul),
    OPTIONS(GELU, 116, gelu),
};

// ---- reading

TfLiteType tvmq_type_of_schema(uint64_t type) {
  enum { NEWER = kTfLiteTypeLimit - 1 };
  // In the order of the schema: FLOAT32, FLOAT16, INT32, UINT8, INT64, STRING, BOOL, INT16, COMPLEX64, INT8, FLOAT64,
  // COMPLEX128, UINT64, RESOURCE, VARIANT, UINT32, UINT16, INT4.
  static const uint8_t types[] = {1, 10, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18};
  return type < sizeof types ? (TfLiteType)types[type] : (TfLiteType)NEWER;
}

static void read_list(struct tvmq_flatbuffer *file, const struct tvmq_table *options, const struct field *field, int32_t *list) {
  const struct tvmq_vector vector = tvmq_table_vector(file, options, field->number, sizeof list[0]);
  const bool fits = vector.n <= LIST_SIZE;
  if (fits && vector.n > 0) memcpy(list, vector.data, vector.n * sizeof list[0]);
  list[LIST_SIZE] = fits ? (int32_t)vector.n : LIST_SIZE + 1;  // too long: refused by its reader
}

static void read_field(struct tvmq_flatbuffer *file, const struct tvmq_table *options, const struct field *field, void *member) {
  if (field->kind == LIST) {
    read_list(file, options, field, member);
    return;
  }
  const size_t bytes = field->kind == INT || field->kind == FLOAT ? sizeof(int32_t) : 1;
  const uint64_t value = tvmq_table_number(file, options, field->number, bytes, field->absent);
  const uint32_t word = field->kind == COUNTED ? (value <= 1 ? (uint32_t)value + 1 : 0) : field->kind == TYPE ? tvmq_type_of_schema(value) : (uint32_t)value;
  const uint8_t flag = value != 0;
  memcpy(member, field->kind == BOOL ? (const void *)&flag : &word, field->kind == BOOL ? sizeof flag : sizeof word);
}

bool tvmq_read_builtin_data(struct tvmq_flatbuffer *file, const struct tvmq_table *node, int32_t builtin_code, union tvmq_builtin_data *data) {
  const struct options *found = known, *const end = known + sizeof known / sizeof known[0];
  while (found < end && found->builtin_code != builtin_code) found++;
  if (found == end) return false;
  memset(data, 0, sizeof *data);
  if (tvmq_table_number(file, node, OPERATOR_OPTIONS_TYPE, 1, 0) != found->type) return true;
  const struct tvmq_table options = tvmq_table_table(file, node, OPERATOR_OPTIONS);
  for (size_t i = 0; options.at != 0 && i < found->n; i++) read_field(file, &options, &found->fields[i], (char *)data + found->fields[i].offset);
  return true;
}
