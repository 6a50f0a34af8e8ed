// A network that is open (tvmq_network.h).
#pragma once

#include <stdbool.h>

#include "host/delegate.h"
#include "network/file.h"
#include "network/runtime.h"

#pragma GCC visibility push(default)
#include "tvmq_network.h"
#pragma GCC visibility pop

struct tvmq_network {
  struct tvmq_model_file file;
  struct tvmq_runtime runtime;
  struct tvmq_delegate *delegate;
  struct tvmq_tensor_info *tensors;  // inputs, then outputs
  bool ready;                        // prepared for the current shapes
};
