// SOFTMAX of bytes in fixed point, as TFLite's reference kernel computes it, with gemmlowp's arithmetic.
//
// SRDHM(a, b) is the doubling high product: ab / 2^31 rounded to the nearest, ties upward. The outputs of a row depend
// only on the differences between its elements and its greatest element:
//
//   E(d)   exp(d * input scale * beta) of a difference d, in Q0.31: a table (exact/softmax_exps.h)
//   S      the sum of E / 2^12 over the row, ties away from zero; h: its leading zeros
//   R      1 / (1 + a) in Q0.31, with a = S 2^h - 2^31 in Q0.31
//   out    SRDHM(E, R) / 2^(12 - h + 31 - bits), ties away from zero, plus the least value of the output's type; then
//          clamped; bits: width of the output, 8 or 16
//
// The last formula is undefined if it divides by more than 2^31. That happens with 8 bits and a sum of 512 or more:
//
//   out    256 * E / sum, to the nearest, ties upward, plus the least value; the greatest E, 2^31 - 1, counts as 1
#pragma once

enum { TVMQ_SOFTMAX_EXPS = 256, TVMQ_SOFTMAX_MAX_DEPTH = 4095 };  // sums of more than 4095 elements may exceed int32
