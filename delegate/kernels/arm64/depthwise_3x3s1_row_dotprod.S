// 3x3 depthwise convolution at stride 1 by dot products down the rows: one output row (depthwise_3x3s1_dotprod.S computes
// two), two columns at a time.
//
//   v0 v1, v2 v3             sums of the left and the right column
//   v8 v9, v12 v13, v16 v17  weights [kernel column]
//   v20 v21                  multipliers; with two planes, v20 the second one
//   v22 v23                  shifts; with two planes, multipliers and then shifts
//   v28-v30                  rows of the left column, then pairs of them in v28 v30, then quads in v24 v25
//   v26 v27 v31              rows of the right column, then pairs of them in v26 v31, then quads in v26 v27
//   v4-v7                    rescaled sums; bytes in v4 v6
#include "kernels/arm64/depthwise_3x3_stage_dotprod.S"

        .macro  single_row name, is_unsigned, clamped, saturating, fused, planes
        begin_function tvmq_depthwise_3x3s1_row_\name\()_dotprod, 12, \is_unsigned, \clamped, \saturating, \fused, \planes
        load_constants 8, 8, 9, 12, 13, 16, 17, 20
        .if     PLANES == 1
        load_constants 8, 21, 22, 23
        .endif
        begin_block
        mov     left, #0
        mov     right, #8
        ldr     x0, [row0, left]
        ldr     x1, [row1, left]
        ldr     x2, [row2, left]
        ldr     x4, [row0, right]
        ldr     x5, [row1, right]
        ldr     x6, [row2, right]
        ldr     d28, [x0, channel]
        ldr     d29, [x1, channel]
        ldr     d30, [x2, channel]
        ldr     d26, [x4, channel]
        ldr     d27, [x5, channel]
        ldr     d31, [x6, channel]
        subs    n, n, #2
        zip1    v28.16b, v28.16b, v29.16b
        zip1    v30.16b, v30.16b, v30.16b
        flip    29, 28, 30
        zip1    v26.16b, v26.16b, v27.16b
        zip1    v31.16b, v31.16b, v31.16b
        flip    27, 26, 31
        cset    left_step, hs
        cset    right_step, ne
        add     left, left, left_step, lsl #4
        add     right, left, right_step, lsl #3
        ldr     q0, [panel]
        ldr     q1, [panel, #16]
        ldr     q2, [panel]
        ldr     q3, [panel, #16]
        zip1    v24.8h, v28.8h, v30.8h
        zip2    v25.8h, v28.8h, v30.8h
        zip2    v27.8h, v26.8h, v31.8h
        zip1    v26.8h, v26.8h, v31.8h
        ldr     x0, [row0, left]
        ldr     x1, [row1, left]
        ldr     x2, [row2, left]
        ldr     x4, [row0, right]
        ldr     x5, [row1, right]
        ldr     x6, [row2, right]
        ldr     d28, [x0, channel]
        ldr     d29, [x1, channel]
        ldr     d30, [x2, channel]
        sdot    v0.4s, v24.16b, v8.16b
        sdot    v1.4s, v25.16b, v9.16b
        sdot    v2.4s, v26.16b, v8.16b
        sdot    v3.4s, v27.16b, v9.16b
        second_plane 0, 1, 24, 25, 20
        second_plane 2, 3, 26, 27, 20
        sdot    v0.4s, v26.16b, v12.16b
        sdot    v1.4s, v27.16b, v13.16b
        second_plane 0, 1, 26, 27, 20
        zip1    v28.16b, v28.16b, v29.16b
        zip1    v30.16b, v30.16b, v30.16b
        flip    29, 28, 30
        b.ls    2f
1:
        // the third column of the windows: the left output ends
        zip1    v24.8h, v28.8h, v30.8h
        ldr     d26, [x4, channel]
        zip2    v25.8h, v28.8h, v30.8h
        ldr     d27, [x5, channel]
        ldr     d31, [x6, channel]
        sdot    v0.4s, v24.16b, v16.16b
        subs    n, n, #2
        sdot    v1.4s, v25.16b, v17.16b
        sdot    v2.4s, v24.16b, v12.16b
        sdot    v3.4s, v25.16b, v13.16b
        second_plane 0, 1, 24, 25, 20
        second_plane 2, 3, 24, 25, 20
        // the fourth column
        zip1    v26.16b, v26.16b, v27.16b
        zip1    v31.16b, v31.16b, v31.16b
        flip    27, 26, 31
        load_multipliers 22, 23
        begin   4, 5, 0, 1
        multiply 4, 0, 20, 22
        multiply 5, 1, 21, 23
        zip2    v27.8h, v26.8h, v31.8h
        zip1    v26.8h, v26.8h, v31.8h
        cset    left_step, hs
        cset    right_step, ne
        add     left, left, left_step, lsl #4
        add     right, left, right_step, lsl #3
        // the right output ends, and the next left one begins
        sdot    v2.4s, v26.16b, v16.16b
        ldr     x0, [row0, left]
        sdot    v3.4s, v27.16b, v17.16b
        ldr     x1, [row1, left]
        second_plane 2, 3, 26, 27, 20
        load_zero_point 10
        ldr     q0, [panel]
        ldr     q1, [panel, #16]
        sdot    v0.4s, v24.16b, v8.16b
        ldr     x2, [row2, left]
        sdot    v1.4s, v25.16b, v9.16b
        ldr     x4, [row0, right]
        second_plane 0, 1, 24, 25, 20
        // the right output is rescaled; the next columns are looked up and loaded
        begin   6, 7, 2, 3
        multiply 6, 2, 20, 22
        ldr     x5, [row1, right]
        multiply 7, 3, 21, 23
        ldr     x6, [row2, right]
        load_shifts 22, 23
        shift   4, 22
        ldr     q2, [panel]
        shift   5, 23
        ldr     q3, [panel, #16]
        sdot    v0.4s, v26.16b, v12.16b
        ldr     d28, [x0, channel]
        sdot    v1.4s, v27.16b, v13.16b
        ldr     d29, [x1, channel]
        second_plane 0, 1, 26, 27, 20
        shift   6, 22
        shift   7, 23
        narrow  4, 4, 5
        ldr     d30, [x2, channel]
        sdot    v2.4s, v26.16b, v8.16b
        sdot    v3.4s, v27.16b, v9.16b
        second_plane 2, 3, 26, 27, 20
        narrow  6, 6, 7
        zip1    v28.16b, v28.16b, v29.16b
        zip1    v30.16b, v30.16b, v30.16b
        flip    29, 28, 30
        // bytes
        add_zero_point 4, 10
        add_zero_point 6, 10
        load_bounds 14, 15
        to_bytes 4, 14, 15
        to_bytes 6, 14, 15
        str     d4, [out0]
        str     d6, [out1]
        add     out0, out0, out_column, lsl #1
        add     out1, out1, out_column, lsl #1
        b.hi    1b
2:
        b.ne    3f
        // a last, odd column
        mov     out1, out0
        zip1    v24.8h, v28.8h, v30.8h
        zip2    v25.8h, v28.8h, v30.8h
        sdot    v0.4s, v24.16b, v16.16b
        sdot    v1.4s, v25.16b, v17.16b
        second_plane 0, 1, 24, 25, 20
        last_stage 4, 5, 6, 7, 10
3:
        end_function tvmq_depthwise_3x3s1_row_\name\()_dotprod
        .endm

#define SINGLE_ROW(...) single_row __VA_ARGS__;
TVMQ_EACH_3X3_LOOP(SINGLE_ROW)
