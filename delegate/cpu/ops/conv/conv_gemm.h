// The driver of all ways that compute a convolution as a gemm per group (conv.h): rows of A are output pixels, panels of B output channels. A block is a task:
// its rows are brought to the kernel, multiplied by its panels, and stored. Ways differ in how rows are brought, and in how kernels are told where they lie.
#pragma once

#include "cpu/ops/conv/conv.h"
#include "cpu/ops/conv/rows.h"

// Rows [first, first + n) of a block: of the block's table of pointers, or `stride` bytes apart from `base` on.
struct tvmq_gemm_part {
  const uint8_t *base;
  size_t stride, first, n;
};

// Rows lie in lines, `pitch` rows from each line to the next; those past line_rows belong to no output.
struct tvmq_gemm_lines {
  size_t images, image_lines, line_rows, pitch;
};

// The state with which one thread computes a block.
struct tvmq_gemm_block {
  const struct tvmq_conv *conv;
  const uint8_t *in;                    // the whole tensor
  size_t group, image, first, n_lines;  // of an image's lines
  size_t n_rows;                        // those between lines included
  uint8_t *scratch;                     // the thread's
  const uint8_t *panels;                // of the group
};

// A way's part in it. Offsets that these functions use are set by `reserve`.
struct tvmq_gemm_source {
  struct tvmq_gemm_lines (*lines)(const struct tvmq_conv_problem *problem, const struct tvmq_conv_choice *choice);
  // Appends what the way needs of a thread's scratch for blocks of `n_lines` lines, `n_rows` rows in whole tiles. False: it exceeds the address space.
  bool (*reserve)(struct tvmq_conv *conv, size_t n_lines, size_t n_rows, size_t *size);
  // Brings the rows of a block, and sums them if the kernel needs that, unless they are still there; returns in how many parts they lie.
  size_t (*bring)(const struct tvmq_gemm_block *block, bool are_there, struct tvmq_gemm_part parts[2]);
  // Multiplies the rows of a part by `n_panels` panels from `panel` on. `out` has room for these rows, or for a tile if they are fewer.
  void (*multiply)(const struct tvmq_gemm_block *block, const struct tvmq_gemm_part *part, size_t panel, size_t n_panels, uint8_t *out, size_t out_stride);
  // The run_task of a convolution that is a single block of one tile of rows at most. It returns NULL where the way has none for the convolution; the member is
  // NULL where it has none for any.
  tvmq_conv_run_fn (*find_single)(const struct tvmq_conv *conv);
};

struct tvmq_gemm_plan {
  struct tvmq_rows rows;
  const struct tvmq_variant *row_sums;  // NULL: no row terms
  struct tvmq_gemm_lines lines;
  bool is_matrix;      // as tvmq_conv_is_matrix() says
  size_t tile_panels;  // panels that are computed at once by way of scratch
  size_t tile;         // byte offsets in a thread's scratch: outputs that are copied from there; the rest are the source's
  size_t table, taps, copies, wide, flipped, padding, terms, zipped;
};
static inline struct tvmq_gemm_plan *tvmq_gemm_plan_of(const struct tvmq_conv *conv) { return conv->plan; }

// How many channels of the last panel before `end_panel` are the group's.
static inline size_t tvmq_gemm_wanted(const struct tvmq_conv *conv, size_t end_panel) {
  const size_t nr = conv->choice.variant->layout.nr;
  return tvmq_min(conv->problem.group_n - (end_panel - 1) * nr, nr);
}

// Whether there are rows between lines whose results the kernel drops.
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

// The method of ways that have a source; the rows of its plan are those of conv_rows.h.
extern const struct tvmq_conv_method tvmq_gemm_method;

// A way's work, without what depends on the source: limits, row_bytes and reach.
struct tvmq_work tvmq_gemm_work(const struct tvmq_conv_problem *problem, const struct tvmq_conv_choice *choice, const struct tvmq_gemm_lines *lines,
                                const struct tvmq_env *env);
