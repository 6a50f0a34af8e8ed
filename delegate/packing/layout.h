// Layouts of packed weights, as values. A kernel names the layout that it reads (variants.def), and packers take the
// layout as a parameter. Kernels with equal layouts can be exchanged without packing again. layout.c prints a
// layout's name, `s8n4k4u16+128`: weight type, nr, kr, ku, int64 bias ("a64"), vertical depthwise (`v2s1l4`:
// out_rows, row_step, lanes), operand offset, rotation ("r4").
//
// GEMM panel: nr output channels, 64-byte aligned, all parts back to back:
//
//        +------------------+---------------------------------------------+-----------------------+-----------------+
//        | bias[nr]         | weights: n_taps * k / kr groups of nr x kr  | multiplier[nr] int32  | shift[nr] int32 |
//        | int32 (or int64) |                                             | Q31                   | >0 left,<=0 right|
//        +------------------+---------------------------------------------+-----------------------+-----------------+
//
//   weights, for nr = 4 and kr = 2 ("c2"), one row a channel n, one column a depth k, numbers are the order of bytes:
//
//                k=0  k=1 | k=2  k=3
//          n=0    0    1  |  8    9
//          n=1    2    3  | 10   11
//          n=2    4    5  | 12   13
//          n=3    6    7  | 14   15
//
//   With a rotation of four (kr = 2, ku = 8), a vector of rows is multiplied with four channels at once: each pair of
//   its depths with another channel. The vector is then rotated by one pair. Weights are in steps of 16 depths, and a
//   last step of 8 if k has 8 more. If ku is 4 and k has 4 more, a step of 4 follows. The picture shows a step of 16
//   for nr = 4: numbers are pairs of depths, one line is 16 bytes. A step of 8 has lines of 8 bytes: the left half,
//   modulo 4. A step of 4 has the left half of rotations 0 and 1, modulo 2.
//
//                  n=0 n=1 n=2 n=3   n=0 n=1 n=2 n=3
//     rotation 0    0   1   2   3     4   5   6   7
//              1    1   2   3   4     5   6   7   0
//              2    2   3   4   5     6   7   0   1
//              3    3   4   5   6     7   0   1   2        for nr = 16, four such vectors a rotation
//
//   k is padded to a multiple of ku with zero weights. Channels after the last are padded to nr with zero weights,
//   bias, multiplier and shift.
//   The bias holds everything that does not depend on the input (fold.h).
//   In a panel for a kernel with TVMQ_FLOAT_STAGE or TVMQ_FUSED_STAGE, multipliers and shifts may be the bits of
//   float32 numbers (arithmetic/stage.h).
//
// Depthwise panel: `nr` channels of one channel block; the same parts. With kr = 1, the weights are filter_h *
// filter_w groups of nr x 1. With kr > 1, they are vertical: kr table rows of a kernel column are kept together per
// channel, for a dot product along the rows. A panel serves out_rows output rows, row_step table rows apart, each
// with its own copy of the column, shifted to its place. For a filter of 3 rows, kr = 4, out_rows = 2, row_step = 1:
//
//                   table row   0   1   2   3
//          output row 0         w0  w1  w2  0
//          output row 1         0   w0  w1  w2
//
//   order: plane, kernel column, group of kr table rows, output row, channel, row in the group. Every plane is
//   multiplied with the same pixels. The filter zero point is already subtracted. Differences that exceed the
//   weight's type are split over two or three planes; the second plane has the same term for all weights. Channels
//   are in the order that results from interleaving instructions within 128-bit lanes: channel lane * nr / lanes +
//   v * 4 + j is at position (v * lanes + lane) * 4 + j. With one lane, the order is unchanged.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Winograd along an axis with more than one tap: taps of a piece of the filter, and points (pack_winograd.h,
// kernels/winograd.h).
enum { TVMQ_WINOGRAD_PIECE = 3, TVMQ_WINOGRAD_POINTS = 6 };

struct tvmq_layout {
  uint8_t nr;            // output channels in a panel, a multiple of 4
  uint8_t kr;            // consecutive depths kept together per channel
  uint8_t ku;            // depth of a tap is padded to a multiple of this; a multiple of kr
  uint8_t weight_bytes;  // 1: int8 weights; row terms (gemm) or the kernel (depthwise, kr = 1) correct for the filter
                         // zero point; 2: int16 weights, filter zero point already subtracted
  uint8_t acc_bytes;     // 4: int32 bias and accumulators; 8: int64 (16x8)
  uint8_t out_rows;      // vertical depthwise: output rows of a panel, else 0
  uint8_t row_step;      // vertical depthwise: table rows from one output row to the next (any if out_rows is 1), else 0
  uint8_t lanes;         // vertical depthwise: 128-bit lanes of the kernel's vectors, else 0
  uint8_t a_offset;      // kernel's operand minus the int8 value: 0, or 128 for an unsigned operand
  uint8_t rotation;      // gemm: 4 if the depths of four channels are rotated against each other, else 0
};

// Writes the name and a terminating zero; returns the length. `size` >= TVMQ_LAYOUT_NAME always suffices.
enum { TVMQ_LAYOUT_NAME = 40 };
size_t tvmq_layout_name(const struct tvmq_layout *layout, char *name, size_t size);

// Byte offsets of the parts of a panel with `depth` = n_taps * padded k, and the size of the panel (a multiple of
// TVMQ_ALIGNMENT). tvmq_panel_layout() returns false if a size does not fit size_t.
struct tvmq_panel {
  size_t weights, multiplier, shift, size;
};
bool tvmq_panel_layout(const struct tvmq_layout *layout, size_t depth, struct tvmq_panel *panel);

// Return, for depthwise panels, the number of groups of kr table rows that a vertical panel's output rows need, and the
// depth.
size_t tvmq_row_groups(const struct tvmq_layout *layout, size_t filter_h);
size_t tvmq_depthwise_depth(const struct tvmq_layout *layout, size_t filter_h, size_t filter_w, size_t n_planes);
