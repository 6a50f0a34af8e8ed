// int8 gemm by dot products of four (sdot): rows are read where they lie.
//
// The sums of a tile are inline assembly, for three reasons. Neither compiler is sure to keep a tile of 16 accumulators and its operands in registers. In-order
// cores need each load placed well before its use. And the loop reads ahead in a way C cannot express: the weights of the next four depths are always in
// registers, across the ends of taps too; after the last ones come multipliers and shifts, which the panel holds anyway, so that nothing outside is read.
#include "requant_neon.h"

#define SDOT(acc, b, a, depth) "sdot v" #acc ".4s, v" #b ".16b, v" #a ".4b[" #depth "]\n"
#define LOAD_B(b, offset) "ldr q" #b ", [%[weights], #" #offset "]\n"

// A of four rows at `x15` bytes past the row pointers x9 to x12; `reg` is q, d or s.
#define LOAD_4_ROWS(reg) "ldr " #reg "0, [x9, x15]\nldr " #reg "1, [x10, x15]\nldr " #reg "2, [x11, x15]\nldr " #reg "3, [x12, x15]\n"
#define FLIP(a) "eor v" #a ".16b, v" #a ".16b, v8.16b\n"
#define FLIP_4_ROWS FLIP(0) FLIP(1) FLIP(2) FLIP(3)
#define FLIP_NONE ""

// Four depths of tile 4x16. Each weight vector serves the four rows and is at once replaced by that of the depths that follow, `offset` bytes on.
#define COLUMN_4X16(a0, a1, a2, a3, b, depth) SDOT(a0, b, 0, depth) SDOT(a1, b, 1, depth) SDOT(a2, b, 2, depth) SDOT(a3, b, 3, depth)
#define DEPTHS_4X16(depth, o0, o1, o2, o3)                                                    \
  COLUMN_4X16(16, 20, 24, 28, 4, depth) LOAD_B(4, o0) COLUMN_4X16(17, 21, 25, 29, 5, depth) LOAD_B(5, o1) \
  COLUMN_4X16(18, 22, 26, 30, 6, depth) LOAD_B(6, o2) COLUMN_4X16(19, 23, 27, 31, 7, depth) LOAD_B(7, o3)
