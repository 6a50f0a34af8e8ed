// The runtimes whose reference kernels a network can reproduce.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "host/options.h"

// Parses the delegate's options and the option "runtime", which decides the options that describe reference kernels and
// are "auto". On failure, returns false and *why says why.
bool tvmq_network_options(const char *const *keys, const char *const *values, size_t n, struct tvmq_options *options, struct tvmq_text *why);
