// Shared by the loops of 3x3 depthwise convolution with dot products: registers, what differs between output stages, and
// the walk from tile to tile. Included by the files of the loops.
//
// In-order cores start one vector instruction per cycle, and in the same cycle another instruction after it: a load, or
// an update of pointers. An instruction must not finish before an earlier one, or it waits. Loads of pointers and
// pixels, with an offset in a register, take as long as most vector instructions. Loads of constants and arithmetic are
// shorter, and stand where results are shifted or the zero point is added.
//
// Macro arguments are numbers of vector registers. A macro named for something that an output stage lacks is empty for
// that stage, whose attributes are assembler symbols (depthwise_3x3_dotprod.h).
#include "kernels/arm64/depthwise_3x3_dotprod.h"
#include "kernels/arm64/function.S"

// General registers. x0-x9 point to pixels; offsets are those in the table of pixels.
n               .req x10                                // columns left
n_tiles         .req x11
out             .req x28                                // output of the block
out0            .req x12
out1            .req x13
out_column      .req x14
channel         .req x15
panel           .req x16
tiles           .req x17
// Stride 1: offsets of the next two columns, and how many there are to advance by. Both are loaded ("hi"), the last column
// is loaded twice ("eq"), or there is none ("lo") and the same two are loaded again.
left            .req x19
right           .req x20
left_step       .req x21
right_step      .req x22
// Stride 2: the same of the next odd column and the even one behind it, if there are any.
odd             .req x19
even            .req x20
step            .req x21
row0            .req x23
row1            .req x24
row2            .req x25
row3            .req x26
row4            .req x27

// ---- tiles

// Begins the function `name` (tvmq_3x3_fn). A panel has two vectors of biases, `weights` vectors of each plane's weights,
// two of multipliers and two of shifts, or of slopes and addends.
        .macro  begin_function name, weights, is_unsigned, clamped, saturating, fused, planes
        .set    UNSIGNED, \is_unsigned
        .set    CLAMPED, \clamped
        .set    SATURATING, \saturating
        .set    FUSED, \fused
        .set    PLANES, \planes
        .set    MULTIPLIERS, 16 * (2 + \weights * \planes)
        .set    SHIFTS, MULTIPLIERS + 32
        function \name
        save_vectors
        save_general
        mov     tiles, x0
        ldp     panel, channel, [tiles, #TVMQ_3X3_PANEL]
        ldp     out, out_column, [tiles, #TVMQ_3X3_OUT]
5:
        .endm

// Loads constants of the panel. The first register that the constants have stands for the first vector behind the biases.
        .macro  load_constants first, registers:vararg
        .irp    r, \registers
        ldr     q\r, [panel, #16 * (\r - \first + 2)]
        .endr
        .endm

// Begins the first tile of a block.
        .macro  begin_block
        ldp     row0, row1, [tiles, #TVMQ_3X3_ROWS]
        ldp     row2, row3, [tiles, #TVMQ_3X3_ROWS + 16]
        ldp     row4, n_tiles, [tiles, #TVMQ_3X3_ROWS + 32]
        ldp     n, out1, [tiles, #TVMQ_3X3_N]
        mov     out0, out
        add     out1, out, out1
0:
        .endm

// Goes on to the next tile, to the next block, or ends the function.
        .macro  end_function name
        subs    n_tiles, n_tiles, #1
        b.eq    4f
        ldp     x0, x1, [tiles, #TVMQ_3X3_STEPS]
        ldr     n, [tiles, #TVMQ_3X3_N]
        add     row0, row0, x0
        add     row1, row1, x0
        add     row2, row2, x0
        add     row3, row3, x0
        add     row4, row4, x0
        add     out0, out0, x1
        add     out1, out1, x1
        b       0b
4:
        ldp     x0, x1, [tiles, #TVMQ_3X3_PANEL_BYTES]
        add     channel, channel, #8
        add     out, out, #8
        add     panel, panel, x0
        cmp     panel, x1
        b.ne    5b
        restore_general
        restore_vectors
        ret
        endfunc \name
        .endm

// ---- pixels

// Flips uint8 pixels to int8.
        .macro  flip mask, pixels:vararg
        .if     UNSIGNED
        movi    v\mask\().16b, #0x80
        .irp    v, \pixels
        flip_by \v, \mask
        .endr
        .endif
        .endm

        .macro  flip_by v, mask
        eor     v\v\().16b, v\v\().16b, v\mask\().16b
        .endm

// Adds the products of the second plane, which has the same term for every weight of an output row.
        .macro  second_plane acc0, acc1, quad0, quad1, term
        .if     PLANES == 2
        sdot    v\acc0\().4s, v\quad0\().16b, v\term\().16b
        sdot    v\acc1\().4s, v\quad1\().16b, v\term\().16b
        .endif
        .endm

// ---- the output stage
//
// Two vectors of sums, channels 0-3 ("low") and 4-7 ("high"), are rescaled into two other registers. Without a fused
// form: the doubling high product, minus 1 if negative, shifted with ties up. Fused: one multiply-add with the addends.

        .macro  begin low, high, acc_low, acc_high
        .if     FUSED
        ldr     q\low, [panel, #SHIFTS]
        ldr     q\high, [panel, #SHIFTS + 16]
        .else
        cmlt    v\low\().4s, v\acc_low\().4s, #0
        cmlt    v\high\().4s, v\acc_high\().4s, #0
        .endif
        .endm

// The multiplier has a register of its own with one plane, and another with two, to which load_multipliers has loaded it.
        .macro  multiply to, acc, own, loaded
        .if     PLANES == 2
        multiply_by \to, \acc, \loaded
        .else
        multiply_by \to, \acc, \own
        .endif
        .endm

        .macro  multiply_by to, acc, multiplier
        .if     FUSED
        fmls    v\to\().4s, v\acc\().4s, v\multiplier\().4s
        .else
        sqrdmlah v\to\().4s, v\acc\().4s, v\multiplier\().4s
        .endif
        .endm

        .macro  shift v, by
        .if     !FUSED
        srshl   v\v\().4s, v\v\().4s, v\by\().4s
        .endif
        .endm

// With two planes, multipliers and shifts are loaded to the same two registers when they are needed.
        .macro  load_multipliers low, high
        .if     PLANES == 2
        ldr     q\low, [panel, #MULTIPLIERS]
        ldr     q\high, [panel, #MULTIPLIERS + 16]
        .endif
        .endm

        .macro  load_shifts low, high
        .if     PLANES == 2 && !FUSED
        ldr     q\low, [panel, #SHIFTS]
        ldr     q\high, [panel, #SHIFTS + 16]
        .endif
        .endm

// Narrows two vectors to int16.
        .macro  narrow to, low, high
        .if     SATURATING
        sqxtn   v\to\().4h, v\low\().4s
        sqxtn2  v\to\().8h, v\high\().4s
        .else
        uzp1    v\to\().8h, v\low\().8h, v\high\().8h
        .endif
        .endm

// The addends of the fused form include the zero point.
        .macro  load_zero_point v
        .if     !FUSED
        ldr     q\v, [tiles]
        .endif
        .endm

        .macro  add_zero_point v, zero_point
        .if     SATURATING
        sqadd   v\v\().8h, v\v\().8h, v\zero_point\().8h
        .elseif !FUSED
        add     v\v\().8h, v\v\().8h, v\zero_point\().8h
        .endif
        .endm

        .macro  load_bounds min, max
        .if     CLAMPED
        ldr     d\min, [tiles, #TVMQ_3X3_MIN]
        ldr     d\max, [tiles, #TVMQ_3X3_MAX]
        .endif
        .endm

        .macro  to_bytes v, min, max
        .if     UNSIGNED
        sqxtun  v\v\().8b, v\v\().8h
        .else
        sqxtn   v\v\().8b, v\v\().8h
        .endif
        .if     CLAMPED && UNSIGNED
        umax    v\v\().8b, v\v\().8b, v\min\().8b
        umin    v\v\().8b, v\v\().8b, v\max\().8b
        .elseif CLAMPED
        smax    v\v\().8b, v\v\().8b, v\min\().8b
        smin    v\v\().8b, v\v\().8b, v\max\().8b
        .endif
        .endm

// The whole stage of stride 1 for the sums in v0-v3: of a last, odd column of two rows, or of a single row. For a single
// row v2 v3 are meaningless, and are stored where v0 v1 are stored next.
        .macro  last_stage low0, high0, low1, high1, zero_point
        load_zero_point \zero_point
        load_multipliers 22, 23
        begin   \low0, \high0, 0, 1
        begin   \low1, \high1, 2, 3
        multiply \low0, 0, 20, 22
        multiply \high0, 1, 21, 23
        multiply \low1, 2, 20, 22
        multiply \high1, 3, 21, 23
        load_shifts 22, 23
        shift   \low0, 22
        shift   \high0, 23
        shift   \low1, 22
        shift   \high1, 23
        narrow  \low0, \low0, \high0
        narrow  \low1, \low1, \high1
        add_zero_point \low0, \zero_point
        add_zero_point \low1, \zero_point
        load_bounds \high0, \high1
        to_bytes \low0, \high0, \high1
        to_bytes \low1, \high0, \high1
        str     d\low1, [out1]
        str     d\low0, [out0]
        .endm
