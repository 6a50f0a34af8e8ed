// 3x3 depthwise convolution at stride 1 along a row, without dot products.
//
// Tile: one output row of 16 channels, two columns at a time. The loop uses all registers and is ordered by hand.
// In-order cores need six instructions between a result and its use, and loads in bunches. Cores with one pipe for
// products and one for shifts need work for both at any time. So the end of two columns is mixed with the start of the
// next two. Before the loop, the start of the first two is done, and pixels are looked up and loaded ahead. Past the end,
// the last pixel is looked up again.
//
// Reads: 16 bytes of each pixel of the window, each once. Writes: 16 bytes of each output pixel. Hazards: two products fit
// int16 unless both weights are -128; int8 results and their zero point must fit int16 before they are clamped.
//
//   v0-v8         weights, row by row
//   v9-v11        pixels of the left column
//   v12-v14       pixels of the right column
//   v16-v19       sums of the first output column
//   v20-v23       sums of the second
//   v15, v24-v31  products, multipliers and shifts, and other values
#include "kernels/arm64/depthwise_3x3_stage_neon.S"

// ---- the term of a filter zero point

// Sums of pixels: of both columns in v24 v25, of the right one alone in v26 v27.
        .macro  sum_columns
        sum_pixels 24, 25, 9, 10
        sum_pixels 26, 27, 12, 13
        add_pixel 24, 25, 11
        add_pixel 26, 27, 14
        .endm

        .macro  store_sums
        stp     q24, q25, [loop, #TVMQ_LOOP_SUMS]
        stp     q26, q27, [loop, #TVMQ_LOOP_SUMS + 32]
        .endm

        .macro  load_sums
        dup     v15.8h, filter_zero_point
        ldp     q28, q29, [loop, #TVMQ_LOOP_SUMS]
        ldp     q30, q31, [loop, #TVMQ_LOOP_SUMS + 32]
        .endm

        .macro  stride_1 name, is_unsigned, clamped, asymmetric, ties_up
        begin_3x3 tvmq_depthwise_3x3s1_\name\()_neon, 1, \is_unsigned, \clamped, \asymmetric, \ties_up
        mov     left, #0
        mov     right, #1
        // the first two columns, and the start of their sums
        ldr     x0, [row0, left, lsl #3]
        ldr     x1, [row1, left, lsl #3]
        ldr     x2, [row2, left, lsl #3]
        ldr     x3, [row0, right, lsl #3]
        ldr     x4, [row1, right, lsl #3]
        ldr     x5, [row2, right, lsl #3]
        ldr     q9, [x0, channel]
        ldr     q10, [x1, channel]
        ldr     q11, [x2, channel]
        ldr     q12, [x3, channel]
        ldr     q13, [x4, channel]
        ldr     q14, [x5, channel]
        advance
        ldr     x0, [row0, left, lsl #3]
        ldr     x1, [row1, left, lsl #3]
        ldr     x2, [row2, left, lsl #3]
        ldr     x3, [row0, right, lsl #3]
        ldr     x4, [row1, right, lsl #3]
        ldr     x5, [row2, right, lsl #3]
        advance
        flip_mask 15
        flip_by 15, 9, 10, 11
        flip_by 15, 12, 13, 14
        .if     ASYMMETRIC
        sum_columns
        add_sums 24, 25, 26, 27
        store_sums
        .endif
        tap     24, 25, 12, 0
        tap     26, 27, 9, 0
        tap     28, 29, 11, 6
        tap     30, 31, 12, 1
        add_tap 24, 25, 13, 3
        add_tap 26, 27, 10, 3
        ldr     q9, [x0, channel]
        ldr     q10, [x1, channel]
        ldr     q11, [x2, channel]
        add_tap 28, 29, 14, 7
        add_tap 30, 31, 13, 4
        ldr     q12, [x3, channel]
        ldr     q13, [x4, channel]
        ldr     q16, [panel]
        ldr     q17, [panel, #16]
        ldr     q18, [panel, #32]
        ldr     q19, [panel, #48]
        flip_mask 15
        accumulate_from 24, 25, 20, 21, 22, 23, 16, 17, 18, 19
        tap     24, 25, 14, 6
        ldr     q14, [x5, channel]
        accumulate 26, 27, 16, 17, 18, 19
        flip_by 15, 9, 10, 11
        accumulate 24, 25, 20, 21, 22, 23
        accumulate 28, 29, 16, 17, 18, 19
        flip_by 15, 12, 13, 14
        accumulate 30, 31, 16, 17, 18, 19
        subs    n, n, #2
        b.lo    2f
1:
        .if     ASYMMETRIC
        load_sums
        sum_columns
        add_sums 28, 29, 24, 25
        add_sums 24, 25, 26, 27
        subtract_term 28, 29, 15, 16, 17, 18, 19
        add_sums 30, 31, 24, 25
        store_sums
        subtract_term 30, 31, 15, 20, 21, 22, 23
        .endif
        // the sums of two output columns end with these columns
        tap     24, 25, 9, 2
        tap     26, 27, 9, 1
        tap     30, 31, 11, 8
        tap     28, 29, 11, 7
        add_tap 24, 25, 10, 5
        add_tap 26, 27, 10, 4
        add_tap 28, 29, 14, 8
        accumulate 30, 31, 16, 17, 18, 19
        accumulate 26, 27, 20, 21, 22, 23
        tap     30, 31, 12, 2
        accumulate 24, 25, 16, 17, 18, 19
        add_tap 30, 31, 13, 5
        ldr     q24, [panel, #MULTIPLIERS]
        ldr     q25, [panel, #MULTIPLIERS + 16]
        ldr     q26, [panel, #MULTIPLIERS + 32]
        ldr     q27, [panel, #MULTIPLIERS + 48]
        accumulate 28, 29, 20, 21, 22, 23
        // the first output column is rescaled
        multiply 16, 24
        multiply 17, 25
        multiply 18, 26
        multiply 19, 27
        accumulate 30, 31, 20, 21, 22, 23
        ldr     q28, [loop]
        ldr     q29, [loop, #16]
        ldr     q30, [loop, #32]
        ldr     q31, [loop, #48]
        load_zero_point
        ldr     x0, [row0, left, lsl #3]
        ldr     x1, [row1, left, lsl #3]
        ldr     x2, [row2, left, lsl #3]
        lower   16, 17, 18, 19
        // the second
        multiply 20, 24
        multiply 21, 25
        multiply 22, 26
        multiply 23, 27
        shift   16, 28
        shift   17, 29
        shift   18, 30
        shift   19, 31
        lower   20, 21, 22, 23
        ldr     x3, [row0, right, lsl #3]
        ldr     x4, [row1, right, lsl #3]
        ldr     x5, [row2, right, lsl #3]
        narrow_low 16
        narrow_low 18
        shift   20, 28
        shift   21, 29
        shift   22, 30
        shift   23, 31
        narrow_high 16, 17
        narrow_high 18, 19
        narrow_low 20
        narrow_low 22
        // the next sums begin beside the rest of the output stage
        tap     24, 25, 12, 0
        tap     26, 27, 9, 0
        tap     28, 29, 11, 6
        tap     30, 31, 12, 1
        add_zero_point 16
        add_zero_point 18
        narrow_high 20, 21
        narrow_high 22, 23
        add_tap 24, 25, 13, 3
        add_tap 26, 27, 10, 3
        ldr     q9, [x0, channel]
        ldr     q10, [x1, channel]
        ldr     q11, [x2, channel]
        load_bounds 21, 19
        to_bytes_low 17, 16
        add_zero_point 20
        add_zero_point 22
        add_tap 28, 29, 14, 7
        add_tap 30, 31, 13, 4
        to_bytes_high 17, 18
        to_bytes_low 23, 20
        ldr     q12, [x3, channel]
        ldr     q13, [x4, channel]
        ldr     q16, [panel]
        ldr     q18, [panel, #32]
        advance
        clamp_min 17, 21
        to_bytes_high 23, 22
        subs    n, n, #2
        clamp_max 17, 19
        clamp_min 23, 21
        str     q17, [out]
        clamp_max 23, 19
        ldr     q17, [panel, #16]
        ldr     q19, [panel, #48]
        str     q23, [out, out_column]
        add     out, out, out_column, lsl #1
        flip_mask 15
        accumulate_from 24, 25, 20, 21, 22, 23, 16, 17, 18, 19
        tap     24, 25, 14, 6
        ldr     q14, [x5, channel]
        accumulate 26, 27, 16, 17, 18, 19
        flip_by 15, 9, 10, 11
        accumulate 24, 25, 20, 21, 22, 23
        accumulate 28, 29, 16, 17, 18, 19
        flip_by 15, 12, 13, 14
        accumulate 30, 31, 16, 17, 18, 19
        b.hs    1b
2:
        tbz     n, #0, 3f
        .if     ASYMMETRIC
        load_sums
        sum_pixels 24, 25, 9, 10
        add_pixel 24, 25, 11
        add_sums 24, 25, 28, 29
        subtract_term 24, 25, 15, 16, 17, 18, 19
        .endif
        tap     24, 25, 9, 2
        tap     26, 27, 11, 8
        add_tap 24, 25, 10, 5
        accumulate 26, 27, 16, 17, 18, 19
        accumulate 24, 25, 16, 17, 18, 19
        last_stage
3:
        end_3x3 tvmq_depthwise_3x3s1_\name\()_neon
        .endm

#define FUNCTION(...) stride_1 __VA_ARGS__;
TVMQ_EACH_SYMMETRIC_LOOP(FUNCTION)
TVMQ_EACH_ASYMMETRIC_LOOP(FUNCTION)
