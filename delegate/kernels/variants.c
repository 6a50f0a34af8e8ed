#include "kernels/variants.h"

// Instruction sets for which this library has kernels. kernels/meson.build defines each TVMQ_HAVE_<ISA> as 0 or 1. The
// functions of other rows do not exist; the constant condition hides their names from the linker.
#define HAVE(isa) (TVMQ_HAVE_##isa ? TVMQ_CPU_##isa : 0u)
#define BUILT (HAVE(NEON) | HAVE(DOTPROD) | HAVE(I8MM) | HAVE(AVX2) | HAVE(AVXVNNI) | HAVE(AVX512VNNI) | HAVE(AVX512VBMI) | HAVE(AMX))
#define FN(SYMBOL, CPU) (((CPU) & ~BUILT) == 0 ? SYMBOL : NULL)

// The variable arguments are a_offset, and rotation if there is one.
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
  {.name = #SYMBOL,                                           \
   .family = TVMQ_FAMILY_##FAMILY,                            \
   .cpu = CPU,                                                \
   .flags = FLAGS,                                            \
   .mr = MR,                                                  \
   .layout = LAYOUT PANEL,                                    \
   .speeds = {__VA_ARGS__},                                   \
   .fn.gemm = FN(SYMBOL, CPU)},
#define TVMQ_ROW_SUMS(SYMBOL, CPU, ...) {.name = #SYMBOL, .family = TVMQ_FAMILY_ROW_SUMS, .cpu = CPU, .speeds = {__VA_ARGS__}, .fn.row_sums = FN(SYMBOL, CPU)},
#define TVMQ_DEPTHWISE(FAMILY, SYMBOL, CPU, FLAGS, WINDOW, MR, PANEL, ...) \
  {.name = #SYMBOL,                                                        \
   .family = TVMQ_FAMILY_##FAMILY,                                         \
   .cpu = CPU,                                                             \
   .flags = FLAGS,                                                         \
   .only = ONLY WINDOW,                                                    \
   .mr = MR,                                                               \
   .layout = DEPTHWISE_LAYOUT PANEL,                                       \
   .speeds = {__VA_ARGS__},                                                \
   .fn.depthwise = FN(SYMBOL, CPU)},
#define TVMQ_QUANTIZE(SYMBOL, CPU, IN_TYPE, OUT_TYPE, RATE) \
  {.name = #SYMBOL,                                         \
   .family = TVMQ_FAMILY_QUANTIZE,                          \
   .cpu = CPU,                                              \
   .in_type = IN_TYPE,                                      \
   .out_type = OUT_TYPE,                                    \
   .speeds = {{.rate = RATE}},                              \
   .fn.quantize = FN(SYMBOL, CPU)},
#define TVMQ_BYTE_MAP(SYMBOL, CPU, FLAGS, ...) \
  {.name = #SYMBOL, .family = TVMQ_FAMILY_BYTE_MAP, .cpu = CPU, .flags = FLAGS, .speeds = {__VA_ARGS__}, .fn.byte_map = FN(SYMBOL, CPU)},
#define TVMQ_WORD_MAP(SYMBOL, CPU, ...) {.name = #SYMBOL, .family = TVMQ_FAMILY_WORD_MAP, .cpu = CPU, .speeds = {__VA_ARGS__}, .fn.word_map = FN(SYMBOL, CPU)},
#define TVMQ_ADD(SYMBOL, CPU, TYPE, ...) \
  {.name = #SYMBOL, .family = TVMQ_FAMILY_ADD, .cpu = CPU, .in_type = TYPE, .out_type = TYPE, .speeds = {__VA_ARGS__}, .fn.add = FN(SYMBOL, CPU)},
#define TVMQ_MUL(SYMBOL, CPU, FLAGS, TYPE, ...) \
  {.name = #SYMBOL,                             \
   .family = TVMQ_FAMILY_MUL,                   \
   .cpu = CPU,                                  \
   .flags = FLAGS,                              \
   .in_type = TYPE,                             \
   .out_type = TYPE,                            \
   .speeds = {__VA_ARGS__},                     \
   .fn.mul = FN(SYMBOL, CPU)},
#define TVMQ_INTERPOLATE(SYMBOL, CPU, TYPE, ...) \
  {.name = #SYMBOL,                              \
   .family = TVMQ_FAMILY_INTERPOLATE,            \
   .cpu = CPU,                                   \
   .in_type = TVMQ_TYPE_S32,                     \
   .out_type = TYPE,                             \
   .speeds = {__VA_ARGS__},                      \
   .fn.interpolate = FN(SYMBOL, CPU)},
#define TVMQ_SOFTMAX(SYMBOL, CPU, OUT_TYPE, ...) \
  {.name = #SYMBOL,                              \
   .family = TVMQ_FAMILY_SOFTMAX,                \
   .cpu = CPU,                                   \
   .in_type = TVMQ_TYPE_S8,                      \
   .out_type = OUT_TYPE,                         \
   .speeds = {__VA_ARGS__},                      \
   .fn.softmax = FN(SYMBOL, CPU)},
#define TVMQ_ARG_MAX(SYMBOL, CPU, ...) {.name = #SYMBOL, .family = TVMQ_FAMILY_ARG_MAX, .cpu = CPU, .speeds = {__VA_ARGS__}, .fn.arg_max = FN(SYMBOL, CPU)},
#define TVMQ_MAXIMUM(SYMBOL, CPU, TYPE, ...) \
  {.name = #SYMBOL, .family = TVMQ_FAMILY_MAXIMUM, .cpu = CPU, .in_type = TYPE, .out_type = TYPE, .speeds = {__VA_ARGS__}, .fn.maximum = FN(SYMBOL, CPU)},
#define TVMQ_TRANSPOSE(SYMBOL, CPU, ...) \
  {.name = #SYMBOL, .family = TVMQ_FAMILY_TRANSPOSE, .cpu = CPU, .speeds = {__VA_ARGS__}, .fn.transpose = FN(SYMBOL, CPU)},
#define TVMQ_FLOAT(MEMBER, FAMILY, SYMBOL, CPU, ...) \
  {.name = #SYMBOL, .family = TVMQ_FAMILY_##FAMILY, .cpu = CPU, .speeds = {__VA_ARGS__}, .fn.MEMBER = FN(SYMBOL, CPU)},
#define TVMQ_POOL(FAMILY, SYMBOL, CPU, TYPE, NR, ...) \
  {.name = #SYMBOL,                                   \
   .family = TVMQ_FAMILY_##FAMILY,                    \
   .cpu = CPU,                                        \
   .in_type = TYPE,                                   \
   .out_type = TYPE,                                  \
   .layout.nr = NR,                                   \
   .speeds = {__VA_ARGS__},                           \
   .fn.pool = FN(SYMBOL, CPU)},
// Transforms have no weights: only nr of their layout has a meaning, the channels per vector.
#define TVMQ_WINOGRAD_INPUT(SYMBOL, CPU, NR, ...) \
  {.name = #SYMBOL, .family = TVMQ_FAMILY_WINOGRAD_INPUT, .cpu = CPU, .layout.nr = NR, .speeds = {__VA_ARGS__}, .fn.winograd_input = FN(SYMBOL, CPU)},
#define TVMQ_WINOGRAD_GEMM(SYMBOL, CPU, FLAGS, MR, PANEL, ...) \
  {.name = #SYMBOL,                                            \
   .family = TVMQ_FAMILY_WINOGRAD_GEMM,                        \
   .cpu = CPU,                                                 \
   .flags = FLAGS,                                             \
   .mr = MR,                                                   \
   .layout = LAYOUT PANEL,                                     \
   .speeds = {__VA_ARGS__},                                    \
   .fn.winograd_gemm = FN(SYMBOL, CPU)},
#define TVMQ_WINOGRAD_OUTPUT(SYMBOL, CPU, FLAGS, NR, ...) \
  {.name = #SYMBOL,                                       \
   .family = TVMQ_FAMILY_WINOGRAD_OUTPUT,                 \
   .cpu = CPU,                                            \
   .flags = FLAGS,                                        \
   .layout.nr = NR,                                       \
   .speeds = {__VA_ARGS__},                               \
   .fn.winograd_output = FN(SYMBOL, CPU)},

const struct tvmq_variant tvmq_variants[] = {
#include "kernels/variants.def"
};
const uint32_t tvmq_built = BUILT;
const size_t tvmq_n_variants = sizeof tvmq_variants / sizeof tvmq_variants[0];
_Static_assert(sizeof tvmq_variants / sizeof tvmq_variants[0] <= TVMQ_MOST_VARIANTS, "too many for tables of all");
