// Basis of a partition's plans: the shapes of the interpreter's tensors that its nodes read.
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

// Allocates the basis of these steps, which must be wired. Returns false if out of memory.
bool tvmq_basis_create(struct tvmq_basis *basis, const struct tvmq_step *steps, size_t n);
void tvmq_basis_free(struct tvmq_basis *basis);

// Store the current shapes of the tensors, and return whether the tensors still have the stored shapes.
void tvmq_basis_note(struct tvmq_basis *basis, const struct tvmq_step *steps, size_t n, const TfLiteContext *context);
bool tvmq_basis_same_shapes(const struct tvmq_basis *basis, const TfLiteContext *context);
