// The functions that the interpreter calls for a partition.
#pragma once

#include "tflite/tflite_abi.h"

// Returns the registration of every partition. Its init function only looks up the partition that placement created, so
// it needs no memory.
TfLiteRegistration tvmq_registration(void);
