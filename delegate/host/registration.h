// The functions that the interpreter calls for a partition.
#pragma once

#include "tflite/tflite_abi.h"

// The registration of every partition. Its init finds the partition that was made beforehand, so that nothing can fail there any more.
TfLiteRegistration tvmq_registration(void);
