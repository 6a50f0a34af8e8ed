// Where the tensors of a partition's steps lie: in buffers of its arena, in the interpreter's tensors, or inside one another.
//
// Three things keep bytes from being moved, or nodes from being computed, where nobody could tell:
//   - a step whose outputs nothing reads is idle (functions of a byte that are computed along with the one behind them, fold_bytes.h);
//   - an operator that only moves bytes is idle where each output is a piece of its input (a view), or where all its inputs are pieces of its output, and
//     whatever computes them can write them there;
//   - an operator that computes element by element overwrites an input that nothing else reads.
#pragma once

#include "graph/arena.h"
#include "graph/step.h"

// Gives the steps, whose records are set, room for what they have of each tensor: a block to be released with the steps. NULL: out of memory.
void *tvmq_make_steps(struct tvmq_step *steps, size_t n);

// Finds what each step reads among the outputs of steps before it. `inside` and the records are set; returns how many buffers there may be.
size_t tvmq_wire(struct tvmq_step *steps, size_t n);

// Places the tensors, for the shapes that the records have now, and sizes the buffers: 0 where a tensor lies elsewhere.
void tvmq_place_tensors(struct tvmq_step *steps, size_t n, struct tvmq_arena_buffer *buffers, size_t n_buffers);
