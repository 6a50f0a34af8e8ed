// Variables (tflite/variables.h) have permanent memory, so nodes that read or assign a variable need not move bytes. A
// value that is read is a view of the variable; a value that is assigned is computed directly in the variable. But a
// view shows the bytes that were written last, and a value computed in place is visible before its assignment.
#pragma once

#include "graph/step.h"

// Simulates an inference on the steps, whose tensors must be placed. If a step would see a wrong value of a variable,
// all nodes that read or assign the variable must copy it (`copies`). Returns true if there are new copies, so that
// tensors must be placed again.
bool tvmq_separate_variables(struct tvmq_step *steps, size_t n);
