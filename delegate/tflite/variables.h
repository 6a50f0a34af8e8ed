// Resource variables: tensors that keep their values between inferences. VAR_HANDLE outputs a resource tensor, the
// handle of a variable. CALL_ONCE runs another graph before the first inference to assign constants to variables.
// READ_VARIABLE and ASSIGN_VARIABLE copy variables.
//
// The delegate keeps a variable in its own memory if it can prove that nothing else accesses it and that its type and
// shape never change. Either all nodes that use the variable are claimed or none, because the delegate cannot access
// variables of the runtime's kernels.
#pragma once

#include <stddef.h>

#include "tflite/tensor.h"

struct tvmq_variable {
  const char *container, *name;  // the runtime's
  int resource;                  // the tensor that stands for the variable
  size_t n_nodes;                // of the graph that name it
  const char *reason;            // NULL, or why the delegate does not keep it
  TfLiteTensor tensor;           // the variable as the tensor that nodes read and write; without a reason its data is the memory that keeps it
  int dims[1 + TVMQ_MAX_RANK];   // a TfLiteIntArray
  size_t writer, assigned;       // for graph/separate_variables.c
};

struct tvmq_variables {
  int n_once;                         // CALL_ONCE nodes
  int once_graph;                     // that the last of them has run; -1: none
  const char *once_reason;            // NULL: all that it does is to assign constants to variables that the delegate may keep
  const TfLiteContext *once_context;  // of once_graph, identity only; NULL: it was not found
  size_t n;
  struct tvmq_variable of[];
};

// Finds the variables of the graph that a delegate is being applied to, with their initial values. Returns NULL if out
// of memory.
struct tvmq_variables *tvmq_variables_create(TfLiteContext *context);
void tvmq_variables_free(struct tvmq_variables *variables);

// Returns the variable of a resource tensor, or NULL if the delegate does not keep it.
struct tvmq_variable *tvmq_variables_find(struct tvmq_variables *variables, int tensor);

// Return why the delegate does not keep the variable of a resource tensor, and why it cannot replace CALL_ONCE; NULL if
// it does.
const char *tvmq_variables_refuse(struct tvmq_variables *variables, int tensor);
const char *tvmq_variables_refuse_once(const struct tvmq_variables *variables);

// Returns whether this context is the graph that CALL_ONCE runs, and the delegate has already done everything that the
// graph would do.
bool tvmq_variables_initialized_by(const struct tvmq_variables *variables, const TfLiteContext *context);
