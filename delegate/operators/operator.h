// An operator: what is true of it whatever computes it. Its members are pure functions of its description (desc.h) and stand behind the rules
// by which its nodes are taken (claims/).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arithmetic/stage.h"
#include "base/types.h"
#include "operators/desc.h"
#include "operators/turn.h"

// The reason against a node whose partition has only nodes that the runtime computes as fast as memory is read.
#define TVMQ_LIGHT(what_the_node_does) "its partition is not worth its overhead: this node only " what_the_node_does

// How an operator that does nothing but move bytes moves them.
enum tvmq_moves {
  TVMQ_MOVES_OUT_OF_IN = 1u << 0,  // each output is a piece of the first input
  TVMQ_MOVES_INTO_OUT = 1u << 1    // each input is a piece of the only output, and together they are all of it
};

struct tvmq_operator {
  const char *(*claim)(const union tvmq_desc *desc);  // NULL, or why not (static string)
  // Why what is claimed cannot be exact in a runtime that was compiled with unsafe optimizations of floating point, as claim; NULL: it can. The member is NULL
  // where nothing depends on them.
  const char *(*claim_fast_math)(const union tvmq_desc *desc);
  // Whether a record of tuning may leave such a node to the runtime: all of its kernels are exact there by nature, since they only move bytes or pick among
  // them. The member is NULL where none are.
  bool (*leavable)(const union tvmq_desc *desc);
  // Gives the operator the border that a PAD before it makes; one of no width takes it away. Of `options` all but the node's own options is zero. False: it
  // cannot have that border. The member is NULL where operators have none.
  bool (*set_border)(union tvmq_desc *options, const struct tvmq_pad_desc *pad);
  // Turns the inputs and the outputs of the description (turn.h), which is claimed; `in` and `out` are both false only to ask. Returns which of them may be
  // turned, which depends on their types and quantization alone. The member is NULL where none may be.
  enum tvmq_turning (*turn)(union tvmq_desc *desc, bool in, bool out);
  // The enum tvmq_moves that the operator does; with them, where in the input each output, or in the output each input, begins. Where these are
  // that very place already, running it must not fail, and need not do anything. The member is NULL where operators compute.
  uint32_t (*moves)(const union tvmq_desc *desc, size_t offsets[]);
  // Computes the table of an operator whose output bytes depend on one byte, x: each input is a byte in[i][x]. False: it is not such an operator. The member is
  // NULL where none is. Elements are independent of one another, and of one shape.
  bool (*byte_function)(const union tvmq_desc *desc, enum tvmq_rounding rounding, const uint8_t *const in[], uint8_t out[TVMQ_N_BYTES]);
  // Computes the outputs, all of integers, of inputs that are known when shapes are; in[i] is NULL where one is not. False: it needs what is not known. The
  // member is NULL where operators compute nothing that shapes could depend on.
  bool (*evaluate)(const union tvmq_desc *desc, const void *const in[], void *const outs[]);
  const char *light;          // TVMQ_LIGHT(): runtimes do what it computes as fast as memory is read; NULL: they do not
  const char *light_if_wide;  // likewise of elements of 32 bits and more
};

// The one list of them. The node kinds say which one a node has (tflite/node_*.c), the CPU has an implementation of each (cpu/ops/op.h).
#define TVMQ_EACH_OPERATOR(ROW) \
  ROW(arg_max)                  \
  ROW(binary)                   \
  ROW(byte_map)                 \
  ROW(cast)                     \
  ROW(concatenation)            \
  ROW(conv)                     \
  ROW(copy)                     \
  ROW(depthwise)                \
  ROW(dequantize)               \
  ROW(fully_connected)          \
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
