#include "cpu/machine.h"

#include <string.h>

#include "cpu/cpu_bits.h"

// Groups of costs that machines share. They were measured on one machine, because the others could not be measured.
#define THREADS                                                                                                                                    \
  .tasks_per_thread = 8, .task_cycles = 1500, .next_task_cycles = 4000, .panel_cycles = 300, .moved_byte_cycles = 0.6f, .shared_line_cycles = 250, \
  .done_cycles = 1500, .small_cycles = 8000, .imbalance = 0.25f
// THREADS for cores with faster communication. Measured on an EPYC with Zen 5, which reads data from another core as
// fast as its own.
#define NEAR_THREADS(moved)                                                                                                                         \
  .tasks_per_thread = 8, .task_cycles = 1000, .next_task_cycles = 1500, .panel_cycles = 300, .moved_byte_cycles = moved, .shared_line_cycles = 250, \
  .done_cycles = 1000, .small_cycles = 8000, .imbalance = 0.15f
#define LIMITS                                                                                                                                            \
  .gemm_least_tiles = 4, .gemm_most_rows = 512, .matrix_least_tiles = 8, .matrix_most_rows = 2048, .winograd_least_tiles = 8, .depthwise_least_tiles = 2, \
  .short_row = 8, .window_bytes = 16 * 1024, .tile_bytes = 16 * 1024, .float_results = 8, .amx_start_cycles = 900
#define COPIES                                                                                                                                 \
  .copied_byte_cycles = 0.15f, .widened_byte_cycles = 0.15f, .copied_pixel_cycles = 8, .joined_copy_cycles = 20, .joined_byte_cycles = 0.125f, \
  .flipped_byte_cycles = 0.06f, .lone_tile = 0.5f
#define OUT_OF_ORDER_ROWS .zipped_piece_cycles = 1.5f, .zipped_byte_cycles = 0.044f, .strip_start_cycles = 60, .strip_column_cycles = 6
#define IN_ORDER_ROWS .zipped_piece_cycles = 8, .zipped_byte_cycles = 0.26f, .strip_start_cycles = 150, .strip_column_cycles = 30, .gathered_lane_cycles = 8
#define X86_ROWS                                                                                                                               \
  .list_cycles = 2, .pixel_pointer_cycles = 1, .copied_piece_cycles = 6, .side_piece_cycles = 6, .line_byte_cycles = 0.2f, .node_cycles = 150, \
  .tap_cycles = 1, .gathered_lane_cycles = 1.5f
// Costs that differ most between Arm cores: for each item written by the functions that write pointers and copy rows
// (docs/cost-model.md).
#define CORTEX_A53                                                                                                                                      \
  .pointer_cycles = 9, .summed_pointer_cycles = 36, .list_cycles = 3.1f, .pixel_pointer_cycles = 4, .copied_piece_cycles = 16, .moved_piece_cycles = 7, \
  .side_piece_cycles = 110, .line_byte_cycles = 1.3f, .node_cycles = 2800, .tap_cycles = 26
#define CORTEX_A55                                                                                                                                         \
  .pointer_cycles = 6, .summed_pointer_cycles = 24, .list_cycles = 3.1f, .pixel_pointer_cycles = 3.9f, .copied_piece_cycles = 12, .moved_piece_cycles = 6, \
  .side_piece_cycles = 95, .line_byte_cycles = 1.3f, .node_cycles = 2800, .tap_cycles = 4
#define CORTEX_A72                                                                                                                  \
  .pointer_cycles = 4, .summed_pointer_cycles = 16, .list_cycles = 1.4f, .pixel_pointer_cycles = 1.7f, .copied_piece_cycles = 4.5f, \
  .moved_piece_cycles = 3.5f, .side_piece_cycles = 34, .line_byte_cycles = 0.36f, .node_cycles = 600, .tap_cycles = 3
#define NEOVERSE_N1                                                                                                                 \
  .pointer_cycles = 2, .summed_pointer_cycles = 8, .list_cycles = 0.75f, .pixel_pointer_cycles = 1.5f, .copied_piece_cycles = 2.8f, \
  .moved_piece_cycles = 2.2f, .side_piece_cycles = 32, .line_byte_cycles = 0.2f, .node_cycles = 450, .tap_cycles = 0.5f
#define NEOVERSE_V1                                                                                                                      \
  .pointer_cycles = 1.2f, .summed_pointer_cycles = 4.8f, .list_cycles = 0.6f, .pixel_pointer_cycles = 1.3f, .copied_piece_cycles = 1.3f, \
  .moved_piece_cycles = 1.3f, .side_piece_cycles = 18, .line_byte_cycles = 0.1f, .node_cycles = 300, .tap_cycles = 0.5f
#define X86_CACHES .block_bytes = 256 * 1024, .strip_bytes = 256 * 1024
#define ARM_CACHES .block_bytes = 64 * 1024, .strip_bytes = 48 * 1024, .winograd_bytes = 256 * 1024, .streamed_byte_cycles = 0.4f
#define X86 X86_ROWS, OUT_OF_ORDER_ROWS, COPIES, X86_CACHES, LIMITS
#define ARM_WEIGHTS .flipped_use_cycles = 0.015f, .weight_byte_cycles = 0.1f
#define ARM OUT_OF_ORDER_ROWS, .gathered_lane_cycles = 2.5f, ARM_WEIGHTS, COPIES, ARM_CACHES, THREADS, LIMITS
#define ARM_IN_ORDER IN_ORDER_ROWS, ARM_WEIGHTS, COPIES, ARM_CACHES, THREADS, LIMITS
#define DOTPROD (TVMQ_CPU_NEON | TVMQ_CPU_DOTPROD)
#define I8MM (DOTPROD | TVMQ_CPU_I8MM)
#define AVX512 (TVMQ_CPU_AVX2 | TVMQ_CPU_AVX512VNNI)
#define SPEEDS(list) .speeds = list, .n_speeds = sizeof list / sizeof list[0]

static const struct tvmq_kernel_speed sapphire_rapids[] = {
    {"tvmq_gemm_s8_7x64c4__avx512vnni", 118, 77},
};

static const struct tvmq_kernel_speed cascade_lake[] = {
    {"tvmq_gemm_s8_12x32c4l__avx512vnni", 77, 70},
    {"tvmq_gemm_s8_16x16c4l__avx512vnni", 60, 57},
    {"tvmq_gemm_s8_6x64c4__avx512vnni", 94, 66},
    {"tvmq_gemm_s8_12x32c4__avx512vnni", 77, 70},
    {"tvmq_gemm_s8_16x16c4__avx512vnni", 55, 57},
    {"tvmq_gemm_s8_6x16c2__avx2", 15, 33},
    {"tvmq_winograd_output_s8_16c__avx512vnni", 1, 0},
    {"tvmq_winograd_gemm_s16_12x32c2__avx512vnni", 37, 10},
    {"tvmq_winograd_gemm_s16_24x16c2__avx512vnni", 22, 14},
};

static const struct tvmq_kernel_speed zen5[] = {
    {"tvmq_gemm_s8_1x16c4__avx512vnni", 56, 40},    {"tvmq_gemm_s8_1x64c4__avx512vnni", 62, 50},       {"tvmq_gemm_s8_12x32c4l__avx512vnni", 125, 56},
    {"tvmq_gemm_s8_16x16c4l__avx512vnni", 113, 45}, {"tvmq_winograd_output_s8_16c__avx512vnni", 3, 0},
};

// Zen 4 executes 512-bit operations in two halves. AVX-512 kernels have half the rates; AVX2 kernels have rates of
// their own.
static const struct tvmq_kernel_speed zen4[] = {
    {"tvmq_gemm_s8_1x16c4__avx512vnni", 36, 40},
    {"tvmq_gemm_s8_1x64c4__avx512vnni", 38, 45},
    {"tvmq_gemm_s8_6x64c4__avx512vnni", 63, 58},
    {"tvmq_gemm_s8_7x64c4__avx512vnni", 63, 68},
    {"tvmq_winograd_gemm_s16_24x16c2__avx512vnni", 27, 14},
    {"tvmq_gemm_s8_12x32c4__avx512vnni", 63, 62},
    {"tvmq_gemm_s8_16x16c4__avx512vnni", 63, 55},
    {"tvmq_gemm_s8_12x32c4l__avx512vnni", 63, 62},
    {"tvmq_gemm_s8_16x16c4l__avx512vnni", 63, 50},
    {"tvmq_gemm_s16_12x32c2__avx512vnni", 30, 115},
    {"tvmq_gemm_s8_6x16c2__avx2", 23.5f, 33},
    {"tvmq_gemm_s8_4x16c2__avx2", 16.8f, 20},
    {"tvmq_gemm_s8_1x4c16__avx2", 12, 60},
    {"tvmq_gemm_s8_1x4c16__avx512vnni", 36, 50},
    {"tvmq_depthwise_s8_1x64v4__avx512vnni", 15, 7},
    {"tvmq_depthwise_s8_2x32v4__avx512vnni", 16, 8},
    {"tvmq_depthwise_s8_4x16v4__avx512vnni", 13.2f, 14},
    {"tvmq_depthwise_s8_2x64v4s1__avx512vnni", 24, 2},
    {"tvmq_depthwise_s8_4x32v4s1__avx512vnni", 22.5f, 2},
    {"tvmq_depthwise_s8_8x16v4s1__avx512vnni", 19.5f, 6},
    {"tvmq_depthwise_s8_1x16v2__avx2", 9, 5},
    {"tvmq_depthwise_s8_2x16v2s1__avx2", 9.5f, 4},
    {"tvmq_winograd_gemm_s16_12x32c2__avx512vnni", 30, 10},
    {"tvmq_winograd_gemm_s16_6x16c2__avx2", 25, 8},
};

#define TVMQ_ARM_SPEEDS(core, ...) static const struct tvmq_kernel_speed core[] = {__VA_ARGS__};
#include "cpu/arm_speeds.def"

const struct tvmq_machine tvmq_machines[] = {
    // A Xeon with AMX: measured, except for the pointer costs, which were measured on Cascade Lake and Zen 5.
    {.name = "sapphire-rapids",
     .cpu = AVX512 | TVMQ_CPU_AVXVNNI | TVMQ_CPU_AVX512VBMI | TVMQ_CPU_AMX,
     SPEEDS(sapphire_rapids),
     .pointer_cycles = 9,
     .summed_pointer_cycles = 12,
     .moved_piece_cycles = 4,
     .flipped_use_cycles = 0.015f,
     .weight_byte_cycles = 0.1f,
     .streamed_byte_cycles = 0.15f,
     .winograd_bytes = 768 * 1024,
     X86,
     THREADS},
    // A Xeon with AVX-512 VNNI but no AMX: fitted to the times of candidates in networks.
    {.name = "cascade-lake",
     .cpu = AVX512,
     SPEEDS(cascade_lake),
     .pointer_cycles = 9,
     .summed_pointer_cycles = 12,
     .moved_piece_cycles = 2,
     .flipped_use_cycles = 0.02f,
     .weight_byte_cycles = 0.3f,
     .streamed_byte_cycles = 0.15f,
     .winograd_bytes = 768 * 1024,
     X86,
     THREADS},
    // An EPYC with AVX-512 VNNI and AVX-VNNI: fitted to the times of candidates in networks. Flipping at each use is
    // almost free.
    {.name = "zen5",
     .cpu = AVX512 | TVMQ_CPU_AVXVNNI | TVMQ_CPU_AVX512VBMI,
     SPEEDS(zen5),
     .pointer_cycles = 3,
     .summed_pointer_cycles = 12,
     .moved_piece_cycles = 2,
     .flipped_use_cycles = 0.001f,
     .weight_byte_cycles = 0.1f,
     .streamed_byte_cycles = 0.05f,
     .winograd_bytes = 768 * 1024,
     X86,
     NEAR_THREADS(0.1f)},
    // An EPYC with AVX-512 VNNI but no AVX-VNNI: kernels were timed alone, the rest is fitted to the times of
    // candidates in networks. A depthwise layer with half its input in another core's cache takes 0.6 more cycles per
    // byte. Sometimes it takes 1.3, apparently when the cores share no cache.
    {.name = "zen4",
     .cpu = AVX512 | TVMQ_CPU_AVX512VBMI,
     SPEEDS(zen4),
     .pointer_cycles = 9,
     .summed_pointer_cycles = 6,
     .moved_piece_cycles = 3,
     .flipped_use_cycles = 0.015f,
     .weight_byte_cycles = 0.1f,
     .streamed_byte_cycles = 0.15f,
     .winograd_bytes = 704 * 1024,
     X86,
     NEAR_THREADS(0.45f)},
    // Arm cores: estimated from instruction timings; latencies dominate on in-order cores. Thread costs are the Xeon's.
    {.name = "arm-out-of-order", .cpu = I8MM, CORTEX_A72, ARM},
    {.name = "arm-in-order", .in_order = true, .cpu = I8MM, CORTEX_A53, ARM_IN_ORDER},
    {.name = "cortex-a53", .in_order = true, .cpu = TVMQ_CPU_NEON, CORTEX_A53, SPEEDS(cortex_a53), ARM_IN_ORDER},
    {.name = "cortex-a55", .in_order = true, .cpu = DOTPROD, CORTEX_A55, SPEEDS(cortex_a55), ARM_IN_ORDER},
    {.name = "cortex-a72", .cpu = TVMQ_CPU_NEON, CORTEX_A72, SPEEDS(cortex_a72), ARM},
    {.name = "neoverse-n1", .cpu = DOTPROD, NEOVERSE_N1, SPEEDS(neoverse_n1), ARM},
    {.name = "neoverse-v1", .cpu = I8MM, NEOVERSE_V1, SPEEDS(neoverse_v1), ARM},
};
const size_t tvmq_n_machines = sizeof tvmq_machines / sizeof tvmq_machines[0];
_Static_assert(sizeof tvmq_machines / sizeof tvmq_machines[0] <= TVMQ_MOST_MACHINES, "too many for tables of all");

const struct tvmq_machine *tvmq_machine_named(const char *name) {
  for (size_t i = 0; i < tvmq_n_machines; i++) {
    if (strcmp(tvmq_machines[i].name, name) == 0) return &tvmq_machines[i];
  }
  return NULL;
}

const struct tvmq_machine *tvmq_machine_for(bool in_order) {
#if defined(__x86_64__)
  return tvmq_machine_named(in_order ? "arm-in-order" : "sapphire-rapids");
#else
  return tvmq_machine_named(in_order ? "arm-in-order" : "arm-out-of-order");
#endif
}
