// The loops of depthwise convolution without dot products in assembly, for C and for the assembler.
#pragma once

// The output stages that have loops: EACH(name, is_unsigned, clamped, asymmetric, ties_up).
// is_unsigned: input and output are uint8, not int8. clamped: by other bounds than the type's. asymmetric: the filter has
// a zero point. ties_up: ties go up, not away from zero.
#define TVMQ_EACH_SYMMETRIC_LOOP(EACH) \
  EACH(int8_up, 0, 0, 0, 1)            \
  EACH(int8_away, 0, 0, 0, 0)          \
  EACH(int8_clamped_up, 0, 1, 0, 1)    \
  EACH(int8_clamped_away, 0, 1, 0, 0)  \
  EACH(uint8_up, 1, 0, 0, 1)           \
  EACH(uint8_away, 1, 0, 0, 0)         \
  EACH(uint8_clamped_up, 1, 1, 0, 1)   \
  EACH(uint8_clamped_away, 1, 1, 0, 0)
#define TVMQ_EACH_ASYMMETRIC_LOOP(EACH)         \
  EACH(uint8_asymmetric_up, 1, 0, 1, 1)         \
  EACH(uint8_asymmetric_away, 1, 0, 1, 0)       \
  EACH(uint8_asymmetric_clamped_up, 1, 1, 1, 1) \
  EACH(uint8_asymmetric_clamped_away, 1, 1, 1, 0)

// Offsets of members of struct tvmq_depthwise_loop. The shifts are at 0.
#define TVMQ_LOOP_ZERO_POINT_S32 64
#define TVMQ_LOOP_ZERO_POINT_S16 80
#define TVMQ_LOOP_MIN 96
#define TVMQ_LOOP_MAX 112
#define TVMQ_LOOP_SUMS 128
#define TVMQ_LOOP_PIXELS 192
#define TVMQ_LOOP_PANEL 208
#define TVMQ_LOOP_PANEL_BYTES 224
#define TVMQ_LOOP_OUT 240
#define TVMQ_LOOP_TAPS 288
#define TVMQ_LOOP_FILTER_ZERO_POINT 304

#ifndef __ASSEMBLER__
#include "kernels/kernel.h"

// A call of a loop, which computes some blocks of 16 channels.
struct tvmq_depthwise_loop {
  int32_t shift[16];          // room for a block's left shifts, so that a result begins in the upper half
  int32_t zero_point_s32[4];  // zero point in the upper half
  int16_t zero_point_s16[8];
  uint8_t min[16], max[16];
  int16_t sums[32];  // room for sums of pixels
  const void *const *pixels;
  size_t n_rows;
  const char *panel;   // of the first block
  size_t channel;      // bytes from each pixel pointer to the first channel
  size_t panel_bytes;  // bytes from a panel to the next
  const char *panels_end;
  uint8_t *out;
  size_t pitch, row_step;  // bytes from a table row to the next, and from an output row's window to the next's
  size_t n_cols;
  size_t out_column, out_row;  // bytes from an output to the next column's and to the next row's
  size_t taps;                 // of the filter
  size_t column_step;          // bytes in the table from a column's window to the next column's
  int32_t filter_zero_point;
};
#define TVMQ_OFFSET(member) offsetof(struct tvmq_depthwise_loop, member)
_Static_assert(TVMQ_OFFSET(shift) == 0 && TVMQ_OFFSET(zero_point_s32) == TVMQ_LOOP_ZERO_POINT_S32 && TVMQ_OFFSET(zero_point_s16) == TVMQ_LOOP_ZERO_POINT_S16 &&
                   TVMQ_OFFSET(min) == TVMQ_LOOP_MIN && TVMQ_OFFSET(max) == TVMQ_LOOP_MAX && TVMQ_OFFSET(sums) == TVMQ_LOOP_SUMS &&
                   TVMQ_OFFSET(pixels) == TVMQ_LOOP_PIXELS && TVMQ_OFFSET(n_rows) == TVMQ_LOOP_PIXELS + 8 && TVMQ_OFFSET(panel) == TVMQ_LOOP_PANEL &&
                   TVMQ_OFFSET(channel) == TVMQ_LOOP_PANEL + 8 && TVMQ_OFFSET(panel_bytes) == TVMQ_LOOP_PANEL_BYTES &&
                   TVMQ_OFFSET(panels_end) == TVMQ_LOOP_PANEL_BYTES + 8 && TVMQ_OFFSET(out) == TVMQ_LOOP_OUT && TVMQ_OFFSET(pitch) == TVMQ_LOOP_OUT + 8 &&
                   TVMQ_OFFSET(row_step) == TVMQ_LOOP_OUT + 16 && TVMQ_OFFSET(n_cols) == TVMQ_LOOP_OUT + 24 && TVMQ_OFFSET(out_column) == TVMQ_LOOP_OUT + 32 &&
                   TVMQ_OFFSET(out_row) == TVMQ_LOOP_OUT + 40 && TVMQ_OFFSET(taps) == TVMQ_LOOP_TAPS && TVMQ_OFFSET(column_step) == TVMQ_LOOP_TAPS + 8 &&
                   TVMQ_OFFSET(filter_zero_point) == TVMQ_LOOP_FILTER_ZERO_POINT,
               "the assembler's offsets");
#undef TVMQ_OFFSET

typedef void tvmq_depthwise_loop_fn(struct tvmq_depthwise_loop *loop);
#endif
