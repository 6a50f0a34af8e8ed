// Shared by the loops of 5x5 depthwise convolution without dot products at stride 1 and 2.
#include "kernels/arm64/depthwise_stage_neon.S"

window          .req x19                                // the output row's first window

// Begins the function `name` and the first tile.
        .macro  begin_5x5 name, is_unsigned, clamped, asymmetric, ties_up
        begin_function \name, 25, \is_unsigned, \clamped, \asymmetric, \ties_up
        begin_block
        mov     window, row0
0:
        mov     out, first
        mov     n, n_cols
        mov     row0, window
        add     row1, row0, pitch
        add     row2, row1, pitch
        add     row3, row2, pitch
        add     row4, row3, pitch
1:
        .endm

// Goes on to the next two columns, or to the last one and the one before it again, and to the next row.
        .macro  end_5x5 name, stride
        sub     n, n, #2
        cmp     n, #1
        mov     x0, #8 * \stride
        csel    x1, out_column, xzr, eq
        lsl     x2, x0, #1
        sub     out, out, x1
        csel    x0, x0, x2, eq
        cinc    n, n, eq
        add     row0, row0, x0
        add     row1, row1, x0
        add     row2, row2, x0
        add     row3, row3, x0
        add     row4, row4, x0
        cbnz    n, 1b
        subs    n_rows, n_rows, #1
        b.eq    2f
        add     window, window, row_step
        add     first, first, out_row
        b       0b
2:
        end_function \name
        .endm

// The output stage of a tile: its multipliers are in v0-v3, its shifts in v5-v8.
        .macro  stage_5x5
        multiply 16, 0
        multiply 17, 1
        multiply 18, 2
        multiply 19, 3
        multiply 20, 0
        multiply 21, 1
        multiply 22, 2
        multiply 23, 3
        lower   16, 17, 18, 19
        lower   20, 21, 22, 23
        shift   16, 5
        shift   17, 6
        shift   18, 7
        shift   19, 8
        shift   20, 5
        shift   21, 6
        shift   22, 7
        shift   23, 8
        narrow_low 16
        narrow_low 18
        narrow_low 20
        narrow_low 22
        load_bounds 26, 27
        narrow_high 16, 17
        narrow_high 18, 19
        narrow_high 20, 21
        narrow_high 22, 23
        add_zero_point 16
        add_zero_point 20
        add_zero_point 18
        add_zero_point 22
        to_bytes_low 24, 16
        to_bytes_low 25, 20
        to_bytes_high 24, 18
        to_bytes_high 25, 22
        clamp_min 24, 26
        clamp_min 25, 26
        clamp_max 24, 27
        clamp_max 25, 27
        str     q24, [out]
        str     q25, [out, out_column]
        add     out, out, out_column, lsl #1
        .endm
