// Variables (tflite/variables.h) lie in memory that stays, so that nodes which read or assign one need not move bytes: what is read is a view of the variable,
// and what is assigned is computed in its place. But a view shows whatever was written there last, and what is computed in place is there before it is
// assigned.
#pragma once

#include "graph/step.h"

// Walks through the steps, whose tensors are placed, as an inference does. Where one would not see of a variable what it is meant to, the nodes that read or
// assign that variable are to copy it, each at its time (`copies`). True: there are more of them now, and tensors must be placed anew.
bool tvmq_separate_variables(struct tvmq_step *steps, size_t n);
