// Portable linear interpolation between two rows; the only kernel for int16.
#define ISA c
#include "kernels/interpolate_template.h"

MAKE_ROW(int16_t)

void tvmq_interpolate_s16__c(const struct tvmq_interpolate_args *args) {
  make_rows(args, make_int16_t);
  const int64_t half = (INT64_C(1) << args->shift) >> 1;
  int16_t *const out = args->out;
  const size_t n = args->n_columns * args->channels;
  for (size_t i = 0; i < n; i++) {
    const int64_t sum = (int64_t)args->rows[0][i] * args->weights[0] + (int64_t)args->rows[1][i] * args->weights[1];
    out[i] = (int16_t)((sum + half - (sum < 0 && half > 0)) >> args->shift);
  }
}
