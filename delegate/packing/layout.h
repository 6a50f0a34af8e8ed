// Layouts of packed weights, as values. A kernel names the layout it reads (variants.def), the packers are parametric in it, and two kernels with equal layouts
// can be exchanged without packing again. layout.c prints a layout's name, `s8n4k4u16+128`: weight type, nr, kr, ku, int64 bias ("a64"), vertical depthwise
// (`v2s1l4`: out_rows, row_step, lanes), operand offset, rotation ("r4").
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
//   With a rotation of four (kr = 2, ku = 8) a vector of rows meets four channels at once, each pair of its depths another channel, and is then rotated by a
//   pair. Weights come in steps of 16 depths, and one of 8 where k has it; here nr = 4, numbers are pairs of depths, one line is 16 bytes (8 bytes in the
//   step of 8 depths, which has the left half of the picture, modulo 4). Where ku is 4 and k has it, a step of 4 depths follows: the left half of rotations 0
//   and 1, modulo 2.
//
//                  n=0 n=1 n=2 n=3   n=0 n=1 n=2 n=3
//     rotation 0    0   1   2   3     4   5   6   7
//              1    1   2   3   4     5   6   7   0
//              2    2   3   4   5     6   7   0   1
//              3    3   4   5   6     7   0   1   2        for nr = 16, four such vectors a rotation
//
//   k is padded to a multiple of ku with weights of zero, channels past the last to nr with zero weights, bias, multiplier and shift.
//   The bias holds everything that does not depend on the input (fold.h).
//   A panel for a kernel of TVMQ_FLOAT_STAGE or TVMQ_FUSED_STAGE may have the bits of float32 numbers for multipliers and shifts (arithmetic/stage.h).
//
// Depthwise panel: `nr` channels of one channel block; the same parts. With kr = 1 the weights are filter_h * filter_w groups of nr x 1. With kr > 1 they are
// vertical: kr table rows of a kernel column are kept together per channel, for a dot product down the rows. A panel serves out_rows output rows, row_step
// table rows apart, each with its own copy of the column, shifted to its place. For a filter of 3 rows, kr = 4, out_rows = 2, row_step = 1:
//
//                   table row   0   1   2   3
//          output row 0         w0  w1  w2  0
//          output row 1         0   w0  w1  w2
//
//   order: plane, kernel column, group of kr table rows, output row, channel, row in the group. Every plane is multiplied with the same pixels: the filter zero
//   point is already subtracted, and differences that exceed the weight's type are spread over two planes, the second with one term for all, or three. Channels
//   stand in the order in which interleaving instructions that work within 128-bit lanes leave them: channel lane * nr / lanes + v * 4 + j is at position (v *
//   lanes + lane) * 4 + j. One lane: their own order.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Winograd in a direction: taps of a piece of the filter, and points, where it has more taps than one (pack_winograd.h, kernels/winograd.h).
enum { TVMQ_WINOGRAD_PIECE = 3, TVMQ_WINOGRAD_POINTS = 6 };

struct tvmq_layout {
  uint8_t nr;            // output channels in a panel, a multiple of 4
  uint8_t kr;            // consecutive depths kept together per channel
  uint8_t ku;            // depth of a tap is padded to a multiple of this; a multiple of kr
  uint8_t weight_bytes;  // 1: int8 weights, a filter zero point is repaid by row terms (gemm) or by the kernel (depthwise, kr = 1); 2: int16 weights with the
                         // filter zero point already subtracted
  uint8_t acc_bytes;     // 4: int32 bias and accumulators; 8: int64 (16x8)
  uint8_t out_rows;      // vertical depthwise: output rows of a panel, else 0
  uint8_t row_step;      // vertical depthwise: table rows from one output row to the next (any if out_rows is 1), else 0
  uint8_t lanes;         // vertical depthwise: 128-bit lanes of the kernel's vectors, else 0
  uint8_t a_offset;      // what the kernel's operand exceeds the int8 value by: 0, or 128 for an unsigned operand
  uint8_t rotation;      // gemm: 4 where the depths of four channels are rotated against each other, else 0
};

// Writes the name and a terminating zero; returns the length. `size` >= TVMQ_LAYOUT_NAME always suffices.
enum { TVMQ_LAYOUT_NAME = 40 };
size_t tvmq_layout_name(const struct tvmq_layout *layout, char *name, size_t size);

// Byte offsets of the parts of a panel with `depth` = n_taps * padded k, and its whole size (a multiple of TVMQ_ALIGNMENT).
// Returns false if a size does not fit.
struct tvmq_panel {
  size_t weights, multiplier, shift, size;
};
bool tvmq_panel_layout(const struct tvmq_layout *layout, size_t depth, struct tvmq_panel *panel);

// Depthwise: groups of kr table rows that a vertical panel's output rows need, and the depth of a panel.
size_t tvmq_row_groups(const struct tvmq_layout *layout, size_t filter_h);
size_t tvmq_depthwise_depth(const struct tvmq_layout *layout, size_t filter_h, size_t filter_w, size_t n_planes);
