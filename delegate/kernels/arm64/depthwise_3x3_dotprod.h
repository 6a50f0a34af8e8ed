// The loops of 3x3 depthwise convolution in assembly, for C and for the assembler (depthwise_3x3s1_dotprod.S and
// depthwise_3x3s2_dotprod.S).
#pragma once

// The output stages that have loops: EACH(name, is_unsigned, clamped, saturating, fused, planes).
// is_unsigned: input and output are uint8, not int8. clamped: by other bounds than the type's. saturating: a result plus
// the zero point may exceed int16. fused: panels are in fused form. planes: planes of weights. Ties go away from zero
// or make no difference, and all shifts go right.
#define TVMQ_EACH_3X3_LOOP(EACH)                \
  EACH(int8, 0, 0, 0, 0, 1)                     \
  EACH(int8_clamped, 0, 1, 0, 0, 1)             \
  EACH(int8_fused, 0, 0, 0, 1, 1)               \
  EACH(uint8, 1, 0, 0, 0, 1)                    \
  EACH(uint8_wide, 1, 0, 1, 0, 1)               \
  EACH(uint8_clamped, 1, 1, 1, 0, 1)            \
  EACH(uint8_fused, 1, 0, 0, 1, 1)              \
  EACH(uint8_two_planes, 1, 0, 1, 0, 2)         \
  EACH(uint8_two_planes_clamped, 1, 1, 1, 0, 2) \
  EACH(uint8_two_planes_fused, 1, 0, 0, 1, 2)

// Offsets of members of struct tvmq_3x3_tiles. The zero point is at 0.
#define TVMQ_3X3_MIN 16
#define TVMQ_3X3_MAX 32
#define TVMQ_3X3_ROWS 48
#define TVMQ_3X3_N 96
#define TVMQ_3X3_STEPS 112
#define TVMQ_3X3_PANEL 128
#define TVMQ_3X3_PANEL_BYTES 144
#define TVMQ_3X3_OUT 160

#ifndef __ASSEMBLER__
#include "kernels/arm64/stage_neon.h"

// Tiles of some blocks of 8 channels, block by block. The tiles of a block lie one below the other.
struct tvmq_3x3_tiles {
  struct tvmq_neon_output output;
  const void *const *row[5];  // the first tile's rows of the table of pixels
  size_t n_tiles;
  size_t n;                   // counter of a tile's loop: its columns, one more at stride 1
  size_t out_second;          // bytes from an output to the one in the tile's second row or, in a single row, second column
  size_t row_step, out_step;  // bytes from a tile's rows to the next tile's, and from the end of its outputs to the next tile's outputs
  const char *panel;          // of the first block
  size_t channel;             // bytes from each pixel pointer to the first channel
  size_t panel_bytes;         // bytes from a panel to the next
  const char *panels_end;
  char *out;
  size_t out_column;  // bytes from an output to the next column's
};
#define TVMQ_OFFSET(member) offsetof(struct tvmq_3x3_tiles, member)
_Static_assert(TVMQ_OFFSET(output.zero_point) == 0 && TVMQ_OFFSET(output.min) == TVMQ_3X3_MIN && TVMQ_OFFSET(output.max) == TVMQ_3X3_MAX &&
                   TVMQ_OFFSET(row) == TVMQ_3X3_ROWS && TVMQ_OFFSET(n_tiles) == TVMQ_3X3_ROWS + 40 && TVMQ_OFFSET(n) == TVMQ_3X3_N &&
                   TVMQ_OFFSET(out_second) == TVMQ_3X3_N + 8 && TVMQ_OFFSET(row_step) == TVMQ_3X3_STEPS && TVMQ_OFFSET(out_step) == TVMQ_3X3_STEPS + 8 &&
                   TVMQ_OFFSET(panel) == TVMQ_3X3_PANEL && TVMQ_OFFSET(channel) == TVMQ_3X3_PANEL + 8 && TVMQ_OFFSET(panel_bytes) == TVMQ_3X3_PANEL_BYTES &&
                   TVMQ_OFFSET(panels_end) == TVMQ_3X3_PANEL_BYTES + 8 && TVMQ_OFFSET(out) == TVMQ_3X3_OUT && TVMQ_OFFSET(out_column) == TVMQ_3X3_OUT + 8,
               "the assembler's offsets");
#undef TVMQ_OFFSET

typedef void tvmq_3x3_fn(const struct tvmq_3x3_tiles *tiles);
#endif
