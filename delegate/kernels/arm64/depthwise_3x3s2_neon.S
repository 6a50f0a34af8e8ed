// 3x3 depthwise convolution at stride 2 along a row, without dot products.
//
// As at stride 1 (depthwise_3x3s1_neon.S), with three columns of pixels: the last one of an output column is the first of
// the next. The loop's order is what a search by the estimates of llvm-mca for Cortex-A72, and less so A53, came to.
//
//   v0-v8                    weights, row by row
//   v9-v11 v12-v14 v24-v26   pixels of three columns
//   v16-v19                  sums of the first output column
//   v20-v23                  sums of the second
//   v15, v27-v31             products, multipliers and shifts, and other values
#include "kernels/arm64/depthwise_3x3_stage_neon.S"

// Begins the first column's sums: with the biases, or with the biases minus its term for the filter zero point.
        .macro  begin_first low, high
        .if     ASYMMETRIC
        accumulate \low, \high, 16, 17, 18, 19
        .else
        accumulate_from \low, \high, 16, 17, 18, 19, 20, 21, 22, 23
        .endif
        .endm

        .macro  first_term
        .if     ASYMMETRIC
        sum_pixels 16, 17, 9, 10
        sum_pixels 18, 19, 12, 13
        add_pixel 16, 17, 11
        add_pixel 18, 19, 14
        add_pixel 16, 17, 24
        add_pixel 18, 19, 25
        add_pixel 16, 17, 26
        dup     v9.8h, filter_zero_point
        add     v10.8h, v16.8h, v18.8h
        add     v11.8h, v17.8h, v19.8h
        ldr     q16, [panel]
        ldr     q17, [panel, #16]
        ldr     q18, [panel, #32]
        ldr     q19, [panel, #48]
        subtract_term 10, 11, 9, 16, 17, 18, 19
        .endif
        .endm

        .macro  second_term
        .if     ASYMMETRIC
        sum_pixels 31, 15, 24, 25
        sum_pixels 29, 30, 12, 13
        add_pixel 31, 15, 26
        add_pixel 29, 30, 14
        add_pixel 31, 15, 9
        add_pixel 29, 30, 10
        add_pixel 31, 15, 11
        add_sums 31, 15, 29, 30
        dup     v29.8h, filter_zero_point
        subtract_term 31, 15, 29, 20, 21, 22, 23
        .endif
        .endm

        .macro  stride_2 name, is_unsigned, clamped, asymmetric, ties_up
        begin_3x3 tvmq_depthwise_3x3s2_\name\()_neon, 2, \is_unsigned, \clamped, \asymmetric, \ties_up
        mov     left, #0
        ldr     x0, [row0, left, lsl #3]
        ldr     x1, [row1, left, lsl #3]
        ldr     x2, [row2, left, lsl #3]
        ldr     q9, [x0, channel]
        ldr     q10, [x1, channel]
        ldr     q11, [x2, channel]
        mov     left, #1
        mov     right, #2
        ldr     x0, [row0, left, lsl #3]
        ldr     x1, [row1, left, lsl #3]
        ldr     x2, [row2, left, lsl #3]
        ldr     x3, [row0, right, lsl #3]
        ldr     x4, [row1, right, lsl #3]
        ldr     x5, [row2, right, lsl #3]
        ldr     q12, [x0, channel]
        ldr     q13, [x1, channel]
        ldr     q14, [x2, channel]
        ldr     q24, [x3, channel]
        ldr     q25, [x4, channel]
        ldr     q26, [x5, channel]
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
        flip_by 15, 24, 25, 26
        tap     27, 28, 9, 0
        tap     29, 30, 11, 6
        add_tap 27, 28, 10, 3
        tap     31, 15, 12, 1
        add_tap 29, 30, 14, 7
        add_tap 31, 15, 13, 4
        ldr     q20, [panel]
        ldr     q21, [panel, #16]
        ldr     q22, [panel, #32]
        ldr     q23, [panel, #48]
        first_term
        subs    n, n, #2
        b.lo    2f
1:
        begin_first 27, 28
        ldr     q9, [x3, channel]
        ldr     q11, [x5, channel]
        tap     27, 28, 24, 2
        ldr     q13, [x1, channel]
        accumulate 29, 30, 16, 17, 18, 19
        tap     29, 30, 26, 8
        ldr     q14, [x2, channel]
        accumulate 31, 15, 16, 17, 18, 19
        ldr     q12, [x0, channel]
        ldr     x1, [row1, left, lsl #3]
        add_tap 27, 28, 25, 5
        flip_mask 15
        accumulate 29, 30, 16, 17, 18, 19
        ldr     x5, [row2, right, lsl #3]
        ldr     q10, [x4, channel]
        flip_by 15, 12, 13, 14
        flip_by 15, 9, 10, 11
        second_term
        ldr     x2, [row2, left, lsl #3]
        tap     31, 15, 24, 0
        ldr     x0, [row0, left, lsl #3]
        accumulate 27, 28, 16, 17, 18, 19
        tap     29, 30, 26, 6
        add_tap 31, 15, 25, 3
        ldr     q26, [panel, #MULTIPLIERS + 32]
        tap     27, 28, 12, 1
        add_tap 29, 30, 14, 7
        ldr     x3, [row0, right, lsl #3]
        ldr     x4, [row1, right, lsl #3]
        add_tap 27, 28, 13, 4
        ldr     q24, [panel, #MULTIPLIERS]
        advance
        multiply 18, 26
        accumulate 31, 15, 20, 21, 22, 23
        accumulate 29, 30, 20, 21, 22, 23
        tap     29, 30, 11, 8
        multiply 16, 24
        tap     31, 15, 9, 2
        ldr     q25, [panel, #MULTIPLIERS + 16]
        accumulate 27, 28, 20, 21, 22, 23
        ldr     q12, [x0, channel]
        add_tap 31, 15, 10, 5
        ldr     q13, [x1, channel]
        accumulate 29, 30, 20, 21, 22, 23
        multiply 17, 25
        ldr     q29, [loop, #16]
        ldr     q28, [loop]
        ldr     q27, [panel, #MULTIPLIERS + 48]
        accumulate 31, 15, 20, 21, 22, 23
        multiply 19, 27
        lower   16, 17, 18, 19
        multiply 20, 24
        shift   16, 28
        ldr     q31, [loop, #48]
        multiply 21, 25
        ldr     x0, [row0, left, lsl #3]
        ldr     q30, [loop, #32]
        multiply 23, 27
        load_zero_point
        ldr     q14, [x2, channel]
        multiply 22, 26
        flip_mask 27
        shift   18, 30
        lower   20, 21, 22, 23
        shift   20, 28
        ldr     q24, [x3, channel]
        narrow_low 16
        shift   17, 29
        shift   22, 30
        ldr     q25, [x4, channel]
        ldr     q26, [x5, channel]
        shift   21, 29
        narrow_low 18
        narrow_high 16, 17
        shift   19, 31
        narrow_low 20
        flip_by 27, 12, 13, 14
        ldr     x3, [row0, right, lsl #3]
        narrow_low 22
        add_zero_point 16
        shift   23, 31
        narrow_high 18, 19
        flip_by 27, 24, 25, 26
        tap     29, 30, 11, 6
        narrow_high 22, 23
        tap     27, 28, 9, 0
        narrow_high 20, 21
        add_tap 29, 30, 14, 7
        to_bytes_low 17, 16
        add_zero_point 22
        ldr     x2, [row2, left, lsl #3]
        add_zero_point 20
        add_zero_point 18
        ldr     x4, [row1, right, lsl #3]
        add_tap 27, 28, 10, 3
        ldr     x5, [row2, right, lsl #3]
        to_bytes_low 19, 20
        load_bounds 21, 23
        ldr     x1, [row1, left, lsl #3]
        ldr     q20, [panel]
        tap     31, 15, 12, 1
        to_bytes_high 19, 22
        to_bytes_high 17, 18
        clamp_min 19, 21
        clamp_min 17, 21
        advance
        clamp_max 17, 23
        ldr     q21, [panel, #16]
        clamp_max 19, 23
        ldr     q22, [panel, #32]
        subs    n, n, #2
        str     q17, [out]
        add_tap 31, 15, 13, 4
        str     q19, [out, out_column]
        add     out, out, out_column, lsl #1
        ldr     q23, [panel, #48]
        first_term
        b.hs    1b
2:
        tbz     n, #0, 3f
        begin_first 27, 28
        tap     27, 28, 24, 2
        accumulate 29, 30, 16, 17, 18, 19
        tap     29, 30, 26, 8
        add_tap 27, 28, 25, 5
        accumulate 31, 15, 16, 17, 18, 19
        accumulate 29, 30, 16, 17, 18, 19
        accumulate 27, 28, 16, 17, 18, 19
        last_stage
3:
        end_3x3 tvmq_depthwise_3x3s2_\name\()_neon
        .endm

#define FUNCTION(...) stride_2 __VA_ARGS__;
TVMQ_EACH_SYMMETRIC_LOOP(FUNCTION)
TVMQ_EACH_ASYMMETRIC_LOOP(FUNCTION)
