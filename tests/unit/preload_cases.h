// Cases of the preloaded library, in a program or in a plugin that the program opens.
#pragma once

#include <stdbool.h>

// preloaded: whether interpreters are to have the delegate. Returns the exit code of the test.
__attribute__((visibility("default"))) int run_preload_cases(bool preloaded);
