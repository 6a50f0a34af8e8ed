// Shared by the loops of 3x3 depthwise convolution without dot products at stride 1 and 2.
#include "kernels/arm64/depthwise_stage_neon.S"

left            .req x6                                 // columns of the table to look up next
right           .req x7
last            .req x19
filter_zero_point .req w20

// Begins the function `name`, loads the weights, row by row, and begins the first output row.
        .macro  begin_3x3 name, stride, is_unsigned, clamped, asymmetric, ties_up
        begin_function \name, 9, \is_unsigned, \clamped, \asymmetric, \ties_up
        ldr     filter_zero_point, [loop, #TVMQ_LOOP_FILTER_ZERO_POINT]
        .if     \stride == 1
        add     last, n_cols, #1
        .else
        lsl     last, n_cols, #1
        .endif
        begin_block
        .irp    r, 0, 1, 2, 3, 4, 5, 6, 7, 8
        ldr     q\r, [panel, #16 * (4 + \r)]
        .endr
        add     row1, row0, pitch
        add     row2, row1, pitch
0:
        mov     out, first
        mov     n, n_cols
        .endm

        .macro  end_3x3 name
        subs    n_rows, n_rows, #1
        b.eq    4f
        add     row0, row0, row_step
        add     row1, row1, row_step
        add     row2, row2, row_step
        add     first, first, out_row
        b       0b
4:
        end_function \name
        .endm

// Advances by two columns, but not past the last.
        .macro  advance
        add     left, left, #2
        cmp     left, last
        csel    left, left, last, lo
        cinc    right, left, lo
        .endm

// ---- the term of a filter zero point: the sum of pixels times the zero point

        .macro  sum_pixels low, high, pixel0, pixel1
        saddl   v\low\().8h, v\pixel0\().8b, v\pixel1\().8b
        saddl2  v\high\().8h, v\pixel0\().16b, v\pixel1\().16b
        .endm

        .macro  add_pixel low, high, pixel
        saddw   v\low\().8h, v\low\().8h, v\pixel\().8b
        saddw2  v\high\().8h, v\high\().8h, v\pixel\().16b
        .endm

        .macro  add_sums low, high, by_low, by_high
        add     v\low\().8h, v\low\().8h, v\by_low\().8h
        add     v\high\().8h, v\high\().8h, v\by_high\().8h
        .endm

        .macro  subtract_term low, high, by, acc0, acc1, acc2, acc3
        smlsl   v\acc0\().4s, v\low\().4h, v\by\().4h
        smlsl2  v\acc1\().4s, v\low\().8h, v\by\().8h
        smlsl   v\acc2\().4s, v\high\().4h, v\by\().4h
        smlsl2  v\acc3\().4s, v\high\().8h, v\by\().8h
        .endm

// ---- the output stage of a last, odd column

        .macro  last_stage
        ldr     q24, [panel, #MULTIPLIERS]
        ldr     q25, [panel, #MULTIPLIERS + 16]
        ldr     q26, [panel, #MULTIPLIERS + 32]
        ldr     q27, [panel, #MULTIPLIERS + 48]
        ldr     q28, [loop]
        ldr     q29, [loop, #16]
        ldr     q30, [loop, #32]
        ldr     q31, [loop, #48]
        load_zero_point
        multiply 16, 24
        multiply 17, 25
        multiply 18, 26
        multiply 19, 27
        lower   16, 17, 18, 19
        shift   16, 28
        shift   17, 29
        shift   18, 30
        shift   19, 31
        narrow_low 16
        narrow_low 18
        narrow_high 16, 17
        narrow_high 18, 19
        load_bounds 24, 25
        add_zero_point 16
        add_zero_point 18
        to_bytes_low 17, 16
        to_bytes_high 17, 18
        clamp_min 17, 24
        clamp_max 17, 25
        str     q17, [out]
        .endm
