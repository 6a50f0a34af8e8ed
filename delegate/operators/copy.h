// Describes operators that copy elements: for each element of the output, the element of the input.
//
// Every dimension of the output reads one dimension of the input, and a function of the output index gives the input
// index. The sum of these indices, each times its stride, is the position in the input. If one of the indices is
// outside the input, the output element is the padding value. SPLIT, SLICE, TRANSPOSE, TILE, PAD, GATHER,
// RESIZE_NEAREST_NEIGHBOR and similar operators are copies of this kind.
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
  TVMQ_COPY_LISTED     // list[i]
};

struct tvmq_copy_axis {
  enum tvmq_copy_kind kind;
  enum tvmq_type list_type;
  size_t n, size;  // n: of the output's dimension; size: of the input's dimension
  size_t stride;   // bytes from one index of the input's dimension to the next
  int64_t first, step;
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

// Returns a dimension that reads the input's dimension unchanged.
static inline struct tvmq_copy_axis tvmq_copy_whole(size_t n, size_t stride) { return (struct tvmq_copy_axis){.n = n, .size = n, .stride = stride, .step = 1}; }

// Returns the input index that output index i reads; negative: the padding value. MIRRORED supports at most one
// reflection. LISTED needs a list that tvmq_copy_fits() has checked.
int64_t tvmq_copy_index(const struct tvmq_copy_axis *axis, size_t i);

// Returns whether every output index reads inside the input or is padding.
bool tvmq_copy_fits(const struct tvmq_copy_axis *axis);

// Dimension of a merged copy. Index i adds i * step bytes to the position; if `table` is not NULL, the function of that
// axis applies instead.
struct tvmq_merged_axis {
  size_t n;
  ptrdiff_t step;
  const struct tvmq_copy_axis *table;
};

// Copy with as few dimensions as possible and the longest possible runs. A run is contiguous in input and output.
struct tvmq_merged_copy {
  size_t begin;  // byte offset of the first element in the input
  size_t run;    // bytes of a run
  int rank;      // number of axes, outermost first; the run comes after the last axis
  struct tvmq_merged_axis axes[TVMQ_MERGED_AXES];
  size_t bytes;  // size of the output
};

// Merges the copy of one output of a claimed description. The result points to the description's axes.
struct tvmq_merged_copy tvmq_merge_copy(const struct tvmq_copy_desc *desc, int output);
