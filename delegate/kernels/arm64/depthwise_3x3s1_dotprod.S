// 3x3 depthwise convolution at stride 1 by dot products down the rows: two output rows.
//
// Tile: two output rows of 8 channels, two columns at a time. Tiles one below the other reuse the constants in registers.
//
// Rows are interleaved once per input column into quads (32-bit lanes of four rows of a channel), which serve every
// kernel column and are used for the sums that end with the column as well as for those that begin with it. The order is
// made by hand: the end of a column is mixed with the start of the next, and pixels are looked up, loaded and partly
// interleaved ahead. Past the end they are those of the last column again.
//
// Weights minus their zero point may exceed int8. A second plane then holds the same term for every weight
// (pack_depthwise.h).
//
// Reads: 8 bytes of each pixel of the window, each once. Writes: 8 bytes of each output pixel. Hazards: sdot does not
// saturate; the rest is stage_neon.h's path of right shifts, or the fused form, whose addends are loaded for each
// result. Without saturation, results must fit int16.
//
//   v0-v3 v4-v7      sums of the left and the right column, [output row][4 channels]
//   v8-v19           weights [kernel column][output row][4 channels]
//   v20 v21          multipliers; with two planes, the second one, a register for each output row
//   v22 v23          shifts; with two planes, multipliers and then shifts
//   v28 v30 v24 v31  rows of the left column, then pairs of them in v30 v24, then quads in v24 v25
//   v26-v29          rows of the right column, then pairs of them in v26 v28, then quads in v26 v27
//   v28-v31          rescaled sums of the left column; bytes in v28 v30
//   v29 v24 v25 v31  rescaled sums of the right column; bytes in v29 v25
#include "kernels/arm64/depthwise_3x3_stage_dotprod.S"

        .macro  pair_of_rows name, is_unsigned, clamped, saturating, fused, planes
        begin_function tvmq_depthwise_3x3s1_\name\()_dotprod, 12, \is_unsigned, \clamped, \saturating, \fused, \planes
        load_constants 8, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20
        .if     PLANES == 2
        ldr     q21, [panel, #16 * 16]
        .else
        load_constants 8, 21, 22, 23
        .endif
        begin_block
        mov     left, #0
        mov     right, #8
        // the first two columns: lookups, loads, pairs, the sums that they begin
        ldr     x0, [row0, left]
        ldr     x1, [row1, left]
        ldr     x2, [row2, left]
        ldr     x3, [row3, left]
        ldr     x4, [row0, right]
        ldr     x5, [row1, right]
        ldr     x6, [row2, right]
        ldr     x7, [row3, right]
        ldr     d28, [x0, channel]
        ldr     d30, [x1, channel]
        ldr     d24, [x2, channel]
        ldr     d31, [x3, channel]
        ldr     d26, [x4, channel]
        ldr     d27, [x5, channel]
        subs    n, n, #2
        ldr     q0, [panel]
        ldr     q1, [panel, #16]
        ldr     q2, [panel]
        ldr     q3, [panel, #16]
        zip1    v30.16b, v28.16b, v30.16b
        zip1    v24.16b, v24.16b, v31.16b
        flip    31, 30, 24
        ldr     d28, [x6, channel]
        ldr     d29, [x7, channel]
        cset    left_step, hs
        cset    right_step, ne
        ldr     q4, [panel]
        ldr     q5, [panel, #16]
        ldr     q6, [panel]
        ldr     q7, [panel, #16]
        zip2    v25.8h, v30.8h, v24.8h
        zip1    v24.8h, v30.8h, v24.8h
        zip1    v26.16b, v26.16b, v27.16b
        zip1    v28.16b, v28.16b, v29.16b
        flip    29, 26, 28
        add     left, left, left_step, lsl #4
        add     right, left, right_step, lsl #3
        sdot    v0.4s, v24.16b, v8.16b
        // the next two, if there are any, are looked up and loaded beside the products
        ldr     x0, [row0, left]
        sdot    v1.4s, v25.16b, v9.16b
        ldr     x1, [row1, left]
        sdot    v2.4s, v24.16b, v10.16b
        ldr     x2, [row2, left]
        sdot    v3.4s, v25.16b, v11.16b
        ldr     x3, [row3, left]
        second_plane 0, 1, 24, 25, 20
        second_plane 2, 3, 24, 25, 21
        zip2    v27.8h, v26.8h, v28.8h
        zip1    v26.8h, v26.8h, v28.8h
        ldr     d28, [x0, channel]
        ldr     d30, [x1, channel]
        ldr     d24, [x2, channel]
        ldr     d31, [x3, channel]
        sdot    v4.4s, v26.16b, v8.16b
        ldr     x4, [row0, right]
        sdot    v5.4s, v27.16b, v9.16b
        ldr     x5, [row1, right]
        sdot    v6.4s, v26.16b, v10.16b
        ldr     x6, [row2, right]
        sdot    v7.4s, v27.16b, v11.16b
        ldr     x7, [row3, right]
        second_plane 4, 5, 26, 27, 20
        second_plane 6, 7, 26, 27, 21
        zip1    v30.16b, v28.16b, v30.16b
        zip1    v24.16b, v24.16b, v31.16b
        flip    31, 30, 24
        sdot    v0.4s, v26.16b, v12.16b
        sdot    v1.4s, v27.16b, v13.16b
        sdot    v2.4s, v26.16b, v14.16b
        sdot    v3.4s, v27.16b, v15.16b
        second_plane 0, 1, 26, 27, 20
        second_plane 2, 3, 26, 27, 21
        b.ls    2f
1:
        // the third column of the windows: quads, and pairs of the fourth
        zip2    v25.8h, v30.8h, v24.8h
        ldr     d26, [x4, channel]
        zip1    v24.8h, v30.8h, v24.8h
        ldr     d27, [x5, channel]
        sdot    v4.4s, v24.16b, v12.16b
        ldr     d28, [x6, channel]
        sdot    v5.4s, v25.16b, v13.16b
        ldr     d29, [x7, channel]
        sdot    v6.4s, v24.16b, v14.16b
        sdot    v7.4s, v25.16b, v15.16b
        second_plane 4, 5, 24, 25, 20
        second_plane 6, 7, 24, 25, 21
        zip1    v26.16b, v26.16b, v27.16b
        zip1    v28.16b, v28.16b, v29.16b
        flip    29, 26, 28
        // the left outputs end
        sdot    v0.4s, v24.16b, v16.16b
        sdot    v1.4s, v25.16b, v17.16b
        sdot    v2.4s, v24.16b, v18.16b
        sdot    v3.4s, v25.16b, v19.16b
        second_plane 0, 1, 24, 25, 20
        second_plane 2, 3, 24, 25, 21
        zip2    v27.8h, v26.8h, v28.8h
        zip1    v26.8h, v26.8h, v28.8h
        load_multipliers 22, 23
        begin   28, 29, 0, 1
        begin   30, 31, 2, 3
        multiply 28, 0, 20, 22
        multiply 29, 1, 21, 23
        multiply 30, 2, 20, 22
        multiply 31, 3, 21, 23
        load_shifts 22, 23
        shift   28, 22
        ldr     q0, [panel]
        shift   29, 23
        ldr     q1, [panel, #16]
        shift   30, 22
        ldr     q2, [panel]
        shift   31, 23
        ldr     q3, [panel, #16]
        // the right outputs end
        sdot    v4.4s, v26.16b, v16.16b
        sdot    v5.4s, v27.16b, v17.16b
        sdot    v6.4s, v26.16b, v18.16b
        sdot    v7.4s, v27.16b, v19.16b
        second_plane 4, 5, 26, 27, 20
        second_plane 6, 7, 26, 27, 21
        narrow  28, 28, 29
        narrow  30, 30, 31
        load_zero_point 29
        subs    n, n, #2
        load_multipliers 22, 23
        // the next left outputs begin
        sdot    v0.4s, v24.16b, v8.16b
        sdot    v1.4s, v25.16b, v9.16b
        sdot    v2.4s, v24.16b, v10.16b
        sdot    v3.4s, v25.16b, v11.16b
        second_plane 0, 1, 24, 25, 20
        second_plane 2, 3, 24, 25, 21
        add_zero_point 28, 29
        cset    left_step, hs
        add_zero_point 30, 29
        cset    right_step, ne
        // the left outputs become bytes, the right ones are rescaled
        begin   29, 24, 4, 5
        load_bounds 25, 31
        to_bytes 28, 25, 31
        to_bytes 30, 25, 31
        begin   25, 31, 6, 7
        multiply 29, 4, 20, 22
        multiply 24, 5, 21, 23
        multiply 25, 6, 20, 22
        multiply 31, 7, 21, 23
        load_shifts 22, 23
        shift   29, 22
        ldr     q4, [panel]
        shift   24, 23
        ldr     q5, [panel, #16]
        shift   25, 22
        ldr     q6, [panel]
        shift   31, 23
        ldr     q7, [panel, #16]
        add     left, left, left_step, lsl #4
        narrow  29, 29, 24
        str     d28, [out0]
        load_zero_point 24
        add     right, left, right_step, lsl #3
        narrow  25, 25, 31
        str     d30, [out1]
        // the second column of the next left outputs; lookups
        sdot    v0.4s, v26.16b, v12.16b
        ldr     x0, [row0, left]
        sdot    v1.4s, v27.16b, v13.16b
        ldr     x1, [row1, left]
        sdot    v2.4s, v26.16b, v14.16b
        ldr     x2, [row2, left]
        sdot    v3.4s, v27.16b, v15.16b
        ldr     x3, [row3, left]
        second_plane 0, 1, 26, 27, 20
        second_plane 2, 3, 26, 27, 21
        add_zero_point 29, 24
        add_zero_point 25, 24
        ldr     d28, [x0, channel]
        ldr     d30, [x1, channel]
        ldr     d24, [x2, channel]
        // the next right outputs begin
        sdot    v4.4s, v26.16b, v8.16b
        ldr     d31, [x3, channel]
        sdot    v5.4s, v27.16b, v9.16b
        ldr     x4, [row0, right]
        sdot    v6.4s, v26.16b, v10.16b
        ldr     x5, [row1, right]
        sdot    v7.4s, v27.16b, v11.16b
        ldr     x6, [row2, right]
        second_plane 4, 5, 26, 27, 20
        second_plane 6, 7, 26, 27, 21
        // the right outputs become bytes; the next column is half interleaved
        load_bounds 26, 27
        to_bytes 29, 26, 27
        ldr     x7, [row3, right]
        to_bytes 25, 26, 27
        zip1    v30.16b, v28.16b, v30.16b
        zip1    v24.16b, v24.16b, v31.16b
        flip    31, 30, 24
        str     d29, [out0, out_column]
        str     d25, [out1, out_column]
        add     out0, out0, out_column, lsl #1
        add     out1, out1, out_column, lsl #1
        b.hi    1b
2:
        b.ne    3f
        // a last, odd column
        zip2    v25.8h, v30.8h, v24.8h
        zip1    v24.8h, v30.8h, v24.8h
        sdot    v0.4s, v24.16b, v16.16b
        sdot    v1.4s, v25.16b, v17.16b
        sdot    v2.4s, v24.16b, v18.16b
        sdot    v3.4s, v25.16b, v19.16b
        second_plane 0, 1, 24, 25, 20
        second_plane 2, 3, 24, 25, 21
        last_stage 28, 29, 26, 27, 7
3:
        end_function tvmq_depthwise_3x3s1_\name\()_dotprod
        .endm

#define PAIR_OF_ROWS(...) pair_of_rows __VA_ARGS__;
TVMQ_EACH_3X3_LOOP(PAIR_OF_ROWS)
