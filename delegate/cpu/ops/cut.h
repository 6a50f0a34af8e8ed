// Work of many units that are alike, elements or rows, cut into tasks that threads share.
#pragma once

#include "cpu/ops/op.h"

// The first member of an operator whose only pass has these tasks.
struct tvmq_cut {
  size_t n, of_task, tasks;  // units, those of a task (of the last perhaps fewer), and tasks
  float cycles;              // estimated, for all on one thread
};

// Units [first, first + n).
struct tvmq_piece {
  size_t first, n;
};

// Cuts `n` units into tasks of a multiple of `granule`, such as a cache line of elements, so that no two threads write to one.
void tvmq_cut_units(struct tvmq_cut *cut, size_t n, size_t granule, float cycles, const struct tvmq_env *env);
struct tvmq_piece tvmq_cut_piece(const struct tvmq_cut *cut, size_t task);

// An implementation's n_tasks (op.h).
size_t tvmq_cut_tasks(const struct tvmq_op *op, size_t pass);
