// Macros for the hot loops of depthwise convolution without dot products, and the loops over blocks of a call; only for
// the files of such loops. Names are also in depthwise_loops_dotprod.h; no file includes both.
//
// Output pixels have 16 channels: v16-v19 hold the sums of the first pixel, v20-v23 of the second. Two taps are
// multiplied and added in int16, then added to int32. Macro names begin with the type if int8 and uint8 differ. CLAMPED
// or WHOLE: a clamp, or the type's range. UP or AWAY: ties go up or away from zero. The includer defines TAPS, the
// number of the filter's taps as a string.
#pragma once

#include "kernels/arm64/depthwise_neon.h"
#include "kernels/arm64/stage_neon.h"

// Constants of a block's output stage, which the loops load, followed by room for sums of pixels.
struct stage {
  int32_t shift[16];          // left shifts, so that a result begins in the upper half
  int32_t zero_point_s32[4];  // zero point in the upper half
  int16_t zero_point_s16[8];
  uint8_t min[16], max[16];
  int16_t sums[32];
};
_Static_assert(offsetof(struct stage, sums) == 128, "the loops know where the members are");

// One block of a call.
struct block {
  const struct tvmq_depthwise_args *args;
  size_t channel;
  const void *panel;
  uint8_t *out;
  struct stage stage;
};

// clang-format off
#define FIRST 16, 17, 18, 19
#define SECOND 20, 21, 22, 23
#define LOAD(v, pixel) "ldr q" #v ", [x" #pixel ", %[channel]]\n"
#define BIAS(acc, v) "ldr q" #acc ", [%[panel], #16*" #v "]\n"
#define WEIGHT(v, i) "ldr q" #v ", [%[panel], #16*(4+" #i ")]\n"
#define FLIP(v, by) "eor v" #v ".16b, v" #v ".16b, v" #by ".16b\n"
#define UINT8_FLIP(by, v0, v1, v2) FLIP(v0, by) FLIP(v1, by) FLIP(v2, by)
#define UINT8_FLIP_BY(v) "movi v" #v ".16b, #0x80\n"
#define INT8_FLIP(...)
#define INT8_FLIP_BY(v)

// Multiplies a tap, and adds the products of another tap: 16 products in two registers.
#define TAP(low, high, x, w)                     \
  "smull v" #low ".8h, v" #x ".8b, v" #w ".8b\n" \
  "smull2 v" #high ".8h, v" #x ".16b, v" #w ".16b\n"
#define AND_TAP(low, high, x, w)                 \
  "smlal v" #low ".8h, v" #x ".8b, v" #w ".8b\n" \
  "smlal2 v" #high ".8h, v" #x ".16b, v" #w ".16b\n"
#define ADD_4(low, high, a0, a1, a2, a3, from0, from1, from2, from3) \
  "saddw v" #a0 ".4s, v" #from0 ".4s, v" #low ".4h\n"                \
  "saddw2 v" #a1 ".4s, v" #from1 ".4s, v" #low ".8h\n"               \
  "saddw v" #a2 ".4s, v" #from2 ".4s, v" #high ".4h\n"               \
  "saddw2 v" #a3 ".4s, v" #from3 ".4s, v" #high ".8h\n"
#define ADD_OF(...) ADD_4(__VA_ARGS__)
#define ADD(low, high, to) ADD_OF(low, high, to, to)
#define ADD_TO(low, high, to, from) ADD_OF(low, high, to, from)

// Output stage. If ties go away from zero, negative products are decremented (stage_neon.h).
#define MULTIPLIER(v, i) "ldr q" #v ", [%[panel], #16*(4+" TAPS "+" #i ")]\n"
#define SHIFT(v, i) "ldr q" #v ", [%[stage], #16*" #i "]\n"
#define EACH(OP, a0, a1, a2, a3, b0, b1, b2, b3) OP(a0, b0) OP(a1, b1) OP(a2, b2) OP(a3, b3)
#define EACH_OF(...) EACH(__VA_ARGS__)
#define MULTIPLY(acc, v) "sqrdmulh v" #acc ".4s, v" #acc ".4s, v" #v ".4s\n"
#define LOWER(acc, v) "ssra v" #acc ".4s, v" #acc ".4s, #31\n"
#define UP_LOWER(...)
#define AWAY_LOWER(accs) EACH_OF(LOWER, accs, , , , )
// Adds the upper halves and the zero point in v15. int8: the sum fits; uint8: the sum may saturate.
#define INT8_ZERO_POINT "ldr q15, [%[stage], #64]\n"
#define INT8_NARROW_LOW(acc) "raddhn v" #acc ".4h, v" #acc ".4s, v15.4s\n"
#define INT8_NARROW_HIGH(acc, a1) "raddhn2 v" #acc ".8h, v" #a1 ".4s, v15.4s\n"
#define INT8_ADD_ZERO_POINT(acc)
#define INT8_SHIFT(acc, v) "sshl v" #acc ".4s, v" #acc ".4s, v" #v ".4s\n"
#define UINT8_ZERO_POINT "ldr q15, [%[stage], #80]\n"
#define UINT8_NARROW_LOW(acc) "sqrshrn v" #acc ".4h, v" #acc ".4s, #16\n"
#define UINT8_NARROW_HIGH(acc, a1) "sqrshrn2 v" #acc ".8h, v" #a1 ".4s, #16\n"
#define UINT8_ADD_ZERO_POINT(acc) "sqadd v" #acc ".8h, v" #acc ".8h, v15.8h\n"
#define UINT8_SHIFT(acc, v) "sqshl v" #acc ".4s, v" #acc ".4s, v" #v ".4s\n"
#define INT8_LOW(v, low) "sqxtn v" #v ".8b, v" #low ".8h\n"
#define INT8_HIGH(v, high) "sqxtn2 v" #v ".16b, v" #high ".8h\n"
#define UINT8_LOW(v, low) "sqxtun v" #v ".8b, v" #low ".8h\n"
#define UINT8_HIGH(v, high) "sqxtun2 v" #v ".16b, v" #high ".8h\n"
#define WHOLE_BOUNDS(...)
#define WHOLE_ABOVE(...)
#define WHOLE_BELOW(...)
#define CLAMPED_BOUNDS(min, max) "ldr q" #min ", [%[stage], #96]\n" "ldr q" #max ", [%[stage], #112]\n"
#define CLAMPED_ABOVE(TYPE, v, min) TYPE##_OF_TWO(max, v, min)
#define CLAMPED_BELOW(TYPE, v, max) TYPE##_OF_TWO(min, v, max)
#define INT8_OF_TWO(op, v, bound) "s" #op " v" #v ".16b, v" #v ".16b, v" #bound ".16b\n"
#define UINT8_OF_TWO(op, v, bound) "u" #op " v" #v ".16b, v" #v ".16b, v" #bound ".16b\n"
#define STORE(v) "str q" #v ", [%[out]]\n"
#define STORE_SECOND(v) "str q" #v ", [%[out], %[out_column]]\n" "add %[out], %[out], %[out_column], lsl #1\n"

#define ALL_VECTORS                                                                                                                                      \
  "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", \
    "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31"

// Name of a loop over all blocks, and the loops of a kernel for a type and a clamp.
#define LOOP_NAME(KERNEL, TYPE, CLAMP, FILTER, ROUND) loop_##KERNEL##_##TYPE##_##CLAMP##_##FILTER##_##ROUND
#define LOOPS(KERNEL, TYPE, CLAMP, FILTER) LOOP(KERNEL, TYPE, CLAMP, FILTER, UP) LOOP(KERNEL, TYPE, CLAMP, FILTER, AWAY)
#define ROUNDS(KERNEL, TYPE, CLAMP, FILTER) {LOOP_NAME(KERNEL, TYPE, CLAMP, FILTER, AWAY), LOOP_NAME(KERNEL, TYPE, CLAMP, FILTER, UP)}
// clang-format on

// Sets `block` to block `b`. Returns false if there is none.
TVMQ_INLINE bool begin(struct block *block, size_t b) {
  const struct tvmq_depthwise_args *args = block->args;
  if (b == args->n_blocks) return false;
  block->channel = args->channel_offset + b * 16;
  block->panel = (const char *)args->panel + b * args->panel_bytes;
  block->out = (uint8_t *)args->out + b * 16;
  const int32_t *shift = (const int32_t *)((const char *)block->panel + args->filter_h * args->filter_w * 16) + 2 * 16;
  int32x4_t left[4];
  UNROLL for (size_t i = 0; i < 4; i++) left[i] = vaddq_s32(vld1q_s32(shift + 4 * i), vdupq_n_s32(16));
  UNROLL for (size_t i = 0; i < 4; i++) vst1q_s32(block->stage.shift + 4 * i, left[i]);
  return true;
}

// The loops of one kernel: [uint8][clamped][has a filter zero point][ties go up]; NULL: not supported.
typedef void (*loop_fn)(struct block *block);
typedef const loop_fn loop_table[2][2][2][2];

// Returns false, without computing anything, if the output stage is not supported.
static inline bool run_loops(const struct tvmq_depthwise_args *args, loop_table *loops) {
  const struct tvmq_stage *stage = args->stage;
  if (args->in_flip != stage->flip || stage->rounding == TVMQ_ROUNDING_SINGLE || !stage->right_shifts || (!stage->flip && !stage->fits_int16)) return false;
  const loop_fn loop = (*loops)[stage->flip != 0][tvmq_stage_clamps(stage)][args->filter_zero_point != 0][tvmq_stage_ties_up(stage)];
  if (!loop) return false;

  const int32_t zero_point = stage->zero_point + stage->flip;
  struct block block = {.args = args};
  vst1q_s32(block.stage.zero_point_s32, vdupq_n_s32(zero_point * (1 << 16)));
  vst1q_s16(block.stage.zero_point_s16, vdupq_n_s16((int16_t)zero_point));
  vst1q_u8(block.stage.min, vdupq_n_u8((uint8_t)(stage->min ^ stage->flip)));
  vst1q_u8(block.stage.max, vdupq_n_u8((uint8_t)(stage->max ^ stage->flip)));
  loop(&block);
  return true;
}
