// What the interpreter calls of a partition.
#pragma once

#include "tflite/tflite_abi.h"

// Of every partition. Its init finds the one that was made beforehand, so that nothing can fail there any more.
TfLiteRegistration tvmq_registration(void);
