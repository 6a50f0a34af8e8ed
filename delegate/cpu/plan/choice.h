// A choice: how an operator is computed. The cost model makes choices, a constraint is a choice with
// some members left open, and candidates are choices.
//
// No choice changes a result.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernels/kernel.h"

enum tvmq_algorithm {
  TVMQ_ALGORITHM_ANY,            // in a constraint: any algorithm
  TVMQ_ALGORITHM_ROW_TABLE,      // convolutions: pointers to the pieces of each row of A
  TVMQ_ALGORITHM_IM2COL,         //   a copy of each row
  TVMQ_ALGORITHM_MATRIX,         //   rows at a constant stride, read in place in the input
  TVMQ_ALGORITHM_PADDED_COPY,    //   rows at a constant stride in a padded copy of the input
  TVMQ_ALGORITHM_MATRIX_IM2COL,  //   rows at a constant stride, each one copied
  TVMQ_ALGORITHM_DIRECT,         //   line by line, in a padded copy of the lines
  TVMQ_ALGORITHM_WINOGRAD,       //   Winograd's algorithm
  TVMQ_ALGORITHM_PIXEL_TABLE,    // depthwise convolutions: pointers to pixels
  TVMQ_ALGORITHM_PLAIN,          // operators with only one algorithm: choices differ in the kernel
  TVMQ_ALGORITHM_RUNTIME,        // tuning records only: leave the node to the runtime
  TVMQ_N_ALGORITHMS
};

// Who flips signed bytes to unsigned (adds 128) for kernels with an unsigned operand.
enum tvmq_flip {
  TVMQ_FLIP_ANY,   // in a constraint: either
  TVMQ_FLIP_USES,  // the kernel flips each byte at each use, or there is nothing to flip
  TVMQ_FLIP_COPY   // the operator makes a flipped copy of a block's input
};

struct tvmq_choice {
  enum tvmq_algorithm algorithm;
  const struct tvmq_variant *variant;  // kernel that does most of the work; NULL in a constraint: any
  enum tvmq_flip flip;
  size_t rows, panels;  // size of a block (blocks.h); 0: any in a constraint, or an operator without blocks
  float cycles;         // estimate, comparable with the operator's other choices; ignored in a constraint
};

// The best choices, sorted by estimated cycles. Equal ones stay in the order in which they were added.
struct tvmq_choices {
  struct tvmq_choice *list;
  size_t max, n;  // room for choices, and choices listed
};
void tvmq_choices_add(struct tvmq_choices *choices, const struct tvmq_choice *choice);

// Returns the name in reports: "row table", "winograd", ..., or "" for TVMQ_ALGORITHM_ANY.
const char *tvmq_algorithm_name(enum tvmq_algorithm algorithm);

// Returns whether two choices are the same. Ignores the estimates.
static inline bool tvmq_same_choice(const struct tvmq_choice *a, const struct tvmq_choice *b) {
  return a->algorithm == b->algorithm && a->variant == b->variant && a->flip == b->flip && a->rows == b->rows && a->panels == b->panels;
}

// Returns the constraint, or one that leaves everything open if `constraint` is NULL.
static inline struct tvmq_choice tvmq_constraint_of(const struct tvmq_choice *constraint) { return constraint != NULL ? *constraint : (struct tvmq_choice){0}; }

static inline bool tvmq_algorithm_allowed(const struct tvmq_choice *constraint, enum tvmq_algorithm algorithm) {
  return constraint->algorithm == TVMQ_ALGORITHM_ANY || constraint->algorithm == algorithm;
}
