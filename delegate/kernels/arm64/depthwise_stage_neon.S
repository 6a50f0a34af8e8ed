// Shared by the loops of depthwise convolution without dot products: registers, products of two taps, and the output
// stage. Included by the files of the loops.
//
// A pixel has 16 channels, and its sums are in four vectors. Two taps are multiplied and added in int16, then added to
// int32.
//
// Macro arguments are numbers of vector registers. A macro named for something that an output stage lacks is empty for
// that stage, whose attributes are assembler symbols (depthwise_loops_neon.h).
#include "kernels/arm64/depthwise_loops_neon.h"
#include "kernels/arm64/function.S"

// General registers. x0-x7 point to pixels, or hold positions in the table of pixels.
n               .req x8                                 // columns left
n_cols          .req x9
out             .req x10
out_column      .req x11
out_row         .req x12
n_rows          .req x13                                // rows left
first           .req x14                                // output of the row's first column
channel         .req x15
panel           .req x16
loop            .req x17
row0            .req x21
row1            .req x22
row2            .req x23
row3            .req x24
row4            .req x25
row_step        .req x26
pitch           .req x27
block_out       .req x28                                // first output of the block

// Begins the function `name` (tvmq_depthwise_loop_fn). A panel has four vectors of biases, a vector of weights for each
// tap, four vectors of multipliers and four of shifts.
        .macro  begin_function name, taps, is_unsigned, clamped, asymmetric, ties_up
        .set    UNSIGNED, \is_unsigned
        .set    CLAMPED, \clamped
        .set    ASYMMETRIC, \asymmetric
        .set    TIES_UP, \ties_up
        .set    MULTIPLIERS, 16 * (4 + \taps)
        function \name
        save_vectors
        save_general
        mov     loop, x0
        ldp     panel, channel, [loop, #TVMQ_LOOP_PANEL]
        ldp     block_out, pitch, [loop, #TVMQ_LOOP_OUT]
        ldp     row_step, n_cols, [loop, #TVMQ_LOOP_OUT + 16]
        ldp     out_column, out_row, [loop, #TVMQ_LOOP_OUT + 32]
        .endm

// Begins a block, whose left shifts go to the structure: a result then begins in the upper half.
        .macro  begin_block
7:
        ldr     x0, [loop, #TVMQ_LOOP_TAPS]
        movi    v20.4s, #16
        add     x0, panel, x0, lsl #4
        ldr     q16, [x0, #128]
        ldr     q17, [x0, #144]
        ldr     q18, [x0, #160]
        ldr     q19, [x0, #176]
        add     v16.4s, v16.4s, v20.4s
        add     v17.4s, v17.4s, v20.4s
        add     v18.4s, v18.4s, v20.4s
        add     v19.4s, v19.4s, v20.4s
        str     q16, [loop]
        str     q17, [loop, #16]
        str     q18, [loop, #32]
        str     q19, [loop, #48]
        ldp     row0, n_rows, [loop, #TVMQ_LOOP_PIXELS]
        mov     first, block_out
        .endm

// Goes on to the next block, or ends the function.
        .macro  end_function name
        ldp     x0, x1, [loop, #TVMQ_LOOP_PANEL_BYTES]
        add     channel, channel, #16
        add     block_out, block_out, #16
        add     panel, panel, x0
        cmp     panel, x1
        b.ne    7b
        restore_general
        restore_vectors
        ret
        endfunc \name
        .endm

// ---- products

// Flips uint8 pixels to int8 by a mask.
        .macro  flip_mask mask
        .if     UNSIGNED
        movi    v\mask\().16b, #0x80
        .endif
        .endm

        .macro  flip_by mask, pixels:vararg
        .if     UNSIGNED
        .irp    v, \pixels
        flip_one \v, \mask
        .endr
        .endif
        .endm

        .macro  flip_one v, mask
        eor     v\v\().16b, v\v\().16b, v\mask\().16b
        .endm

// Multiplies a tap: 16 products in two registers.
        .macro  tap low, high, pixel, weight
        smull   v\low\().8h, v\pixel\().8b, v\weight\().8b
        smull2  v\high\().8h, v\pixel\().16b, v\weight\().16b
        .endm

// Adds the products of another tap.
        .macro  add_tap low, high, pixel, weight
        smlal   v\low\().8h, v\pixel\().8b, v\weight\().8b
        smlal2  v\high\().8h, v\pixel\().16b, v\weight\().16b
        .endm

// Adds the products to the sums, which begin elsewhere in the second form.
        .macro  accumulate low, high, acc0, acc1, acc2, acc3
        accumulate_from \low, \high, \acc0, \acc1, \acc2, \acc3, \acc0, \acc1, \acc2, \acc3
        .endm

        .macro  accumulate_from low, high, acc0, acc1, acc2, acc3, from0, from1, from2, from3
        saddw   v\acc0\().4s, v\from0\().4s, v\low\().4h
        saddw2  v\acc1\().4s, v\from1\().4s, v\low\().8h
        saddw   v\acc2\().4s, v\from2\().4s, v\high\().4h
        saddw2  v\acc3\().4s, v\from3\().4s, v\high\().8h
        .endm

// ---- the output stage

        .macro  multiply acc, multiplier
        sqrdmulh v\acc\().4s, v\acc\().4s, v\multiplier\().4s
        .endm

// If ties go away from zero, negative products are decremented (stage_neon.h).
        .macro  lower accs:vararg
        .if     !TIES_UP
        .irp    v, \accs
        lower_one \v
        .endr
        .endif
        .endm

        .macro  lower_one acc
        ssra    v\acc\().4s, v\acc\().4s, #31
        .endm

// Shifts left, so that a result begins in the upper half. int8: it fits; uint8: it may saturate.
        .macro  shift acc, by
        .if     UNSIGNED
        sqshl   v\acc\().4s, v\acc\().4s, v\by\().4s
        .else
        sshl    v\acc\().4s, v\acc\().4s, v\by\().4s
        .endif
        .endm

// Narrows to the upper halves and adds the zero point in v15. int8: the sum fits, and both are one instruction.
        .macro  load_zero_point
        .if     UNSIGNED
        ldr     q15, [loop, #TVMQ_LOOP_ZERO_POINT_S16]
        .else
        ldr     q15, [loop, #TVMQ_LOOP_ZERO_POINT_S32]
        .endif
        .endm

        .macro  narrow_low acc
        .if     UNSIGNED
        sqrshrn v\acc\().4h, v\acc\().4s, #16
        .else
        raddhn  v\acc\().4h, v\acc\().4s, v15.4s
        .endif
        .endm

        .macro  narrow_high acc, high
        .if     UNSIGNED
        sqrshrn2 v\acc\().8h, v\high\().4s, #16
        .else
        raddhn2 v\acc\().8h, v\high\().4s, v15.4s
        .endif
        .endm

        .macro  add_zero_point acc
        .if     UNSIGNED
        sqadd   v\acc\().8h, v\acc\().8h, v15.8h
        .endif
        .endm

        .macro  to_bytes_low v, low
        .if     UNSIGNED
        sqxtun  v\v\().8b, v\low\().8h
        .else
        sqxtn   v\v\().8b, v\low\().8h
        .endif
        .endm

        .macro  to_bytes_high v, high
        .if     UNSIGNED
        sqxtun2 v\v\().16b, v\high\().8h
        .else
        sqxtn2  v\v\().16b, v\high\().8h
        .endif
        .endm

        .macro  load_bounds min, max
        .if     CLAMPED
        ldr     q\min, [loop, #TVMQ_LOOP_MIN]
        ldr     q\max, [loop, #TVMQ_LOOP_MAX]
        .endif
        .endm

        .macro  clamp_min v, min
        .if     CLAMPED && UNSIGNED
        umax    v\v\().16b, v\v\().16b, v\min\().16b
        .elseif CLAMPED
        smax    v\v\().16b, v\v\().16b, v\min\().16b
        .endif
        .endm

        .macro  clamp_max v, max
        .if     CLAMPED && UNSIGNED
        umin    v\v\().16b, v\v\().16b, v\max\().16b
        .elseif CLAMPED
        smin    v\v\().16b, v\v\().16b, v\max\().16b
        .endif
        .endm
