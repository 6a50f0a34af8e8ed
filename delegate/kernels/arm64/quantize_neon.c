// Elementwise requantization and affine quantization on any Arm processor.
//
// Hazards: the zero point wraps where the definition does (stage.h).
#include "kernels/arm64/elements_neon.h"
#include "kernels/arm64/stage_neon.h"
#include "kernels/quantize_ways.h"

#define ISA neon
enum { STEPS = 2, BYTES = 64 };

// ---- bytes to bytes

TVMQ_INLINE void flip_bytes(uint8_t flip, const uint8_t *in, uint8_t *out) {
  uint8x16_t x[BYTES / 16];
  UNROLL for (int i = 0; i < BYTES / 16; i++) x[i] = vld1q_u8(in + 16 * i);
  UNROLL for (int i = 0; i < BYTES / 16; i++) vst1q_u8(out + 16 * i, veorq_u8(x[i], vdupq_n_u8(flip)));
}

// Keeps earlier computations before later ones: compilers assume shorter latencies than in-order cores have.
#define STAGE(x) __asm__("" : "+w"((x)[0]), "+w"((x)[1]), "+w"((x)[2]), "+w"((x)[3]), "+w"((x)[4]), "+w"((x)[5]), "+w"((x)[6]), "+w"((x)[7]))

struct line {
  int16x8_t multiplier, bias, left;
  int8x16_t knee;
  uint8x16_t drop;
};

TVMQ_INLINE struct line line_of(const struct tvmq_quantize_args *args) {
  const struct tvmq_line *l = &args->line;
  return (struct line){vdupq_n_s16(l->multiplier), vdupq_n_s16(l->bias), vdupq_n_s16((int16_t)(8 - l->shift)), vdupq_n_s8(l->knee),
                       vdupq_n_u8((uint8_t)l->drop)};
}

TVMQ_INLINE int16x8_t drop_low(int16x8_t product, uint8x16_t drop) {
  return vreinterpretq_s16_u16(vsubw_u8(vreinterpretq_u16_s16(product), vget_low_u8(drop)));
}

TVMQ_INLINE int16x8_t drop_high(int16x8_t product, uint8x16_t drop) { return vreinterpretq_s16_u16(vsubw_high_u8(vreinterpretq_u16_s16(product), drop)); }

// Converts sums of sixteen bytes to bytes. Except for the most frequent case, a right shift by less than 8 is a
// saturating left shift; the high byte is the result.
TVMQ_INLINE uint8x16_t line_narrow(const struct line *l, enum line_way way, int16x8_t low, int16x8_t high) {
  if (way == SEVEN) return vreinterpretq_u8_s8(vqshrn_high_n_s16(vqshrn_n_s16(low, 7), high, 7));
  if (way == ANY) {
    low = vqshlq_s16(low, l->left);
    high = vqshlq_s16(high, l->left);
  }
  return vuzp2q_u8(vreinterpretq_u8_s16(low), vreinterpretq_u8_s16(high));
}

TVMQ_INLINE void line_bytes(const struct line *l, enum line_way way, uint8_t in_flip, uint8_t out_flip, const uint8_t *in, uint8_t *out) {
  enum { N = BYTES / 16 };
  int8x16_t x[N];
  int16x8_t sum[2 * N];
  UNROLL for (int i = 0; i < N; i++) x[i] = vreinterpretq_s8_u8(veorq_u8(vld1q_u8(in + 16 * i), vdupq_n_u8(in_flip)));
  UNROLL for (int i = 0; i < N; i++) {
    sum[i] = vshll_n_s8(vget_low_s8(x[i]), 8);
    sum[N + i] = vshll_high_n_s8(x[i], 8);
  }
  STAGE(sum);
  UNROLL for (int i = 0; i < 2 * N; i++) sum[i] = vqrdmulhq_s16(sum[i], l->multiplier);
  STAGE(sum);
  if (way == DROP || way == ANY) {
    UNROLL for (int i = 0; i < N; i++) {
      const uint8x16_t drop = vandq_u8(vcltq_s8(x[i], l->knee), l->drop);
      sum[i] = drop_low(sum[i], drop);
      sum[N + i] = drop_high(sum[N + i], drop);
    }
    STAGE(sum);
  }
  UNROLL for (int i = 0; i < 2 * N; i++) sum[i] = vqaddq_s16(sum[i], l->bias);
  STAGE(sum);
  UNROLL for (int i = 0; i < N; i++) vst1q_u8(out + 16 * i, veorq_u8(line_narrow(l, way, sum[i], sum[N + i]), vdupq_n_u8(out_flip)));
}

// ---- all others

struct conversion {
  struct tvmq_neon_stage stage;
  int32x4_t in_zero_point, out_zero_point, multiplier, shift;
  float32x4_t scale, inverse, rest;
};

static struct conversion conversion_of(const struct tvmq_quantize_args *args) {
  return (struct conversion){
      .stage = {.ties = vdupq_n_s32(args->rounding == TVMQ_ROUNDING_REFERENCE ? -1 : 0)},
      .in_zero_point = vdupq_n_s32(args->in_zero_point),
      .out_zero_point = vdupq_n_s32(args->out_zero_point),
      .multiplier = vdupq_n_s32(args->multiplier),
      .shift = vdupq_n_s32(args->shift),
      .scale = vdupq_n_f32(args->scale),
      .inverse = vdupq_n_f32(args->inverse),
      .rest = vdupq_n_f32(args->rest),
  };
}

TVMQ_INLINE bool is_short(const struct tvmq_quantize_args *args, size_t in_bytes) {
  (void)args, (void)in_bytes;
  return true;
}

TVMQ_INLINE vec convert(const struct conversion *c, enum way way, vec x) {
  // Conversion rounds ties away from zero, saturates, and converts NaN to 0, as defined for this architecture.
  const float32x4_t real = vreinterpretq_f32_s32(x);
  const vec difference = vreinterpretq_s32_u32(vsubq_u32(vreinterpretq_u32_s32(x), vreinterpretq_u32_s32(c->in_zero_point)));
  const vec value = way == DIVIDE         ? vcvtaq_s32_f32(vdivq_f32(real, c->scale))
                    : way == MULTIPLY     ? vcvtaq_s32_f32(vmulq_f32(real, c->inverse))
                    : way == MULTIPLY_ADD ? vcvtaq_s32_f32(vfmaq_f32(vmulq_f32(real, c->rest), real, c->inverse))
                    : way == SHORT        ? tvmq_neon_rescale(TVMQ_NEON_S8_AWAY, &c->stage, difference, c->multiplier, c->shift)
                    : way == DOUBLE       ? tvmq_neon_rescale(TVMQ_NEON_DOUBLE, &c->stage, difference, c->multiplier, c->shift)
                                          : tvmq_neon_rescale(TVMQ_NEON_SINGLE, &c->stage, difference, c->multiplier, c->shift);
  return tvmq_neon_add_s32(value, c->out_zero_point);
}

// Converts sixteen vectors of floats to bytes or int16, in two groups that alternate: an in-order core computes one
// group while it waits for the other.
//
// Registers: v0-v7 hold the first group from its products on, v8-v15 the second; v16-v23 hold the floats of either
// group.
#define FIRST(F) F(0, 16) F(1, 17) F(2, 18) F(3, 19) F(4, 20) F(5, 21) F(6, 22) F(7, 23)
#define SECOND(F) F(8, 16) F(9, 17) F(10, 18) F(11, 19) F(12, 20) F(13, 21) F(14, 22) F(15, 23)
#define FIRST_PAIRS(F) F(0, 1) F(2, 3) F(4, 5) F(6, 7)
#define SECOND_PAIRS(F) F(8, 9) F(10, 11) F(12, 13) F(14, 15)
#define LOAD(i, x) "ldr q" #x ", [%[in], #(" #i " * 16)]\n"
#define MUL(i, x) "fmul v" #i ".4s, v" #x ".4s, %[factor].4s\n"
#define MLA(i, x) "fmla v" #i ".4s, v" #x ".4s, %[inverse].4s\n"
#define CONVERT(i, x) "fcvtas v" #i ".4s, v" #i ".4s\n"
#define ADD(i, x) "add v" #i ".4s, v" #i ".4s, %[zero_point].4s\n"
#define NARROW(i, j) "sqxtn v" #i ".4h, v" #i ".4s\n"
#define NARROW_2(i, j) "sqxtn2 v" #i ".8h, v" #j ".4s\n"
#define TO_BYTES(narrow, i, j) narrow " v" #i ".8b, v" #i ".8h\n" narrow " v" #j ".8b, v" #j ".8h\n"
#define TO_BYTES_2(narrow, i, j, k, l) narrow "2 v" #i ".16b, v" #j ".8h\n" narrow "2 v" #k ".16b, v" #l ".8h\n"
#define NONE(F)

// Narrows the second group's sums and both groups' int16 to bytes.
#define BYTES_OUT(narrow)        \
  TO_BYTES(narrow, 0, 4)         \
  SECOND_PAIRS(NARROW)           \
  TO_BYTES_2(narrow, 0, 2, 4, 6) \
  SECOND_PAIRS(NARROW_2) "stp q0, q4, [%[out]]\n" TO_BYTES(narrow, 8, 12) TO_BYTES_2(narrow, 8, 10, 12, 14) "stp q8, q12, [%[out], #32]\n"
#define S16_OUT \
  SECOND_PAIRS(NARROW) "stp q0, q2, [%[out]]\nstp q4, q6, [%[out], #32]\n" SECOND_PAIRS(NARROW_2) "stp q8, q10, [%[out], #64]\n"       \
                       "stp q12, q14, [%[out], #96]\n"

// The arguments mla_* and add_* are FIRST or SECOND, as their names say, or NONE.
#define QUANTIZE_64(mla_first, mla_second, add_first, add_second, finish)                                                                                      \
  __asm__(FIRST(LOAD) FIRST(MUL) mla_first(MLA) SECOND(LOAD) FIRST(CONVERT) SECOND(MUL) add_first(ADD) mla_second(MLA) FIRST_PAIRS(NARROW) SECOND(CONVERT)     \
              FIRST_PAIRS(NARROW_2) add_second(ADD) finish                                                                                                     \
          :                                                                                                                                                    \
          : [in] "r"(in), [out] "r"(out), [factor] "w"(factor), [inverse] "w"(inverse), [zero_point] "w"(zero_point)                                           \
          : "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", \
            "v21", "v22", "v23")

#define QUANTIZE_64_BY(finish)                           \
  do {                                                   \
    if (way == MULTIPLY && centered)                     \
      QUANTIZE_64(NONE, NONE, NONE, NONE, finish);       \
    else if (way == MULTIPLY)                            \
      QUANTIZE_64(NONE, NONE, FIRST, SECOND, finish);    \
    else if (centered)                                   \
      QUANTIZE_64(FIRST, SECOND, NONE, NONE, finish);    \
    else                                                 \
      QUANTIZE_64(FIRST, SECOND, FIRST, SECOND, finish); \
  } while (0)

// Quantizes blocks by MULTIPLY or MULTIPLY_ADD. centered: the zero point is 0.
TVMQ_INLINE size_t quantize_blocks(const struct tvmq_quantize_args *args, enum way way, bool centered, enum tvmq_type type) {
  enum { ELEMENTS = 64 };
  const float32x4_t inverse = vdupq_n_f32(args->inverse), factor = way == MULTIPLY ? inverse : vdupq_n_f32(args->rest);
  const int32x4_t zero_point = vdupq_n_s32(args->out_zero_point);
  const float *in = args->in;
  uint8_t *out = args->out;
  size_t left = args->n;
  for (; left >= ELEMENTS; left -= ELEMENTS, in += ELEMENTS, out += type == TVMQ_TYPE_S16 ? 2 * ELEMENTS : ELEMENTS) {
    if (type == TVMQ_TYPE_S16)
      QUANTIZE_64_BY(S16_OUT);
    else if (type == TVMQ_TYPE_U8)
      QUANTIZE_64_BY(BYTES_OUT("sqxtun"));
    else
      QUANTIZE_64_BY(BYTES_OUT("sqxtn"));
  }
  return args->n - left;
}

TVMQ_INLINE size_t quantize_vectors(const struct tvmq_quantize_args *args, enum tvmq_type type) {
  const bool centered = args->out_zero_point == 0;
  if (!(args->inverse > 0)) return 0;
  if (args->rest > 0) return centered ? quantize_blocks(args, MULTIPLY_ADD, true, type) : quantize_blocks(args, MULTIPLY_ADD, false, type);
  return centered ? quantize_blocks(args, MULTIPLY, true, type) : quantize_blocks(args, MULTIPLY, false, type);
}

#include "kernels/quantize_template.h"
