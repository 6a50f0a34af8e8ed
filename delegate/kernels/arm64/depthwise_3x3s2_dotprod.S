// 3x3 depthwise convolution at stride 2 by dot products down the rows: two output rows, and one alone.
//
// As at stride 1 (depthwise_3x3s1_dotprod.S), but one column at a time.
#include "kernels/arm64/depthwise_3x3_stage_dotprod.S"

// ---- two rows: five rows of a column, the middle one for both
//
//   v0-v3        sums [output row][4 channels]
//   v4-v7        rescaled sums; bytes in v4 v6
//   v8-v11       quads of an even column, v8 v9 for output row 0, v10 v11 for output row 1
//   v12-v15      quads of the odd column before it
//   v16-v21      weights [kernel column][4 channels]
//   v22 v23      multipliers; with two planes, v22 the second one
//   v24 v25      shifts; with two planes, multipliers and then shifts
//   v26-v30      rows of the odd column, then pairs of them in v12 v14 v30
//   v26-v29 v31  rows of the even column, then pairs of them in v26 v28 v31

        .macro  pair_of_rows name, is_unsigned, clamped, saturating, fused, planes
        begin_function tvmq_depthwise_3x3s2_\name\()_dotprod, 6, \is_unsigned, \clamped, \saturating, \fused, \planes
        load_constants 16, 16, 17, 18, 19, 20, 21, 22
        .if     PLANES == 1
        load_constants 16, 23, 24, 25
        .endif
        begin_block
        mov     odd, #8
        mov     even, #0
        // the first, even column and the second, odd one; the third is looked up
        ldr     x5, [row0, even]
        ldr     x6, [row1, even]
        ldr     x7, [row2, even]
        ldr     x8, [row3, even]
        ldr     x9, [row4, even]
        ldr     x0, [row0, odd]
        ldr     x1, [row1, odd]
        ldr     x2, [row2, odd]
        ldr     x3, [row3, odd]
        ldr     x4, [row4, odd]
        ldr     d26, [x5, channel]
        ldr     d27, [x6, channel]
        ldr     d28, [x7, channel]
        ldr     d29, [x8, channel]
        ldr     d31, [x9, channel]
        ldr     q0, [panel]
        ldr     q1, [panel, #16]
        ldr     q2, [panel]
        ldr     q3, [panel, #16]
        mov     even, #16
        subs    n, n, #1
        zip1    v26.16b, v26.16b, v27.16b
        ldr     x5, [row0, even]
        zip1    v28.16b, v28.16b, v29.16b
        ldr     x6, [row1, even]
        zip1    v31.16b, v31.16b, v31.16b
        ldr     x7, [row2, even]
        flip    27, 26, 28, 31
        ldr     d29, [x3, channel]
        ldr     d30, [x4, channel]
        cset    step, hi
        zip1    v8.8h, v26.8h, v28.8h
        ldr     x8, [row3, even]
        zip2    v9.8h, v26.8h, v28.8h
        ldr     x9, [row4, even]
        zip1    v10.8h, v28.8h, v31.8h
        zip2    v11.8h, v28.8h, v31.8h
        ldr     d26, [x0, channel]
        ldr     d27, [x1, channel]
        ldr     d28, [x2, channel]
        add     odd, odd, step, lsl #4
        add     even, even, step, lsl #4
        sdot    v0.4s, v8.16b, v16.16b
        sdot    v1.4s, v9.16b, v17.16b
        sdot    v2.4s, v10.16b, v16.16b
        sdot    v3.4s, v11.16b, v17.16b
        second_plane 0, 1, 8, 9, 22
        second_plane 2, 3, 10, 11, 22
        zip1    v12.16b, v26.16b, v27.16b
        ldr     d26, [x5, channel]
        zip1    v14.16b, v28.16b, v29.16b
        ldr     d27, [x6, channel]
        zip1    v30.16b, v30.16b, v30.16b
        ldr     d28, [x7, channel]
        flip    13, 12, 14, 30
        ldr     d29, [x8, channel]
        ldr     d31, [x9, channel]
        zip2    v13.8h, v12.8h, v14.8h
        zip1    v12.8h, v12.8h, v14.8h
        zip2    v15.8h, v14.8h, v30.8h
        zip1    v14.8h, v14.8h, v30.8h
1:
        // pairs of the next even column, products of the odd one; the next odd column is looked up
        zip1    v26.16b, v26.16b, v27.16b
        ldr     x0, [row0, odd]
        zip1    v28.16b, v28.16b, v29.16b
        ldr     x1, [row1, odd]
        zip1    v31.16b, v31.16b, v31.16b
        ldr     x2, [row2, odd]
        flip    27, 26, 28, 31
        sdot    v0.4s, v12.16b, v18.16b
        ldr     x3, [row3, odd]
        sdot    v1.4s, v13.16b, v19.16b
        ldr     x4, [row4, odd]
        sdot    v2.4s, v14.16b, v18.16b
        ldr     d27, [x1, channel]
        sdot    v3.4s, v15.16b, v19.16b
        second_plane 0, 1, 12, 13, 22
        second_plane 2, 3, 14, 15, 22
        zip1    v8.8h, v26.8h, v28.8h
        ldr     d29, [x3, channel]
        zip2    v9.8h, v26.8h, v28.8h
        ldr     d30, [x4, channel]
        zip1    v10.8h, v28.8h, v31.8h
        zip2    v11.8h, v28.8h, v31.8h
        // the outputs end
        sdot    v0.4s, v8.16b, v20.16b
        ldr     d26, [x0, channel]
        sdot    v1.4s, v9.16b, v21.16b
        ldr     d28, [x2, channel]
        sdot    v2.4s, v10.16b, v20.16b
        ldr     x5, [row0, even]
        sdot    v3.4s, v11.16b, v21.16b
        ldr     x6, [row1, even]
        second_plane 0, 1, 8, 9, 22
        second_plane 2, 3, 10, 11, 22
        load_multipliers 24, 25
        // they are rescaled, and the next ones begin
        begin   4, 5, 0, 1
        begin   6, 7, 2, 3
        multiply 4, 0, 22, 24
        ldr     x7, [row2, even]
        multiply 5, 1, 23, 25
        ldr     x8, [row3, even]
        multiply 6, 2, 22, 24
        ldr     x9, [row4, even]
        multiply 7, 3, 23, 25
        load_shifts 24, 25
        shift   4, 24
        ldr     q0, [panel]
        shift   5, 25
        ldr     q1, [panel, #16]
        shift   6, 24
        ldr     q2, [panel]
        shift   7, 25
        ldr     q3, [panel, #16]
        load_zero_point 31
        subs    n, n, #1
        narrow  4, 4, 5
        narrow  6, 6, 7
        sdot    v0.4s, v8.16b, v16.16b
        sdot    v1.4s, v9.16b, v17.16b
        sdot    v2.4s, v10.16b, v16.16b
        sdot    v3.4s, v11.16b, v17.16b
        second_plane 0, 1, 8, 9, 22
        second_plane 2, 3, 10, 11, 22
        add_zero_point 4, 31
        cset    step, hi
        add_zero_point 6, 31
        // they become bytes beside the quads of the odd column
        zip1    v12.16b, v26.16b, v27.16b
        ldr     d26, [x5, channel]
        zip1    v14.16b, v28.16b, v29.16b
        ldr     d27, [x6, channel]
        zip1    v30.16b, v30.16b, v30.16b
        ldr     d28, [x7, channel]
        flip    13, 12, 14, 30
        load_bounds 5, 7
        to_bytes 4, 5, 7
        ldr     d29, [x8, channel]
        to_bytes 6, 5, 7
        ldr     d31, [x9, channel]
        add     odd, odd, step, lsl #4
        add     even, even, step, lsl #4
        zip2    v13.8h, v12.8h, v14.8h
        zip1    v12.8h, v12.8h, v14.8h
        zip2    v15.8h, v14.8h, v30.8h
        str     d4, [out0]
        zip1    v14.8h, v14.8h, v30.8h
        str     d6, [out1]
        add     out0, out0, out_column
        add     out1, out1, out_column
        b.hs    1b
        end_function tvmq_depthwise_3x3s2_\name\()_dotprod
        .endm

// ---- one row: three rows of a column
//
//   v0 v1    sums
//   v4 v5    rescaled sums; bytes in v4
//   v26-v28  rows of the odd column, then pairs of them in v26 v28, then quads in v12 v13
//   v29-v31  rows of the even column, then pairs of them in v29 v31, then quads in v8 v9

        .macro  single_row name, is_unsigned, clamped, saturating, fused, planes
        begin_function tvmq_depthwise_3x3s2_row_\name\()_dotprod, 6, \is_unsigned, \clamped, \saturating, \fused, \planes
        load_constants 16, 16, 17, 18, 19, 20, 21, 22
        .if     PLANES == 1
        load_constants 16, 23, 24, 25
        .endif
        begin_block
        mov     odd, #8
        mov     even, #0
        ldr     x5, [row0, even]
        ldr     x6, [row1, even]
        ldr     x7, [row2, even]
        ldr     x0, [row0, odd]
        ldr     x1, [row1, odd]
        ldr     x2, [row2, odd]
        ldr     d29, [x5, channel]
        ldr     d30, [x6, channel]
        ldr     d31, [x7, channel]
        mov     even, #16
        ldr     x5, [row0, even]
        ldr     x6, [row1, even]
        ldr     x7, [row2, even]
        ldr     d26, [x0, channel]
        ldr     d27, [x1, channel]
        ldr     d28, [x2, channel]
        zip1    v29.16b, v29.16b, v30.16b
        zip1    v31.16b, v31.16b, v31.16b
        flip    30, 29, 31
        subs    n, n, #1
        ldr     q0, [panel]
        ldr     q1, [panel, #16]
        cset    step, hi
        zip1    v8.8h, v29.8h, v31.8h
        zip2    v9.8h, v29.8h, v31.8h
        zip1    v26.16b, v26.16b, v27.16b
        zip1    v28.16b, v28.16b, v28.16b
        flip    27, 26, 28
        add     odd, odd, step, lsl #4
        add     even, even, step, lsl #4
        ldr     d29, [x5, channel]
        ldr     d30, [x6, channel]
        ldr     d31, [x7, channel]
        sdot    v0.4s, v8.16b, v16.16b
        sdot    v1.4s, v9.16b, v17.16b
        second_plane 0, 1, 8, 9, 22
        zip1    v12.8h, v26.8h, v28.8h
        zip2    v13.8h, v26.8h, v28.8h
        ldr     x0, [row0, odd]
        ldr     x1, [row1, odd]
        ldr     x2, [row2, odd]
        ldr     x5, [row0, even]
        ldr     x6, [row1, even]
        ldr     x7, [row2, even]
1:
        // as in s2
        zip1    v29.16b, v29.16b, v30.16b
        ldr     d26, [x0, channel]
        zip1    v31.16b, v31.16b, v31.16b
        ldr     d27, [x1, channel]
        flip    30, 29, 31
        sdot    v0.4s, v12.16b, v18.16b
        ldr     d28, [x2, channel]
        sdot    v1.4s, v13.16b, v19.16b
        second_plane 0, 1, 12, 13, 22
        load_zero_point 10
        subs    n, n, #1
        zip1    v8.8h, v29.8h, v31.8h
        zip2    v9.8h, v29.8h, v31.8h
        zip1    v26.16b, v26.16b, v27.16b
        zip1    v28.16b, v28.16b, v28.16b
        flip    27, 26, 28
        cset    step, hi
        sdot    v0.4s, v8.16b, v20.16b
        ldr     d29, [x5, channel]
        sdot    v1.4s, v9.16b, v21.16b
        ldr     d30, [x6, channel]
        second_plane 0, 1, 8, 9, 22
        load_multipliers 24, 25
        zip1    v12.8h, v26.8h, v28.8h
        zip2    v13.8h, v26.8h, v28.8h
        ldr     d31, [x7, channel]
        add     odd, odd, step, lsl #4
        add     even, even, step, lsl #4
        begin   4, 5, 0, 1
        multiply 4, 0, 22, 24
        ldr     x0, [row0, odd]
        multiply 5, 1, 23, 25
        ldr     x1, [row1, odd]
        load_shifts 24, 25
        shift   4, 24
        ldr     q0, [panel]
        shift   5, 25
        ldr     q1, [panel, #16]
        narrow  4, 4, 5
        ldr     x2, [row2, odd]
        sdot    v0.4s, v8.16b, v16.16b
        ldr     x5, [row0, even]
        sdot    v1.4s, v9.16b, v17.16b
        ldr     x6, [row1, even]
        second_plane 0, 1, 8, 9, 22
        add_zero_point 4, 10
        ldr     x7, [row2, even]
        load_bounds 14, 15
        to_bytes 4, 14, 15
        str     d4, [out0]
        add     out0, out0, out_column
        b.hs    1b
        end_function tvmq_depthwise_3x3s2_row_\name\()_dotprod
        .endm

#define FUNCTIONS(...) pair_of_rows __VA_ARGS__; single_row __VA_ARGS__;
TVMQ_EACH_3X3_LOOP(FUNCTIONS)
