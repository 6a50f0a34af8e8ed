// Checks that the runtime's structures match the declarations in tflite_abi.h.
#pragma once

#include "tflite/tflite_abi.h"

// Returns NULL, or a static string that names a mismatch; then do not access the runtime any further. Call this first,
// while a delegate is being applied.
const char *tvmq_abi_check(TfLiteContext *context);
