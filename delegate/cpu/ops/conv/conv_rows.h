// Functions that all ways share which multiply rows of pixels by panels of weights (conv.h).
#pragma once

#include "cpu/ops/conv/conv.h"
#include "cpu/ops/conv/rows.h"
#include "cpu/plan/select.h"

// The rows of A; their padding is set when planning.
struct tvmq_rows tvmq_conv_rows(const struct tvmq_conv_problem *problem);

// The rows of A already lie side by side in the input, one after another.
bool tvmq_conv_is_matrix(const struct tvmq_conv_problem *problem);

// The gemm of one group by the kernels of a way, its rows in n_taps pieces of k elements.
struct tvmq_gemm_problem tvmq_conv_gemm_problem(const struct tvmq_conv_problem *problem, const struct tvmq_conv_way *way, const struct tvmq_target *target,
                                                size_t n_taps, size_t k);

// Outputs of a line whose windows the image's sides cut, where such windows are pieces.
size_t tvmq_conv_at_sides(const struct tvmq_rows *rows);

// Estimate for copying: a piece's loop has latencies that execution in order waits for.
static inline float tvmq_conv_copy_cycles(size_t n_pieces, size_t bytes, const struct tvmq_machine *machine) {
  return (float)n_pieces * machine->copied_piece_cycles + (float)bytes * machine->copied_byte_cycles;
}

// The estimate for writing a table of pointers to the pieces of all rows. Pieces that the image's sides cut are copied.
float tvmq_conv_table_cycles(const struct tvmq_conv_problem *problem, const struct tvmq_machine *machine);

// The estimate for copying all rows, piece by piece.
float tvmq_conv_im2col_cycles(const struct tvmq_conv_problem *problem, const struct tvmq_machine *machine);

// A way's pack for weights in the order of the row's pieces.
void tvmq_conv_pack_pieces(const struct tvmq_conv_problem *problem, const struct tvmq_conv_choice *choice, struct tvmq_channel *channels,
                           const struct tvmq_channel_params *params, size_t n, void *panel);

// The terms of a filter zero point for `n` rows: zeros if row_sums is NULL, else by the table of the rows, each byte xor in_flip an operand.
const struct tvmq_variant *tvmq_conv_row_sums(const struct tvmq_conv *conv, const struct tvmq_env *env);
void tvmq_conv_row_terms(const struct tvmq_conv *conv, const struct tvmq_variant *row_sums, const void *const *table, size_t n, uint8_t in_flip,
                         int32_t *terms);
