// Functions shared by all algorithms that multiply rows of pixels by panels of weights (conv.h).
#pragma once

#include "cpu/ops/conv/conv.h"
#include "cpu/ops/conv/rows.h"
#include "cpu/plan/select.h"

// Returns the rows of A; planning sets their `padding`.
struct tvmq_rows tvmq_conv_rows(const struct tvmq_conv_problem *problem);

// Returns whether the rows of A are contiguous in the input, one after another.
bool tvmq_conv_is_matrix(const struct tvmq_conv_problem *problem);

// Describes the gemm of one group for the algorithm's kernels. A row has n_taps pieces of k elements.
struct tvmq_gemm_problem tvmq_conv_gemm_problem(const struct tvmq_conv_problem *problem, const struct tvmq_conv_algorithm *algorithm,
                                                const struct tvmq_target *target, size_t n_taps, size_t k);

// Returns the number of outputs of a line whose windows cross the image's sides; 0 if pieces are single taps.
size_t tvmq_conv_at_sides(const struct tvmq_rows *rows);

// Estimates the cycles of copying pieces. Each piece has a fixed cost, because in-order cores wait for the latencies of
// its loop.
static inline float tvmq_conv_copy_cycles(size_t n_pieces, size_t bytes, const struct tvmq_machine *machine) {
  return (float)n_pieces * machine->copied_piece_cycles + (float)bytes * machine->copied_byte_cycles;
}

// Estimates the cycles of writing a table of pointers to the pieces of all rows. Pieces that cross the image's sides
// are copied.
float tvmq_conv_table_cycles(const struct tvmq_conv_problem *problem, const struct tvmq_machine *machine);

// Estimates the cycles of copying all rows, piece by piece.
float tvmq_conv_im2col_cycles(const struct tvmq_conv_problem *problem, const struct tvmq_machine *machine);

// Packs weights in the order of the row's pieces: the `pack` of a method (conv.h).
void tvmq_conv_pack_pieces(const struct tvmq_conv_problem *problem, const struct tvmq_conv_choice *choice, struct tvmq_channel *channels,
                           const struct tvmq_channel_params *params, size_t n, void *panel);

// Computes the terms of a filter zero point for `n` rows, from the table of the rows; an operand is a byte xor in_flip.
// Sets zeros if row_sums is NULL.
const struct tvmq_variant *tvmq_conv_row_sums(const struct tvmq_conv *conv, const struct tvmq_env *env);
void tvmq_conv_row_terms(const struct tvmq_conv *conv, const struct tvmq_variant *row_sums, const void *const *table, size_t n, uint8_t in_flip,
                         int32_t *terms);
