// PADs folded into the operators that read them: convolutions, for which padded zero points are nothing, and max poolings. Each reads the PAD's input and has
// a border.
#pragma once

#include "host/graph.h"

// Folds every wanted PAD into its readers, all of which must be wanted and take borders, and refuses it where that cannot be. What an earlier call has folded
// is unfolded first, so that it may be called again when nodes have been refused. The operators are not planned anew.
void tvmq_fold_pads(struct tvmq_subgraph *subgraph);

bool tvmq_is_pad(const struct tvmq_record *record);  // wanted; which after tvmq_fold_pads() means folded
