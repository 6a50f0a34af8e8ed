// One record of how an operator is computed. The model makes one, a wish fixes none, some or all of it, and candidates are listed as such.
//
// Nothing of a choice changes a result.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernels/kernel.h"

enum tvmq_way {
  TVMQ_WAY_ANY,            // of a wish: left open
  TVMQ_WAY_ROW_TABLE,      // convolutions: pointers to the pieces of each row of A
  TVMQ_WAY_IM2COL,         //   each row copied
  TVMQ_WAY_MATRIX,         //   rows a constant distance apart, where they lie in the input
  TVMQ_WAY_PADDED_COPY,    //   the same, in a copy of the input with its padding
  TVMQ_WAY_MATRIX_IM2COL,  //   the same, each row copied
  TVMQ_WAY_DIRECT,         //   line by line, in a copy of the lines with their padding
  TVMQ_WAY_WINOGRAD,       //
  TVMQ_WAY_PIXEL_TABLE,    // depthwise convolutions: pointers to pixels
  TVMQ_WAY_PLAIN,          // operators that have but one way: the kernel is the choice
  TVMQ_WAY_RUNTIME,        // of a wish in records of tuning: the node is left to the runtime, without a kernel of the library's
  TVMQ_N_WAYS
};

// Where a kernel's unsigned operand differs from the tensor's bytes by 128.
enum tvmq_flip {
  TVMQ_FLIP_ANY,   // of a wish: left open
  TVMQ_FLIP_USES,  // the kernel flips each byte at each use, or there is nothing to flip
  TVMQ_FLIP_COPY   // a flipped copy is made of a block's input
};

struct tvmq_choice {
  enum tvmq_way way;
  const struct tvmq_variant *variant;  // the kernel that does most of the work. Of a wish, NULL: left open
  enum tvmq_flip flip;
  size_t rows, panels;  // of a block (blocks.h). Of a wish, 0: left open. 0 of operators without blocks
  float cycles;         // estimated: to be compared with those of the operator's other choices; not part of a wish
};

// Choices in the order of their estimates; of equals the first that was added comes first.
struct tvmq_choices {
  struct tvmq_choice *list;
  size_t max, n;  // room, and choices that are listed: the best
};
void tvmq_choices_add(struct tvmq_choices *choices, const struct tvmq_choice *choice);

// As reports have it: "row table", "winograd", ...; "" for TVMQ_WAY_ANY.
const char *tvmq_way_name(enum tvmq_way way);

// Two choices that compute an operator alike.
static inline bool tvmq_same_choice(const struct tvmq_choice *a, const struct tvmq_choice *b) {
  return a->way == b->way && a->variant == b->variant && a->flip == b->flip && a->rows == b->rows && a->panels == b->panels;
}

// The wish; one that leaves everything open where there is none.
static inline struct tvmq_choice tvmq_wish_of(const struct tvmq_choice *wish) { return wish != NULL ? *wish : (struct tvmq_choice){0}; }

static inline bool tvmq_way_allowed(const struct tvmq_choice *wish, enum tvmq_way way) { return wish->way == TVMQ_WAY_ANY || wish->way == way; }
