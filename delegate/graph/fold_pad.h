// PADs folded into the operators that read them: convolutions, for which padded zero points are nothing, and max poolings. Each reads the PAD's input and has
// a border.
#pragma once

#include "graph/graph.h"

// Folds every wanted PAD into its readers if all that are wanted take borders, and the PAD need not be computed for others; else it is computed. What an
// earlier call has folded is unfolded first, so that it may be called again when nodes have been refused. The operators are not planned anew.
void tvmq_fold_pads(struct tvmq_subgraph *subgraph);
