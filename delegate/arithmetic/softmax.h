// SOFTMAX of bytes in fixed point, as TFLite's reference kernel computes it, with gemmlowp's arithmetic.
//
// SRDHM(a, b) is the doubling high product, ab / 2^31 to the nearest, ties upward. A row's outputs depend on differences to its greatest element alone:
//
//   E(d)   exp of the difference d, times the input's scale and beta, as Q0.31: a table (exact/softmax_exps.h)
//   S      the sum of E / 2^12 over the row, ties away from zero; h: its leading zeros
//   R      1 / (1 + a) as Q0.31, a = S 2^h - 2^31 as Q0.31
//   out    SRDHM(E, R) / 2^(12 - h + 31 - bits), ties away from zero, and the least value of the output's type, clamped; bits of the output: 8 or 16
//
// The last line has no meaning where it divides by more than 2^31, which takes 8 bits and a sum of 512 or more. There
//
//   out    256 times the quotient of E and the sum, to the nearest, ties upward, and the least value; 2^31 - 1 stands for 1
#pragma once

enum { TVMQ_SOFTMAX_EXPS = 256, TVMQ_SOFTMAX_MAX_DEPTH = 4095 };  // sums of more elements may exceed int32
