// Driver of all algorithms that compute a convolution as one gemm per group (conv.h). Rows of A are output pixels,
// panels of B output channels. A task is a block: it packs the block's rows, multiplies them by its panels, and stores
// the results. The algorithms differ in how they pack rows, and in how they tell kernels where the rows are.
#pragma once

#include "cpu/ops/conv/conv.h"
#include "cpu/ops/conv/rows.h"

// Part: rows [first, first + n) of a block. They are in the block's table of pointers, or `stride` bytes apart from
// `base` on.
struct tvmq_gemm_part {
  const uint8_t *base;
  size_t stride, first, n;
};

// Rows form lines, with `pitch` rows from each line to the next. The rows of a line after the first line_rows belong to
// no output.
struct tvmq_gemm_lines {
  size_t images, image_lines, line_rows, pitch;
};

// State of one thread that computes a block.
struct tvmq_gemm_block {
  const struct tvmq_conv *conv;
  const uint8_t *in;                    // the whole input tensor
  size_t group, image, first, n_lines;  // lines [first, first + n_lines) of the image
  size_t n_rows;                        // rows of the block, including those between lines
  uint8_t *scratch;                     // the thread's slice
  const uint8_t *panels;                // panels of the group
};

// Functions of an algorithm. They may use the offsets of the plan that `reserve` sets.
struct tvmq_gemm_source {
  struct tvmq_gemm_lines (*lines)(const struct tvmq_conv_problem *problem, const struct tvmq_conv_choice *choice);
  // Appends the algorithm's part of a thread's scratch, for blocks of `n_lines` lines or `n_rows` rows in whole tiles.
  // Returns false if the size exceeds the address space.
  bool (*reserve)(struct tvmq_conv *conv, size_t n_lines, size_t n_rows, size_t *size);
  // Packs the rows of a block, and sums them if the kernel needs sums, unless are_there: the thread has packed them
  // before. Sets `parts`; returns the number of parts.
  size_t (*bring)(const struct tvmq_gemm_block *block, bool are_there, struct tvmq_gemm_part parts[2]);
  // Multiplies the rows of a part by panels [panel, panel + n_panels). `out` has room for the part's rows, and for at
  // least one tile.
  void (*multiply)(const struct tvmq_gemm_block *block, const struct tvmq_gemm_part *part, size_t panel, size_t n_panels, uint8_t *out, size_t out_stride);
  // Returns a run_task for a convolution that is a single block with at most one tile of rows, or NULL if there is
  // none. The member is NULL if the algorithm never has one.
  tvmq_conv_run_fn (*find_single)(const struct tvmq_conv *conv);
};

struct tvmq_gemm_plan {
  struct tvmq_rows rows;
  const struct tvmq_variant *row_sums;  // NULL: no row terms
  struct tvmq_gemm_lines lines;
  tvmq_rows_table_fn fill_table;  // NULL: rows are listed or copied
  tvmq_rows_copy_fn copy_rows;    // NULL: rows are pixels, or not copied
  bool is_matrix;                 // result of tvmq_conv_is_matrix()
  size_t tile_panels;             // panels that are computed into scratch at once
  size_t tile;                    // byte offsets in a thread's scratch: outputs to be copied; the following ones belong to the source
  size_t table, taps, copies, wide, flipped, padding, terms, zipped;
};
static inline struct tvmq_gemm_plan *tvmq_gemm_plan_of(const struct tvmq_conv *conv) { return conv->plan; }

// Returns how many channels of panel end_panel - 1 belong to the group.
static inline size_t tvmq_gemm_wanted(const struct tvmq_conv *conv, size_t end_panel) {
  const size_t nr = conv->choice.variant->layout.nr;
  return tvmq_min(conv->problem.group_n - (end_panel - 1) * nr, nr);
}

// Returns whether there are rows between lines, and the kernel drops their results.
static inline bool tvmq_gemm_drops_gaps(const struct tvmq_conv *conv) {
  const struct tvmq_gemm_lines *lines = &tvmq_gemm_plan_of(conv)->lines;
  return (conv->choice.variant->flags & TVMQ_GAPS) != 0 && lines->pitch > lines->line_rows;
}

// Returns the lines of a convolution whose rows have no gaps: one image of m lines, each of a single row.
static inline struct tvmq_gemm_lines tvmq_gemm_single_rows(const struct tvmq_conv_problem *problem, const struct tvmq_conv_choice *choice) {
  (void)choice;
  return (struct tvmq_gemm_lines){.images = 1, .image_lines = problem->m, .line_rows = 1, .pitch = 1};
}

static inline size_t tvmq_gemm_rows(const struct tvmq_gemm_lines *lines, size_t n_lines) { return (n_lines - 1) * lines->pitch + lines->line_rows; }

// Method of the algorithms with a source. The rows of its plan come from conv_rows.h.
extern const struct tvmq_conv_method tvmq_gemm_method;
void tvmq_conv_run_gemm(const struct tvmq_conv *conv, const struct tvmq_pass *pass, struct tvmq_task task);  // its run_task

// Describes an algorithm's work, except for the members that depend on the source: limits, row_bytes and reach.
struct tvmq_work tvmq_gemm_work(const struct tvmq_conv_problem *problem, const struct tvmq_conv_choice *choice, const struct tvmq_gemm_lines *lines,
                                const struct tvmq_env *env);
