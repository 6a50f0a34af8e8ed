// Portable output of Winograd tiles: the transform in vectors, the output stage one value at a time.
#include "arithmetic/stage.h"

struct finisher {
  const int32_t *bias, *multiplier, *shift;
};

enum { PATH_STAGE, PATH_SUMS };

#define LANES 4
#include "kernels/winograd_output_template.h"

TVMQ_INLINE struct finisher make_finisher(const struct tvmq_winograd_output_args *args, size_t n, int path) {
  (void)path;
  return (struct finisher){args->bias + n, args->multiplier + n, args->shift + n};
}

TVMQ_INLINE void finish(const struct tvmq_winograd_output_args *args, const struct finisher *f, int path, const sums *acc, size_t count, uint8_t *out) {
  (void)path;
  for (size_t i = 0; i < count; i++, out += args->out_col_stride) {
    for (size_t c = 0; c < LANES; c++) {
      const int32_t sum = tvmq_add_wrap((int32_t)acc[i][c], f->bias[c]);
      out[c] = (uint8_t)(tvmq_stage_s32(args->stage, sum, f->multiplier[c], f->shift[c]) ^ args->stage->flip);
    }
  }
}

void tvmq_winograd_output_s8_4c__c(const struct tvmq_winograd_output_args *args) {
  if (args->stage->sums)
    finish_tiles(args, PATH_SUMS);
  else
    finish_tiles(args, PATH_STAGE);
}
