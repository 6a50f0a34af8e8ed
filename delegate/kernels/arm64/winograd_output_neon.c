// Output of Winograd tiles for Armv8.0: eight channels, so that in-order cores have two independent vectors for each
// operation. The output stage computes two pixels together.
#include "kernels/arm64/stage_neon.h"

struct finisher {
  struct tvmq_neon_stage stage;
  int32x4_t bias[2], multiplier[4], shift[4];  // constants of the eight channels; multiplier and shift twice, for two pixels
};

#define LANES 8
#define PATH_SUMS TVMQ_NEON_SUMS
#include "kernels/winograd_output_template.h"

TVMQ_INLINE struct finisher make_finisher(const struct tvmq_winograd_output_args *args, size_t n, int path) {
  struct finisher f = {.stage = tvmq_neon_stage(path, args->stage)};
  for (size_t i = 0; i < 4; i++) {
    f.bias[i % 2] = vld1q_s32(args->bias + n + i % 2 * 4);
    f.multiplier[i] = vld1q_s32(args->multiplier + n + i % 2 * 4);
    f.shift[i] = vld1q_s32(args->shift + n + i % 2 * 4);
  }
  return f;
}

TVMQ_INLINE void finish(const struct tvmq_winograd_output_args *args, const struct finisher *f, int path, const sums *acc, size_t count, uint8_t *out) {
  UNROLL for (size_t i = 0; i < count; i += 2) {
    int32x4_t pixels[4];
    memcpy(pixels, acc + i, sizeof(sums));
    memcpy(pixels + 2, acc + (i + 1 < count ? i + 1 : i), sizeof(sums));
    UNROLL for (size_t j = 0; j < 4; j++) pixels[j] = tvmq_neon_add_s32(pixels[j], f->bias[j % 2]);
    const int8x16_t bytes = tvmq_neon_requantize(path, &f->stage, pixels, f->multiplier, f->shift);
    vst1_s8((int8_t *)out + i * args->out_col_stride, vget_low_s8(bytes));
    if (i + 1 < count) vst1_s8((int8_t *)out + (i + 1) * args->out_col_stride, vget_high_s8(bytes));
  }
}

#define FINISH(path, args) finish_tiles(args, path)

void tvmq_winograd_output_s8_8c__neon(const struct tvmq_winograd_output_args *args) {
  TVMQ_NEON_FOR_GENERAL_PATH_OR_SUMS(tvmq_neon_general_path(args->stage), FINISH, args);
}
