// The CPU options of a model that concern the delegate.
#pragma once

#include <stdbool.h>

#include "litert/settings.h"

enum { TVMQ_NUM_THREADS = 16 };

struct tvmq_cpu_options {
  bool delegates;                      // false: the model requests the runtime's own kernels
  char num_threads[TVMQ_NUM_THREADS];  // text of the option; "" if not set
};

// Parses `text`, lines of name = value in LiteRT's format, or NULL if the model has no CPU options. Returns false if
// the text cannot be parsed.
bool tvmq_cpu_options_read(const char *text, struct tvmq_cpu_options *options);
