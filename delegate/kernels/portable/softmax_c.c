// Portable SOFTMAX of bytes, to bytes and to int16.
#include <stddef.h>
#include <stdint.h>

#define ISA c
enum { LANES = 4 };

static uint8_t greatest(const uint8_t *row, size_t n, uint8_t to_unsigned) {
  uint8_t most = 0;
  for (size_t i = 0; i < n; i++) {
    const uint8_t x = row[i] ^ to_unsigned;
    most = x > most ? x : most;
  }
  return most;
}

#include "kernels/softmax_lookup.h"
#include "kernels/softmax_template.h"

TVMQ_INLINE lanes high_product(lanes a, lanes b) {
  lanes product;
  for (int i = 0; i < LANES; i++) product[i] = tvmq_high_multiply(a[i], b[i], 0);
  return product;
}

TVMQ_INLINE int32_t total(lanes x) { return x[0] + x[1] + x[2] + x[3]; }

// Returns SRDHM(exp, r) / 2^shift, ties upward, at most `most`.
static int32_t output(int32_t exp, int32_t r, int32_t shift, int32_t most) {
  const int64_t value = (tvmq_high_multiply(exp, r, 0) + (INT64_C(1) << (shift - 1))) >> shift;
  return value > most ? most : (int32_t)value;
}

TVMQ_INLINE void outputs(const int32_t *exps, int32_t r, int32_t shift, uint8_t flip, uint8_t *out) {
  for (int i = 0; i < STEP; i++) out[i] = (uint8_t)output(exps[i], r, shift, UINT8_MAX) ^ flip;
}

// Computes a row of int16 outputs; no shift exceeds 31 here.
static void softmax_s16_row(const struct tvmq_softmax_args *args, const struct lookup *lookup, bool is_unsigned, size_t number) {
  _Alignas(64) int32_t exps[KEPT];
  struct row row;
  begin_row(args, is_unsigned, number, &row);
  const size_t depth = args->depth;
  int16_t *const out = (int16_t *)args->out + number * depth;
  uint32_t sum = 0;
  for (size_t i = 0; i < depth; i += KEPT) sum += sum_of(exps, look_up(lookup, &row, 1, i, tvmq_min(depth - i, KEPT), exps));
  const int32_t r = reciprocal(all_lanes(scale_sum(sum, &row)))[0], shift = 12 - row.zeros + 31 - 16;
  for (size_t i = 0; i < depth; i++) {
    const int32_t difference = (int8_t)(row.in[i] ^ args->in_flip) - row.greatest;
    out[i] = (int16_t)(output(args->exps[UINT8_MAX + difference], r, shift, UINT16_MAX) + INT16_MIN);
  }
}

void tvmq_softmax_s8_s16__c(const struct tvmq_softmax_args *args) {
  const bool is_unsigned = args->in_flip != 0;
  const struct lookup lookup = make_lookup(args, is_unsigned);
  for (size_t i = 0; i < args->rows; i++) softmax_s16_row(args, &lookup, is_unsigned, i);
}
