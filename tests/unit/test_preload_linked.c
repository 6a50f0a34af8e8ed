// A program that is linked to TFLite's C library, with the preloaded library and without it.
#include <stdlib.h>

#include "unit/preload_cases.h"

int main(void) { return run_preload_cases(getenv("LD_PRELOAD") != NULL); }
