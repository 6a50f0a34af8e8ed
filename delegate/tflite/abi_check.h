// Whether the runtime looks as tflite_abi.h declares it.
#pragma once

#include "tflite/tflite_abi.h"

// Called first of all, while a delegate is applied. NULL, or what does not fit (a static string): then nothing more of the runtime may be touched.
const char *tvmq_abi_check(TfLiteContext *context);
