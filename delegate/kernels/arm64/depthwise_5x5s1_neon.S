// 5x5 depthwise convolution at stride 1 along a row, without dot products, for filters without a zero point.
//
// Tile: one output row of 16 channels, two columns; the last tile of an odd row computes a column again. A tap is paired
// with the tap of the next row, a tap of the last row with its neighbour. Three pairs are in progress at a time, so that
// in-order cores have six instructions between a result and its use. Pixels and weights are loaded as soon as a register
// is free.
//
// Reads: 16 bytes of each pixel of the window. Writes: 16 bytes of each output pixel. Hazards: those of
// depthwise_3x3s1_neon.S; at least two columns.
//
//   v0-v9    weights of two rows
//   v10-v15  pixels
//   v16-v19  sums of the first output column
//   v20-v23  sums of the second
//   v24-v29  products of two taps
//   v30      flips
#include "kernels/arm64/depthwise_5x5_stage_neon.S"

        .macro  stride_1 name, is_unsigned, clamped, asymmetric, ties_up
        begin_5x5 tvmq_depthwise_5x5s1_\name\()_neon, \is_unsigned, \clamped, \asymmetric, \ties_up
        ldr     x0, [row0]
        ldr     x1, [row1]
        ldr     x2, [row0, #8]
        ldr     x3, [row1, #8]
        ldr     q16, [panel]
        ldr     q17, [panel, #16]
        ldr     q18, [panel, #32]
        ldr     q19, [panel, #48]
        ldr     q0, [panel, #64]
        ldr     q1, [panel, #80]
        ldr     q2, [panel, #96]
        ldr     q3, [panel, #112]
        ldr     q4, [panel, #128]
        ldr     q5, [panel, #144]
        ldr     q6, [panel, #160]
        ldr     q7, [panel, #176]
        ldr     q8, [panel, #192]
        ldr     q9, [panel, #208]
        ldr     q10, [x0, channel]
        ldr     q11, [x1, channel]
        ldr     q12, [x2, channel]
        ldr     q13, [x3, channel]
        ldr     x4, [row0, #16]
        ldr     x5, [row1, #16]
        ldr     x6, [row0, #24]
        ldr     x7, [row1, #24]
        ldr     q20, [panel]
        ldr     q21, [panel, #16]
        ldr     q22, [panel, #32]
        ldr     q23, [panel, #48]
        flip_mask 30
        flip_by 30, 10, 11, 12, 13
        tap     24, 25, 10, 0
        tap     26, 27, 12, 0
        tap     28, 29, 12, 1
        add_tap 24, 25, 11, 5
        add_tap 26, 27, 13, 5
        add_tap 28, 29, 13, 6
        ldr     q10, [x4, channel]
        ldr     q11, [x5, channel]
        ldr     q12, [x6, channel]
        ldr     q13, [x7, channel]
        ldr     x0, [row0, #32]
        ldr     x1, [row1, #32]
        ldr     q0, [panel, #224]
        ldr     q5, [panel, #304]
        accumulate 24, 25, 16, 17, 18, 19
        flip_by 30, 10, 11, 12, 13
        tap     24, 25, 10, 1
        accumulate 26, 27, 20, 21, 22, 23
        tap     26, 27, 10, 2
        accumulate 28, 29, 16, 17, 18, 19
        tap     28, 29, 12, 2
        add_tap 24, 25, 11, 6
        add_tap 26, 27, 11, 7
        add_tap 28, 29, 13, 7
        ldr     q10, [x0, channel]
        ldr     q11, [x1, channel]
        ldr     x2, [row0, #40]
        ldr     x3, [row1, #40]
        ldr     x4, [row2]
        ldr     x5, [row3]
        ldr     x6, [row2, #8]
        ldr     x7, [row3, #8]
        ldr     q1, [panel, #240]
        ldr     q2, [panel, #256]
        ldr     q6, [panel, #320]
        ldr     q7, [panel, #336]
        accumulate 24, 25, 20, 21, 22, 23
        flip_by 30, 10, 11
        tap     24, 25, 12, 3
        accumulate 26, 27, 16, 17, 18, 19
        tap     26, 27, 10, 3
        accumulate 28, 29, 20, 21, 22, 23
        tap     28, 29, 10, 4
        add_tap 24, 25, 13, 8
        add_tap 26, 27, 11, 8
        add_tap 28, 29, 11, 9
        ldr     q10, [x2, channel]
        ldr     q11, [x3, channel]
        ldr     q12, [x4, channel]
        ldr     q13, [x5, channel]
        ldr     q14, [x6, channel]
        ldr     q15, [x7, channel]
        ldr     x0, [row2, #16]
        ldr     x1, [row3, #16]
        ldr     q3, [panel, #272]
        ldr     q8, [panel, #352]
        accumulate 24, 25, 16, 17, 18, 19
        flip_by 30, 10, 11, 12, 13, 14, 15
        tap     24, 25, 10, 4
        accumulate 26, 27, 20, 21, 22, 23
        tap     26, 27, 12, 0
        accumulate 28, 29, 16, 17, 18, 19
        tap     28, 29, 14, 0
        add_tap 24, 25, 11, 9
        add_tap 26, 27, 13, 5
        add_tap 28, 29, 15, 5
        ldr     q10, [x0, channel]
        ldr     q11, [x1, channel]
        ldr     x2, [row2, #24]
        ldr     x3, [row3, #24]
        ldr     x4, [row2, #32]
        ldr     x5, [row3, #32]
        ldr     q4, [panel, #288]
        ldr     q9, [panel, #368]
        ldr     q0, [panel, #384]
        accumulate 24, 25, 20, 21, 22, 23
        flip_by 30, 10, 11
        tap     24, 25, 14, 1
        accumulate 26, 27, 16, 17, 18, 19
        tap     26, 27, 10, 1
        accumulate 28, 29, 20, 21, 22, 23
        tap     28, 29, 10, 2
        add_tap 24, 25, 15, 6
        add_tap 26, 27, 11, 6
        add_tap 28, 29, 11, 7
        ldr     q10, [x2, channel]
        ldr     q11, [x3, channel]
        ldr     q12, [x4, channel]
        ldr     q13, [x5, channel]
        ldr     x6, [row2, #40]
        ldr     x7, [row3, #40]
        ldr     x0, [row4]
        ldr     x1, [row4, #8]
        ldr     q1, [panel, #400]
        accumulate 24, 25, 16, 17, 18, 19
        flip_by 30, 10, 11, 12, 13
        tap     24, 25, 10, 2
        accumulate 26, 27, 20, 21, 22, 23
        tap     26, 27, 10, 3
        accumulate 28, 29, 16, 17, 18, 19
        tap     28, 29, 12, 3
        add_tap 24, 25, 11, 7
        add_tap 26, 27, 11, 8
        add_tap 28, 29, 13, 8
        ldr     q10, [x6, channel]
        ldr     q11, [x7, channel]
        ldr     q14, [x0, channel]
        ldr     q15, [x1, channel]
        ldr     x2, [row4, #16]
        ldr     x3, [row4, #24]
        ldr     x4, [row4, #32]
        ldr     q2, [panel, #416]
        ldr     q3, [panel, #432]
        accumulate 24, 25, 20, 21, 22, 23
        flip_by 30, 10, 11, 14, 15
        tap     24, 25, 12, 4
        accumulate 26, 27, 16, 17, 18, 19
        tap     26, 27, 10, 4
        accumulate 28, 29, 20, 21, 22, 23
        tap     28, 29, 14, 0
        add_tap 24, 25, 13, 9
        add_tap 26, 27, 11, 9
        add_tap 28, 29, 15, 1
        ldr     q10, [x2, channel]
        ldr     q11, [x3, channel]
        ldr     q12, [x4, channel]
        ldr     x5, [row4, #40]
        ldr     q4, [panel, #448]
        accumulate 24, 25, 16, 17, 18, 19
        flip_by 30, 10, 11, 12
        tap     24, 25, 15, 0
        accumulate 26, 27, 20, 21, 22, 23
        tap     26, 27, 10, 2
        accumulate 28, 29, 16, 17, 18, 19
        tap     28, 29, 11, 2
        add_tap 24, 25, 10, 1
        add_tap 26, 27, 11, 3
        add_tap 28, 29, 12, 3
        ldr     q10, [x5, channel]
        accumulate 24, 25, 20, 21, 22, 23
        flip_by 30, 10
        tap     24, 25, 12, 4
        accumulate 26, 27, 16, 17, 18, 19
        tap     26, 27, 10, 4
        accumulate 28, 29, 20, 21, 22, 23
        ldr     q0, [panel, #MULTIPLIERS]
        ldr     q1, [panel, #MULTIPLIERS + 16]
        ldr     q2, [panel, #MULTIPLIERS + 32]
        ldr     q3, [panel, #MULTIPLIERS + 48]
        ldr     q5, [loop]
        ldr     q6, [loop, #16]
        ldr     q7, [loop, #32]
        ldr     q8, [loop, #48]
        load_zero_point
        accumulate 24, 25, 16, 17, 18, 19
        accumulate 26, 27, 20, 21, 22, 23
        stage_5x5
        end_5x5 tvmq_depthwise_5x5s1_\name\()_neon, 1
        .endm

#define FUNCTION(...) stride_1 __VA_ARGS__;
TVMQ_EACH_SYMMETRIC_LOOP(FUNCTION)
