// Cuts work of many equal units (elements or rows) into tasks for the threads.
#pragma once

#include "cpu/ops/op.h"

// First member of an operator that has one pass and cuts it into tasks.
struct tvmq_cut {
  size_t n, of_task, tasks;  // units, units per task (the last task may have fewer), and tasks
  float cycles;              // estimate for all units on one thread
};

// The units [first, first + n) of a task.
struct tvmq_piece {
  size_t first, n;
};

// Cuts `n` units into tasks of a multiple of `granule` units. With a granule of a cache line, no two threads write to
// the same line.
void tvmq_cut_units(struct tvmq_cut *cut, size_t n, size_t granule, float cycles, const struct tvmq_env *env);
struct tvmq_piece tvmq_cut_piece(const struct tvmq_cut *cut, size_t task);

// Returns the number of tasks: the n_tasks of an implementation (op.h).
size_t tvmq_cut_tasks(const struct tvmq_op *op, size_t pass);
