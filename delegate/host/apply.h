// Applies a delegate to an interpreter's graph: decides which nodes it claims.
#pragma once

#include "host/delegate.h"

// Claims nodes of one subgraph. The interpreter calls this function once for each subgraph, and again after it had to
// undo delegation. Claiming no node is not an error.
TfLiteStatus tvmq_apply(TfLiteContext *context, TfLiteDelegate *base);

// Returns the delegate behind a TfLiteDelegate pointer, or NULL if another library created the pointer.
struct tvmq_delegate *tvmq_delegate_of(const void *base);
