// Operators that copy elements: which element of the input each element of the output is.
//
// Every dimension of the output reads one dimension of the input, by a function of its index alone. An output element lies in the input where the sum of these
// functions, each times its stride, points; or it is the padded value, if one of the functions leaves the input. SPLIT, SLICE, TRANSPOSE, TILE, PAD, GATHER,
// RESIZE_NEAREST_NEIGHBOR and their relatives are all such copies.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/shape.h"
#include "base/types.h"

// Dimensions of a copy: those of any tensor, and the 6 of rank 4 with height and width cut in two. Repetitions, each another dimension, come on top when
// dimensions are merged.
enum { TVMQ_COPY_AXES = TVMQ_MAX_RANK, TVMQ_MERGED_AXES = 2 * TVMQ_COPY_AXES, TVMQ_COPY_OUT = 64 };

// How the output's index i in a dimension gives the index to read in the input's.
enum tvmq_copy_kind {
  TVMQ_COPY_STEPS,     // first + i * step
  TVMQ_COPY_WRAPPED,   // i modulo the size
  TVMQ_COPY_PADDED,    // i - first; the padded value where that is outside the input
  TVMQ_COPY_MIRRORED,  // i - first, reflected at both ends; at the outermost element itself if `step` is 1, behind it if `step` is 0
  TVMQ_COPY_NEAREST,   // the nearest of an image whose size is another
  TVMQ_COPY_LISTED     // list[i]
};

struct tvmq_copy_axis {
  enum tvmq_copy_kind kind;
  enum tvmq_type list_type;
  size_t n, size;  // of the output's dimension, of the input's
  size_t stride;   // bytes from one index of the input's dimension to the next
  int64_t first, step;
  int32_t align_corners, half_pixel_centers;  // of NEAREST
  const void *list;                           // n integers of list_type
};

struct tvmq_copy_desc {
  enum tvmq_type in_type, out_type;
  bool same_quant, wants_same_quant;  // input and output have one scale and zero point; the reference asks for it
  int rank;
  struct tvmq_copy_axis axes[TVMQ_COPY_AXES];
  int32_t value;       // that is padded: an integer, or the bits of a float32
  int32_t zero_point;  // of the output of a PAD
  size_t in_bytes;     // of the input
  // Several outputs are pieces, along one dimension that reads the input as it is, of what is described above, one behind the other.
  int n_out, piece_axis;
  size_t pieces[TVMQ_COPY_OUT];  // the size of each along that dimension; of a single output 0
};

// A dimension that reads the input's dimension as it is.
static inline struct tvmq_copy_axis tvmq_copy_whole(size_t n, size_t stride) { return (struct tvmq_copy_axis){.n = n, .size = n, .stride = stride, .step = 1}; }

// The index that the output's index i reads; negative: none, the padded value. MIRRORED expects at most one reflection, LISTED what tvmq_copy_fits has checked.
int64_t tvmq_copy_index(const struct tvmq_copy_axis *axis, size_t i);

// Whether all indices of the output read inside the input, or are padded.
bool tvmq_copy_fits(const struct tvmq_copy_axis *axis);

// A dimension of a merged copy: i * step bytes behind the others where `table` is NULL, else what the axis says.
struct tvmq_merged_axis {
  size_t n;
  ptrdiff_t step;
  const struct tvmq_copy_axis *table;
};

// A copy with as few dimensions as possible, and as many bytes as possible in its runs, which are neighbours in input and output.
struct tvmq_merged_copy {
  size_t begin;  // bytes of the input before the first element
  size_t run;    // bytes
  int rank;      // outermost dimension first; the run is behind the last
  struct tvmq_merged_axis axes[TVMQ_MERGED_AXES];
  size_t bytes;  // of the output
};

// Merges the copy of one output. Axes are referred to. The copy has been claimed.
struct tvmq_merged_copy tvmq_merge_copy(const struct tvmq_copy_desc *desc, int output);
