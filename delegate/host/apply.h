// A delegate applied to the graph of an interpreter: which nodes it takes.
#pragma once

#include "host/delegate.h"

// The interpreter calls it once for each subgraph, and again when it had to undo delegation. A model that the delegate can do nothing for is no error.
TfLiteStatus tvmq_apply(TfLiteContext *context, TfLiteDelegate *base);

// The delegate behind a TfLiteDelegate pointer, NULL if it is another library's.
struct tvmq_delegate *tvmq_delegate_of(const void *base);
