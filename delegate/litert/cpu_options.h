// The part of a model's CPU options that concerns the delegate.
#pragma once

#include <stdbool.h>

#include "litert/settings.h"

enum { TVMQ_NUM_THREADS = 16 };

struct tvmq_cpu_options {
  bool delegates;                      // false: the model wants the runtime's own kernels and nothing else
  char num_threads[TVMQ_NUM_THREADS];  // as written; "" if it is not given
};

// text: as LiteRT writes them, lines of name = value; NULL if the model has none. False if they cannot be read.
bool tvmq_cpu_options_read(const char *text, struct tvmq_cpu_options *options);
