// Operator: what holds for all nodes of one kind, whatever computes them. The functions of struct tvmq_operator depend only on a node's description (desc.h)
// and are defined beside the claim rules (claims/).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arithmetic/stage.h"
#include "base/types.h"
#include "operators/desc.h"
#include "operators/turn.h"

// Reason to refuse a node: its partition has only nodes that the runtime computes at memory speed.
#define TVMQ_LIGHT(what_the_node_does) "its partition is not worth its overhead: this node only " what_the_node_does

// How an operator that does nothing but move bytes moves them.
enum tvmq_moves {
  TVMQ_MOVES_OUT_OF_IN = 1u << 0,  // each output is a piece of the first input
  TVMQ_MOVES_INTO_OUT = 1u << 1    // each input is a piece of the only output, and together they are all of it
};

struct tvmq_operator {
  const char *(*claim)(const union tvmq_desc *desc);  // NULL, or why not (static string)
  // Returns why a claimed node may be inexact in a runtime compiled with unsafe floating-point optimizations, or NULL (static string). The member is NULL if no
  // result depends on such optimizations.
  const char *(*claim_fast_math)(const union tvmq_desc *desc);
  // Returns whether a tuning record may leave the node to the runtime. Requires that every kernel of the runtime is exact, because the kernels merely copy or
  // select elements. The member is NULL if no node may be left.
  bool (*leavable)(const union tvmq_desc *desc);
  // Sets the border that a preceding PAD adds to the input; a border of width 0 removes an earlier one. `options`: the node's own options; all other members of
  // the description are zero. Returns false if the operator does not support the border. The member is NULL if the operator supports no border.
  bool (*set_border)(union tvmq_desc *options, const struct tvmq_pad_desc *pad);
  // Turns (turn.h) the inputs if `in`, and the outputs if `out`, of a claimed description. Returns which tensors may be turned; with `in` and `out` both false,
  // changes nothing. The result depends only on types and quantization. The member is NULL if no tensor may be turned.
  enum tvmq_turning (*turn)(union tvmq_desc *desc, bool in, bool out);
  // Returns a set of enum tvmq_moves; 0 if the node does not move whole pieces. offsets: the first byte of each output in the input (OUT_OF_IN), or of each
  // input in the output (INTO_OUT). If every piece already lies at its offset, a run need not do anything, and must not fail. The member is NULL if the
  // operator computes.
  uint32_t (*moves)(const union tvmq_desc *desc, size_t offsets[]);
  // Computes the table of a node whose output byte depends on a single byte x. in[i][x]: the byte of input i for x. Returns false if there is no such table.
  // The member is NULL if the operator never has a table. Elements are independent of one another, and tensors have one shape.
  bool (*byte_function)(const union tvmq_desc *desc, enum tvmq_rounding rounding, const uint8_t *const in[], uint8_t out[TVMQ_N_BYTES]);
  // Computes outputs of integers from inputs whose values are known as soon as shapes are. in[i]: NULL if input i is not known. Returns false if a required
  // input is not known. The member is NULL if no shape can depend on an output.
  bool (*evaluate)(const union tvmq_desc *desc, const void *const in[], void *const outs[]);
  const char *light;          // TVMQ_LIGHT() if runtimes compute the operator at memory speed, else NULL
  const char *light_if_wide;  // the same, for elements of 32 or 64 bits
};

// List of all operators. A node kind names the operator of its nodes (tflite/node_*.c). The CPU has an implementation of each operator (cpu/ops/op.h).
#define TVMQ_EACH_OPERATOR(ROW) \
  ROW(arg_max)                  \
  ROW(binary)                   \
  ROW(byte_map)                 \
  ROW(cast)                     \
  ROW(concatenation)            \
  ROW(condition)                \
  ROW(conv)                     \
  ROW(copy)                     \
  ROW(depthwise)                \
  ROW(dequantize)               \
  ROW(fully_connected)          \
  ROW(gather)                   \
  ROW(lookup)                   \
  ROW(matmul)                   \
  ROW(nothing)                  \
  ROW(pad)                      \
  ROW(pool)                     \
  ROW(quantize)                 \
  ROW(reduce)                   \
  ROW(resize_bilinear)          \
  ROW(shape)                    \
  ROW(softmax)                  \
  ROW(transpose_conv)           \
  ROW(unary)                    \
  ROW(variable)

#define TVMQ_DECLARE_OPERATOR(name) extern const struct tvmq_operator tvmq_operator_##name;
TVMQ_EACH_OPERATOR(TVMQ_DECLARE_OPERATOR)
#undef TVMQ_DECLARE_OPERATOR
