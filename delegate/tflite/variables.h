// Resource variables: tensors that a graph keeps from one inference to the next. VAR_HANDLE names a variable by the resource tensor that it writes, CALL_ONCE
// has another graph assign constants to variables before the first inference, READ_VARIABLE and ASSIGN_VARIABLE copy them.
//
// The delegate keeps a variable itself if it can show that no one else sees it, and that its type and its shape never change. Then all nodes that name the
// variable are claimed, or none: what the runtime's kernels keep of it is out of the delegate's reach.
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

// The variables of the graph that a delegate is being applied to, with their first values. NULL: out of memory.
struct tvmq_variables *tvmq_variables_create(TfLiteContext *context);
void tvmq_variables_free(struct tvmq_variables *variables);

// The variable that a resource tensor stands for; NULL: it is none that the delegate keeps.
struct tvmq_variable *tvmq_variables_find(struct tvmq_variables *variables, int tensor);

// Why the delegate does not keep the variable that a resource tensor stands for, and why it cannot do what CALL_ONCE does; NULL: it can.
const char *tvmq_variables_refuse(struct tvmq_variables *variables, int tensor);
const char *tvmq_variables_refuse_once(const struct tvmq_variables *variables);

// Whether this context is the graph that CALL_ONCE runs, and all that it would do is done already.
bool tvmq_variables_initialized_by(const struct tvmq_variables *variables, const TfLiteContext *context);
