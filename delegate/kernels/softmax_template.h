// SOFTMAX of bytes: the part that all kernels share. Rows are computed in tiles, so that the reciprocals of a tile are
// computed together. Exps are looked up once and kept; in rows of more than KEPT elements they are looked up twice.
//
// The includer defines
//   ISA                                  suffix of the symbol
//   LANES                                int32 per vector, at most STEP
//   greatest(row, n, to_unsigned)        the maximum of n bytes xor to_unsigned, as uint8
//   struct lookup, make_lookup(args, is_unsigned), look_up(lookup, rows, n_rows, first, n, exps): see softmax_lookup.h
// and afterwards, with the types `lanes` that this file declares
//   high_product(a, b)                   SRDHM (softmax.h) of each lane
//   total(x)                             the sum of the lanes
//   outputs(exps, r, shift, flip, out)   STEP exps -> STEP bytes: SRDHM(exp, r) / 2^shift, ties upward, at most 255,
//                                        xor flip; shift is in [23, 31]
#pragma once

#include <string.h>

#include "arithmetic/stage.h"
#include "base/inline.h"
#include "kernels/kernel.h"

enum { TILE = 16, KEPT = 2048 };

typedef int32_t lanes __attribute__((vector_size(LANES * sizeof(int32_t)), may_alias));
typedef uint32_t unsigned_lanes __attribute__((vector_size(LANES * sizeof(int32_t)), may_alias));

TVMQ_INLINE lanes high_product(lanes a, lanes b);
TVMQ_INLINE int32_t total(lanes x);
TVMQ_INLINE void outputs(const int32_t *exps, int32_t r, int32_t shift, uint8_t flip, uint8_t *out);

TVMQ_INLINE lanes all_lanes(int32_t x) { return (lanes){0} + x; }

// Returns 1 / (1 + a) as Q0.31, saturated, for a in [0, 2^31) as Q0.31. Uses Newton's method for 2 / (1 + a) as Q2.29,
// starting from 48/17 - 32/17 (1 + a)/2. Nothing wraps before the end, because the first guess is within 1/17.
TVMQ_INLINE lanes reciprocal(lanes a) {
  const int32_t from = 1515870810, slope = -1010580540;
  const lanes half = (a >> 1) + (1 << 30);
  lanes z = high_product(half, all_lanes(slope)) + from;
  UNROLL for (int i = 0; i < 3; i++) z += 4 * high_product(z, (1 << 29) - high_product(half, z));
  const lanes saturated = z > (1 << 30) - 1, doubled = (lanes)((unsigned_lanes)z << 1);
  return (saturated & INT32_MAX) | (~saturated & doubled);
}

// Returns the sum of exps / 2^12, ties upward.
TVMQ_INLINE uint32_t sum_of(const int32_t *exps, size_t n) {
  enum { VECTORS = STEP / LANES };
  unsigned_lanes sum[VECTORS] = {{0}};
  for (size_t i = 0; i < n; i += STEP) {
    UNROLL for (int v = 0; v < VECTORS; v++) sum[v] += (*(const unsigned_lanes *)(exps + i + (size_t)v * LANES) + (1 << 11)) >> 12;
  }
  UNROLL for (int v = 1; v < VECTORS; v++) sum[0] += sum[v];
  return (uint32_t)total((lanes)sum[0]);
}

TVMQ_INLINE void begin_row(const struct tvmq_softmax_args *args, bool is_unsigned, size_t number, struct row *row) {
  row->in = (const uint8_t *)args->in + number * args->depth;
  row->greatest = greatest(row->in, args->depth, is_unsigned ? 0 : 0x80) + INT8_MIN;
}

// Stores a row's sum. Returns the bits after its highest bit, as Q0.31.
TVMQ_INLINE int32_t scale_sum(uint32_t sum, struct row *row) {
  row->sum = sum;
  row->zeros = __builtin_clz(sum);
  return (int32_t)((sum << row->zeros) ^ 1u << 31);
}

// Computes outputs for a sum of 512 or more, for which the reference is undefined. No quotient exceeds 1/512, half of
// an output step.
static void outputs_of_many(const int32_t *exps, uint32_t sum, size_t n, uint8_t flip, uint8_t *out) {
  const bool ties = sum == 1 << 28;
  for (size_t i = 0; i < n; i++) out[i] = (uint8_t)(ties && exps[i] == INT32_MAX) ^ flip;
}

// Computes the outputs of n elements of a row, from `first` on, from their exps.
TVMQ_INLINE void finish(const struct tvmq_softmax_args *args, const struct row *row, size_t first, size_t n, const int32_t *exps) {
  const int32_t shift = 12 - row->zeros + 31 - 8;
  const uint8_t flip = 0x80 ^ args->out_flip, *const in = row->in + first;
  uint8_t *const out = (uint8_t *)args->out + (size_t)(in - (const uint8_t *)args->in);
  if (shift > 31) {
    outputs_of_many(exps, row->sum, n, flip, out);
    return;
  }
  size_t i = 0;
  for (; i + STEP <= n; i += STEP) outputs(exps + i, row->reciprocal, shift, flip, out + i);
  if (i == n) return;
  uint8_t last[STEP];
  outputs(exps + i, row->reciprocal, shift, flip, last);
  memcpy(out + i, last, n - i);
}

TVMQ_INLINE void softmax_tile(const struct tvmq_softmax_args *args, const struct lookup *lookup, bool is_unsigned, size_t first, size_t n_rows) {
  _Alignas(64) int32_t exps[KEPT], rest[TILE] = {0};
  struct row rows[TILE];
  const size_t padded = tvmq_round_up(args->depth, STEP);
  for (size_t i = 0; i < n_rows; i++) begin_row(args, is_unsigned, first + i, &rows[i]);
  // Stores all exps before loading any: a vector load would have to wait for pending stores of its parts.
  look_up(lookup, rows, n_rows, 0, args->depth, exps);
  for (size_t i = 0; i < n_rows; i++) rest[i] = scale_sum(sum_of(exps + i * padded, padded), &rows[i]);
  for (size_t i = 0; i < n_rows; i += LANES) *(lanes *)(rest + i) = reciprocal(*(const lanes *)(rest + i));
  for (size_t i = 0; i < n_rows; i++) {
    rows[i].reciprocal = rest[i];
    finish(args, &rows[i], 0, args->depth, exps + i * padded);
  }
}

static void softmax_long_row(const struct tvmq_softmax_args *args, const struct lookup *lookup, bool is_unsigned, size_t number) {
  _Alignas(64) int32_t exps[KEPT];
  struct row row;
  begin_row(args, is_unsigned, number, &row);
  const size_t depth = args->depth;
  uint32_t sum = 0;
  for (size_t i = 0; i < depth; i += KEPT) sum += sum_of(exps, look_up(lookup, &row, 1, i, tvmq_min(depth - i, KEPT), exps));
  row.reciprocal = reciprocal(all_lanes(scale_sum(sum, &row)))[0];
  for (size_t i = 0; i < depth; i += KEPT) {
    const size_t n = tvmq_min(depth - i, KEPT);
    look_up(lookup, &row, 1, i, n, exps);
    finish(args, &row, i, n, exps);
  }
}

TVMQ_INLINE void softmax(const struct tvmq_softmax_args *args, bool is_unsigned) {
  const struct lookup lookup = make_lookup(args, is_unsigned);
  const size_t tile = tvmq_min(KEPT / tvmq_round_up(args->depth, STEP), TILE);
  if (tile == 0)
    for (size_t i = 0; i < args->rows; i++) softmax_long_row(args, &lookup, is_unsigned, i);
  else
    for (size_t i = 0; i < args->rows; i += tile) softmax_tile(args, &lookup, is_unsigned, i, tvmq_min(args->rows - i, tile));
}

#define PASTE(isa) tvmq_softmax_s8_s8__##isa
#define SYMBOL(isa) PASTE(isa)

void SYMBOL(ISA)(const struct tvmq_softmax_args *args) {
  if (args->in_flip == 0)
    softmax(args, false);
  else
    softmax(args, true);
}
