// Depthwise convolution without dot products for filters of one column and without a zero point.
//
// Tile: 16 channels of four output rows. Neighbouring windows share all pixels but one: for two taps, five pixels serve
// four rows. If the number of taps is odd, a single tap comes first. Cores with one pipe for products need work for both
// pipes at any time: products of the last two rows are added while those of the next taps are computed.
//
// Reads: 16 bytes of each pixel of the window. Writes: 16 bytes of each output pixel. Hazards: those of
// depthwise_3x3s1_neon.S; stride 1 down, at least four rows.
//
//   v0-v4                            pixels
//   v5 v6                            weights
//   v7-v14                           products of two taps
//   v15                              flips
//   v16-v19 v20-v23 v24-v27 v28-v31  sums of four rows
#include "kernels/arm64/depthwise_stage_neon.S"

taps            .req x5                                 // taps left
table           .req x6
weights         .req x7
window          .req x19
column_out      .req x20
column_step     .req x22
filter_taps     .req x23

        .macro  column name, is_unsigned, clamped, asymmetric, ties_up
        begin_function tvmq_depthwise_column_\name\()_neon, 0, \is_unsigned, \clamped, \asymmetric, \ties_up
        ldp     filter_taps, column_step, [loop, #TVMQ_LOOP_TAPS]
        begin_block
        sub     n_rows, n_rows, #4
0:
        mov     window, row0
        mov     column_out, first
        mov     n, n_cols
5:
        mov     table, window
        mov     out, column_out
        mov     taps, filter_taps
        add     weights, panel, #64
        ldr     q16, [panel]
        ldr     q17, [panel, #16]
        ldr     q18, [panel, #32]
        ldr     q19, [panel, #48]
        ldr     x0, [table]
        add     table, table, pitch
        ldr     x1, [table]
        add     table, table, pitch
        ldr     x2, [table]
        add     table, table, pitch
        movi    v11.16b, #0
        movi    v12.16b, #0
        movi    v13.16b, #0
        movi    v14.16b, #0
        flip_mask 15
        // a first, single tap
        tbz     taps, #0, 1f
        ldr     q5, [weights], #16
        ldr     q0, [x0, channel]
        ldr     q1, [x1, channel]
        ldr     q2, [x2, channel]
        ldr     x3, [table]
        add     table, table, pitch
        ldr     q3, [x3, channel]
        mov     x0, x1
        mov     x1, x2
        mov     x2, x3
        flip_by 15, 0, 1, 2, 3
        tap     7, 8, 0, 5
        tap     9, 10, 1, 5
        mov     v24.16b, v16.16b
        mov     v25.16b, v17.16b
        mov     v26.16b, v18.16b
        mov     v27.16b, v19.16b
        mov     v28.16b, v16.16b
        mov     v29.16b, v17.16b
        mov     v30.16b, v18.16b
        mov     v31.16b, v19.16b
        tap     11, 12, 2, 5
        tap     13, 14, 3, 5
        accumulate_from 9, 10, 20, 21, 22, 23, 16, 17, 18, 19
        accumulate 7, 8, 16, 17, 18, 19
        b       2f
1:
        mov     v20.16b, v16.16b
        mov     v21.16b, v17.16b
        mov     v22.16b, v18.16b
        mov     v23.16b, v19.16b
        mov     v24.16b, v16.16b
        mov     v25.16b, v17.16b
        mov     v26.16b, v18.16b
        mov     v27.16b, v19.16b
        mov     v28.16b, v16.16b
        mov     v29.16b, v17.16b
        mov     v30.16b, v18.16b
        mov     v31.16b, v19.16b
2:
        subs    taps, taps, #2
        b.lo    4f
3:
        // two taps, and the last two rows of the taps before
        ldr     x3, [table]
        ldr     x4, [table, pitch]
        add     table, table, pitch, lsl #1
        ldr     q5, [weights]
        ldr     q6, [weights, #16]
        add     weights, weights, #32
        ldr     q0, [x0, channel]
        ldr     q1, [x1, channel]
        ldr     q2, [x2, channel]
        flip_by 15, 0, 1, 2
        tap     7, 8, 0, 5
        tap     9, 10, 1, 5
        accumulate 11, 12, 24, 25, 26, 27
        add_tap 7, 8, 1, 6
        add_tap 9, 10, 2, 6
        accumulate 13, 14, 28, 29, 30, 31
        ldr     q3, [x3, channel]
        ldr     q4, [x4, channel]
        mov     x0, x2
        mov     x1, x3
        mov     x2, x4
        flip_by 15, 3, 4
        tap     11, 12, 2, 5
        tap     13, 14, 3, 5
        accumulate 7, 8, 16, 17, 18, 19
        add_tap 11, 12, 3, 6
        add_tap 13, 14, 4, 6
        accumulate 9, 10, 20, 21, 22, 23
        subs    taps, taps, #2
        b.hs    3b
4:
        // the output stage
        ldr     q0, [weights]
        ldr     q1, [weights, #16]
        ldr     q2, [weights, #32]
        ldr     q3, [weights, #48]
        ldr     q4, [loop]
        ldr     q5, [loop, #16]
        ldr     q6, [loop, #32]
        ldr     q7, [loop, #48]
        load_zero_point
        load_bounds 8, 9
        accumulate 11, 12, 24, 25, 26, 27
        accumulate 13, 14, 28, 29, 30, 31
        multiply 16, 0
        multiply 17, 1
        multiply 18, 2
        multiply 19, 3
        multiply 20, 0
        multiply 21, 1
        multiply 22, 2
        multiply 23, 3
        multiply 24, 0
        multiply 25, 1
        multiply 26, 2
        multiply 27, 3
        multiply 28, 0
        multiply 29, 1
        multiply 30, 2
        multiply 31, 3
        lower   16, 17, 18, 19
        lower   20, 21, 22, 23
        lower   24, 25, 26, 27
        lower   28, 29, 30, 31
        shift   16, 4
        shift   17, 5
        shift   18, 6
        shift   19, 7
        shift   20, 4
        shift   21, 5
        shift   22, 6
        shift   23, 7
        shift   24, 4
        shift   25, 5
        shift   26, 6
        shift   27, 7
        shift   28, 4
        shift   29, 5
        shift   30, 6
        shift   31, 7
        narrow_low 16
        narrow_low 18
        narrow_high 16, 17
        narrow_high 18, 19
        add_zero_point 16
        add_zero_point 18
        narrow_low 20
        narrow_low 22
        narrow_high 20, 21
        narrow_high 22, 23
        add_zero_point 20
        add_zero_point 22
        narrow_low 24
        narrow_low 26
        narrow_high 24, 25
        narrow_high 26, 27
        add_zero_point 24
        add_zero_point 26
        narrow_low 28
        narrow_low 30
        narrow_high 28, 29
        narrow_high 30, 31
        add_zero_point 28
        add_zero_point 30
        to_bytes_low 10, 16
        to_bytes_high 10, 18
        clamp_min 10, 8
        clamp_max 10, 9
        to_bytes_low 11, 20
        to_bytes_high 11, 22
        clamp_min 11, 8
        clamp_max 11, 9
        to_bytes_low 12, 24
        to_bytes_high 12, 26
        clamp_min 12, 8
        clamp_max 12, 9
        to_bytes_low 13, 28
        to_bytes_high 13, 30
        clamp_min 13, 8
        clamp_max 13, 9
        str     q10, [out]
        add     out, out, out_row
        str     q11, [out]
        add     out, out, out_row
        str     q12, [out]
        add     out, out, out_row
        str     q13, [out]
        add     window, window, column_step
        add     column_out, column_out, out_column
        subs    n, n, #1
        b.ne    5b
        // the next tile, which ends with the last row if fewer than four are left
        cbz     n_rows, 6f
        mov     x0, #4
        cmp     n_rows, x0
        csel    x0, x0, n_rows, hi
        sub     n_rows, n_rows, x0
        madd    row0, x0, pitch, row0
        madd    first, x0, out_row, first
        b       0b
6:
        end_function tvmq_depthwise_column_\name\()_neon
        .endm

#define FUNCTION(...) column __VA_ARGS__;
TVMQ_EACH_SYMMETRIC_LOOP(FUNCTION)
