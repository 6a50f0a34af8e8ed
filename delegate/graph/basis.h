// The basis of a partition's plans: shapes of the interpreter's tensors that its nodes read.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "graph/step.h"

struct tvmq_basis_shape {
  int tensor;
  struct tvmq_shape shape;
};

struct tvmq_basis {
  struct tvmq_basis_shape *shapes;
  size_t n_shapes;
  bool computed;  // a node reads constants that the graph computes
};

// Makes room for the basis of these steps, which are wired. False: out of memory.
bool tvmq_basis_create(struct tvmq_basis *basis, const struct tvmq_step *steps, size_t n);
void tvmq_basis_free(struct tvmq_basis *basis);

// Notes what the tensors are now, and tells whether they still have the same shapes.
void tvmq_basis_note(struct tvmq_basis *basis, const struct tvmq_step *steps, size_t n, const TfLiteContext *context);
bool tvmq_basis_same_shapes(const struct tvmq_basis *basis, const TfLiteContext *context);
