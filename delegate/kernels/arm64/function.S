// Begins and ends functions in assembly. Included by every file of such functions.
//
// Functions are visible within the library alone. They begin with a landing pad, so that the library can announce that
// all of its functions do. Frames are described for debuggers and profilers.

        .macro  function name
        .text
        .balign 16
        .global \name
        .hidden \name
        .type   \name, %function
\name:
        .cfi_startproc
        hint    #34                                     // bti c, which older assemblers do not know
        .endm

        .macro  endfunc name
        .cfi_endproc
        .size   \name, . - \name
        .endm

// Saves the vector registers that belong to the caller.
        .macro  save_vectors
        stp     d8, d9, [sp, #-64]!
        .cfi_adjust_cfa_offset 64
        stp     d10, d11, [sp, #16]
        stp     d12, d13, [sp, #32]
        stp     d14, d15, [sp, #48]
        .irp    r, 8, 9, 10, 11, 12, 13, 14, 15
        .cfi_rel_offset d\r, 8 * (\r - 8)
        .endr
        .endm

        .macro  restore_vectors
        ldp     d10, d11, [sp, #16]
        ldp     d12, d13, [sp, #32]
        ldp     d14, d15, [sp, #48]
        ldp     d8, d9, [sp], #64
        .cfi_adjust_cfa_offset -64
        .irp    r, 8, 9, 10, 11, 12, 13, 14, 15
        .cfi_restore d\r
        .endr
        .endm

// Saves the general registers that belong to the caller, except the frame pointer and the return address.
        .macro  save_general
        stp     x19, x20, [sp, #-80]!
        .cfi_adjust_cfa_offset 80
        stp     x21, x22, [sp, #16]
        stp     x23, x24, [sp, #32]
        stp     x25, x26, [sp, #48]
        stp     x27, x28, [sp, #64]
        .irp    r, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28
        .cfi_rel_offset x\r, 8 * (\r - 19)
        .endr
        .endm

        .macro  restore_general
        ldp     x21, x22, [sp, #16]
        ldp     x23, x24, [sp, #32]
        ldp     x25, x26, [sp, #48]
        ldp     x27, x28, [sp, #64]
        ldp     x19, x20, [sp], #80
        .cfi_adjust_cfa_offset -80
        .irp    r, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28
        .cfi_restore x\r
        .endr
        .endm

        .section .note.GNU-stack, "", %progbits

// The note that says of this file: functions have landing pads, and return addresses may be signed.
        .section .note.gnu.property, "a", %note
        .balign 8
        .word   4, 16, 5                                // bytes of the name, bytes of the property, NT_GNU_PROPERTY_TYPE_0
        .asciz  "GNU"
        .word   0xc0000000, 4, 3, 0                     // GNU_PROPERTY_AARCH64_FEATURE_1_AND, its bytes, BTI and PAC, padding
        .text
