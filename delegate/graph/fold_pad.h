// Folds PADs into the operators that read them: convolutions, to which padded zero points contribute nothing, and max
// poolings. Each of these operators then reads the PAD's input and has a border.
#pragma once

#include "graph/graph.h"

// Folds every claimed PAD into its readers if all claimed readers support borders and no other node needs the PAD's
// output. Otherwise the PAD is computed. First unfolds the PADs of earlier calls, so it may be called again after nodes
// have been refused. Does not plan operators again.
void tvmq_fold_pads(struct tvmq_subgraph *subgraph);
