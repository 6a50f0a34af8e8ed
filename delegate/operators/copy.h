// Describes operators that copy elements: for each element of the output, the element of the input.
//
// Every dimension of the output reads one dimension of the input, and a function of the output index gives the input
// index. The sum of these indices, each times its stride, is the position in the input. If one of the indices is
// outside the input, the output element is the padding value. SPLIT, SLICE, TRANSPOSE, TILE, PAD, GATHER,
// SPACE_TO_BATCH_ND, RESIZE_NEAREST_NEIGHBOR and similar operators are copies of this kind.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/shape.h"
#include "base/types.h"

// Dimensions of a copy: enough for any tensor, and for rank 4 with height and width cut in two (6). After merging, each
// repetition (WRAPPED) adds a dimension.
enum { TVMQ_COPY_AXES = TVMQ_MAX_RANK, TVMQ_MERGED_AXES = 2 * TVMQ_COPY_AXES, TVMQ_COPY_OUT = 64 };

// Function that maps index i of an output dimension to an index of the input dimension.
enum tvmq_copy_kind {
  TVMQ_COPY_STEPS,     // first + i * step
  TVMQ_COPY_WRAPPED,   // i modulo the size
  TVMQ_COPY_PADDED,    // i - first; outside the input: the padding value
  TVMQ_COPY_MIRRORED,  // i - first, reflected at both ends: at the outermost element if `step` is 1, beyond that element if `step` is 0
  TVMQ_COPY_NEAREST,   // nearest index of an image of another size
  TVMQ_COPY_LISTED,    // list[i]
  TVMQ_COPY_WOVEN      // of place p = first + i: p / step, in part p % step of the input; the parts lie `apart` indices one behind the other
};

struct tvmq_copy_axis {
  enum tvmq_copy_kind kind;
  enum tvmq_type list_type;
  size_t n, size;  // n: of the output's dimension; size: of the input's dimension
  size_t stride;   // bytes from one index of the input's dimension to the next
  int64_t first, step;
  size_t apart;                               // WOVEN only
  size_t phases;                              // more than 1: the output is cut into phases, of every phases-th index from 0 on, from 1 on, and so on
  int32_t align_corners, half_pixel_centers;  // NEAREST only
  const void *list;                           // n integers of list_type
};

struct tvmq_copy_desc {
  enum tvmq_type in_type, out_type;
  bool same_quant, wants_same_quant;  // same scale and zero point for input and output; required by the reference
  int rank;
  struct tvmq_copy_axis axes[TVMQ_COPY_AXES];
  int32_t value;       // padding value: an integer, or the bits of a float32
  int32_t zero_point;  // PAD only: of the output
  size_t in_bytes;     // size of the input
  // If there are several outputs, they are consecutive pieces of the copy described above, cut along `piece_axis`. That
  // dimension reads the input unchanged.
  int n_out, piece_axis;
  size_t pieces[TVMQ_COPY_OUT];  // size of each piece along that dimension; 0 for a single output
};

// Returns the number of parts of a description, each of which is a copy that merges: its outputs, or the phases of its
// only output, which lie one behind the other. The phases of the first dimensions change slowest.
static inline size_t tvmq_copy_parts(const struct tvmq_copy_desc *desc) {
  size_t n = 1;
  for (int d = 0; d < desc->rank; d++) n *= desc->axes[d].phases > 1 ? desc->axes[d].phases : 1;
  return desc->n_out > 1 ? (size_t)desc->n_out : n;
}

// Returns a dimension that reads the input's dimension unchanged.
static inline struct tvmq_copy_axis tvmq_copy_whole(size_t n, size_t stride) { return (struct tvmq_copy_axis){.n = n, .size = n, .stride = stride, .step = 1}; }

// Returns the input index that output index i reads; negative: the padding value. MIRRORED supports at most one
// reflection. LISTED needs a list that tvmq_copy_fits() has checked.
int64_t tvmq_copy_index(const struct tvmq_copy_axis *axis, size_t i);

// Returns whether every output index reads inside the input or is padding.
bool tvmq_copy_fits(const struct tvmq_copy_axis *axis);

// Dimension of a merged copy. Index i adds i * step bytes to the position; if `table` is not NULL, the function of that
// axis at index phase + i * phases applies instead.
struct tvmq_merged_axis {
  size_t n;
  ptrdiff_t step;
  const struct tvmq_copy_axis *table;
  size_t phase, phases;
};

// Returns the bytes that index i adds to the position, or TVMQ_COPY_NOWHERE for the padding value.
#define TVMQ_COPY_NOWHERE PTRDIFF_MIN
ptrdiff_t tvmq_merged_offset(const struct tvmq_merged_axis *axis, size_t i);

// Copy with as few dimensions as possible and the longest possible runs. A run is contiguous in input and output.
struct tvmq_merged_copy {
  int output;    // number of the output
  size_t begin;  // byte offset of the first element in the input
  size_t to;     // byte offset of the first element in the output
  size_t run;    // bytes of a run
  int rank;      // number of axes, outermost first; the run comes after the last axis
  struct tvmq_merged_axis axes[TVMQ_MERGED_AXES];
  size_t bytes;  // size of the part of the output
};

// Merges the copy of one part of a claimed description. The result points to the description's axes.
struct tvmq_merged_copy tvmq_merge_copy(const struct tvmq_copy_desc *desc, size_t part);
