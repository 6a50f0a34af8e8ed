// Which arithmetic the runtime's reference kernels use, where its versions and builds differ.
#pragma once

#include "host/delegate.h"

// Returns the properties of the runtime that the context belongs to: as the options say, otherwise as known of the
// runtime's build, otherwise unknown. Stores them for tvmq_delegate_info.
struct tvmq_reference tvmq_reference_find(struct tvmq_delegate *delegate, TfLiteContext *context);
