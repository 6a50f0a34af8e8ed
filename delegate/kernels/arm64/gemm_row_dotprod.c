// int8 gemm of single rows by dot products, on the panels of gemm_dotprod.c.
#include "kernels/arm64/gemm_row_neon_tile.h"

// Sixteen depths: v0 is the row; v4 to v7 are weights of sixteen channels, four depths each. Every second four depths
// are added to v16 to v19 first, because additions to one set of accumulators would wait for each other. Meanwhile the
// next weights and the next sixteen depths of the row are loaded. After the last weights these are the multipliers, and
// the last sixteen depths again.
// clang-format off
#define SDOT(c, w, depth) "sdot " c ".4s, v" #w ".16b, v0.4b[" #depth "]\n"
#define NEXT(w, depth, place) "ldr q" #w ", [%[weights], #64*" #depth "+" #place "]\n"
#define STEP_OF(c, w, depth, place) SDOT(c, w, depth) NEXT(w, depth, place)
#define EVEN(depth) STEP_OF("%[c0]", 4, depth, 64) STEP_OF("%[c1]", 5, depth, 80) STEP_OF("%[c2]", 6, depth, 96) STEP_OF("%[c3]", 7, depth, 112)
#define ODD(depth) STEP_OF("v16", 4, depth, 64) STEP_OF("v17", 5, depth, 80) STEP_OF("v18", 6, depth, 96) STEP_OF("v19", 7, depth, 112)
#define LAST_ODD(depth, THEN)                                                                    \
  SDOT("v16", 4, depth) SDOT("v17", 5, depth) SDOT("v18", 6, depth) SDOT("v19", 7, depth) THEN   \
  NEXT(4, depth, 64) NEXT(5, depth, 80) NEXT(6, depth, 96) NEXT(7, depth, 112)
#define ZERO(v) "movi v" #v ".4s, #0\n"
#define SUM(c, v) "add %[c" #c "].4s, %[c" #c "].4s, v" #v ".4s\n"
#define SIXTEENS                                                                                 \
  "ldr q0, [%[x]]\n"                                                                             \
  "ldp q4, q5, [%[weights]]\nldp q6, q7, [%[weights], #32]\n"                                    \
  ZERO(16) ZERO(17) ZERO(18) ZERO(19)                                                            \
  "eor v0.16b, v0.16b, %[flip].16b\n"                                                            \
  "1:\n"                                                                                         \
  EVEN(0) "subs %[n], %[n], #1\n" ODD(1) "csel x8, %[step], xzr, ne\nadd %[x], %[x], x8\n"       \
  EVEN(2) "ldr q1, [%[x]]\n" LAST_ODD(3, "eor v0.16b, v1.16b, %[flip].16b\n")                    \
  "add %[weights], %[weights], #256\n"                                                           \
  "b.ne 1b\n"                                                                                    \
  SUM(0, 16) SUM(1, 17) SUM(2, 18) SUM(3, 19)
// clang-format on

enum { STEP = 16, REST = 4 };

TVMQ_INLINE const int8_t *add_tap(int32x4_t acc[4], const uint8_t *x, size_t k, uint8x16_t flip, const int8_t *weights) {
  const uint8_t *const end = x + k;
  size_t n = k / STEP;
  if (n > 0) {
    __asm__(SIXTEENS
            : [c0] "+&w"(acc[0]), [c1] "+&w"(acc[1]), [c2] "+&w"(acc[2]), [c3] "+&w"(acc[3]), [x] "+&r"(x), [weights] "+&r"(weights), [n] "+&r"(n)
            : [flip] "w"(flip), [step] "r"((size_t)STEP)
            : "memory", "cc", "x8", "v0", "v1", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19");
  }
  for (x = end - k % STEP; x < end; x += REST) {
    uint32_t four;
    memcpy(&four, x, sizeof four);
    const int8x16_t row = vreinterpretq_s8_u8(veorq_u8(vreinterpretq_u8_u32(vdupq_n_u32(four)), flip));
    UNROLL for (int q = 0; q < 4; q++, weights += 16) acc[q] = vdotq_s32(acc[q], vld1q_s8(weights), row);
  }
  return weights;
}

GEMM_ROW(tvmq_gemm_s8_1x16c4__dotprod, add_tap)
