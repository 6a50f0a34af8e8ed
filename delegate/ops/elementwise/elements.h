// The elements of an element-wise operator, which threads share in tasks that begin on cache lines.
#pragma once

#include "ops/op.h"

// The first member of such an operator.
struct tvmq_elements {
  size_t n, of_task, tasks;
  float cycles;  // estimated, for all on one thread
};

// Elements [first, first + n).
struct tvmq_piece {
  size_t first, n;
};

// Cuts `n` elements into tasks of a multiple of `granule`.
void tvmq_elements_cut(struct tvmq_elements *elements, size_t n, size_t granule, float cycles, const struct tvmq_env *env);
struct tvmq_piece tvmq_elements_of(const struct tvmq_elements *elements, struct tvmq_task task);

// A class's n_tasks.
size_t tvmq_elements_tasks(const struct tvmq_op *op, size_t pass);
