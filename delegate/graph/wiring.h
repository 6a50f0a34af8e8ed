// Places the tensors of a partition's steps: in buffers of its arena, in the interpreter's tensors, or inside one
// another.
//
// Three rules avoid moving bytes and computing nodes, without a visible effect:
//   - a step whose outputs nothing reads is idle (for example a function of a byte that a later one includes,
//     fold_maps.h);
//   - an operator that only moves bytes is idle if each output is a piece of its input (a view), or if all its inputs
//     are pieces of its output and can be computed there;
//   - an operator that computes element by element overwrites an input that nothing else reads.
#pragma once

#include "graph/arena.h"
#include "graph/step.h"

// Allocates the arrays of all steps, whose records must be set. Returns one block, to be released with the steps, or
// NULL if out of memory.
void *tvmq_make_steps(struct tvmq_step *steps, size_t n);

// Finds the inputs of each step among the outputs of earlier steps. `inside` and the records must be set. Returns the
// largest possible number of buffers.
size_t tvmq_wire(struct tvmq_step *steps, size_t n);

// Places the tensors for the current shapes in the records, and sets the size of each buffer: 0 if its tensor lies
// elsewhere.
void tvmq_place_tensors(struct tvmq_step *steps, size_t n, struct tvmq_arena_buffer *buffers, size_t n_buffers);
