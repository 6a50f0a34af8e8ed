#include "kernels/variants.h"

// The rest is a_offset, and rotation if there is one.
#define LAYOUT(NR, KR, KU, WEIGHT_BYTES, ACC_BYTES, ...) \
  {.nr = NR, .kr = KR, .ku = KU, .weight_bytes = WEIGHT_BYTES, .acc_bytes = ACC_BYTES, .a_offset = __VA_ARGS__}
#define DEPTHWISE_LAYOUT(NR, KR, KU, WEIGHT_BYTES, ACC_BYTES, A_OFFSET, OUT_ROWS, ROW_STEP, LANES) \
  {.nr = NR,                                                                                       \
   .kr = KR,                                                                                       \
   .ku = KU,                                                                                       \
   .weight_bytes = WEIGHT_BYTES,                                                                   \
   .acc_bytes = ACC_BYTES,                                                                         \
   .a_offset = A_OFFSET,                                                                           \
   .out_rows = OUT_ROWS,                                                                           \
   .row_step = ROW_STEP,                                                                           \
   .lanes = LANES}
#define ONLY(FILTER_H, FILTER_W, STRIDE) {.filter_h = FILTER_H, .filter_w = FILTER_W, .stride = STRIDE}

#define TVMQ_GEMM(FAMILY, SYMBOL, CPU, FLAGS, MR, PANEL, ...) \
  {.name = #SYMBOL, .family = TVMQ_FAMILY_##FAMILY, .cpu = CPU, .flags = FLAGS, .mr = MR, .layout = LAYOUT PANEL, .speeds = {__VA_ARGS__}, .fn.gemm = SYMBOL},
#define TVMQ_ROW_SUMS(SYMBOL, CPU, ...) {.name = #SYMBOL, .family = TVMQ_FAMILY_ROW_SUMS, .cpu = CPU, .speeds = {__VA_ARGS__}, .fn.row_sums = SYMBOL},
#define TVMQ_DEPTHWISE(FAMILY, SYMBOL, CPU, FLAGS, WINDOW, MR, PANEL, ...) \
  {.name = #SYMBOL,                                                        \
   .family = TVMQ_FAMILY_##FAMILY,                                         \
   .cpu = CPU,                                                             \
   .flags = FLAGS,                                                         \
   .only = ONLY WINDOW,                                                    \
   .mr = MR,                                                               \
   .layout = DEPTHWISE_LAYOUT PANEL,                                       \
   .speeds = {__VA_ARGS__},                                                \
   .fn.depthwise = SYMBOL},
#define TVMQ_QUANTIZE(SYMBOL, CPU, IN_TYPE, OUT_TYPE, RATE) \
  {.name = #SYMBOL, .family = TVMQ_FAMILY_QUANTIZE, .cpu = CPU, .in_type = IN_TYPE, .out_type = OUT_TYPE, .speeds = {{.rate = RATE}}, .fn.quantize = SYMBOL},
#define TVMQ_BYTE_MAP(SYMBOL, CPU, ...) {.name = #SYMBOL, .family = TVMQ_FAMILY_BYTE_MAP, .cpu = CPU, .speeds = {__VA_ARGS__}, .fn.byte_map = SYMBOL},
#define TVMQ_ADD(SYMBOL, CPU, TYPE, ...) \
  {.name = #SYMBOL, .family = TVMQ_FAMILY_ADD, .cpu = CPU, .in_type = TYPE, .out_type = TYPE, .speeds = {__VA_ARGS__}, .fn.add = SYMBOL},
#define TVMQ_MUL(SYMBOL, CPU, FLAGS, TYPE, ...) \
  {.name = #SYMBOL, .family = TVMQ_FAMILY_MUL, .cpu = CPU, .flags = FLAGS, .in_type = TYPE, .out_type = TYPE, .speeds = {__VA_ARGS__}, .fn.mul = SYMBOL},
#define TVMQ_INTERPOLATE(SYMBOL, CPU, TYPE, ...) \
  {.name = #SYMBOL,                              \
   .family = TVMQ_FAMILY_INTERPOLATE,            \
   .cpu = CPU,                                   \
   .in_type = TVMQ_TYPE_S32,                     \
   .out_type = TYPE,                             \
   .speeds = {__VA_ARGS__},                      \
   .fn.interpolate = SYMBOL},
#define TVMQ_SOFTMAX(SYMBOL, CPU, OUT_TYPE, ...) \
  {.name = #SYMBOL, .family = TVMQ_FAMILY_SOFTMAX, .cpu = CPU, .in_type = TVMQ_TYPE_S8, .out_type = OUT_TYPE, .speeds = {__VA_ARGS__}, .fn.softmax = SYMBOL},
#define TVMQ_MAXIMUM(SYMBOL, CPU, TYPE, ...) \
  {.name = #SYMBOL, .family = TVMQ_FAMILY_MAXIMUM, .cpu = CPU, .in_type = TYPE, .out_type = TYPE, .speeds = {__VA_ARGS__}, .fn.maximum = SYMBOL},
#define TVMQ_POOL(FAMILY, SYMBOL, CPU, TYPE, NR, ...) \
  {.name = #SYMBOL, .family = TVMQ_FAMILY_##FAMILY, .cpu = CPU, .in_type = TYPE, .out_type = TYPE, .layout.nr = NR, .speeds = {__VA_ARGS__}, .fn.pool = SYMBOL},
// Transforms have no weights: of their layout only nr, the channels at a time, means something.
#define TVMQ_WINOGRAD_INPUT(SYMBOL, CPU, NR, ...) \
  {.name = #SYMBOL, .family = TVMQ_FAMILY_WINOGRAD_INPUT, .cpu = CPU, .layout.nr = NR, .speeds = {__VA_ARGS__}, .fn.winograd_input = SYMBOL},
#define TVMQ_WINOGRAD_GEMM(SYMBOL, CPU, MR, PANEL, ...) \
  {.name = #SYMBOL, .family = TVMQ_FAMILY_WINOGRAD_GEMM, .cpu = CPU, .mr = MR, .layout = LAYOUT PANEL, .speeds = {__VA_ARGS__}, .fn.winograd_gemm = SYMBOL},
#define TVMQ_WINOGRAD_OUTPUT(SYMBOL, CPU, NR, ...) \
  {.name = #SYMBOL, .family = TVMQ_FAMILY_WINOGRAD_OUTPUT, .cpu = CPU, .layout.nr = NR, .speeds = {__VA_ARGS__}, .fn.winograd_output = SYMBOL},

const struct tvmq_variant tvmq_variants[] = {
#include "kernels/variants.def"
};
const size_t tvmq_n_variants = sizeof tvmq_variants / sizeof tvmq_variants[0];
