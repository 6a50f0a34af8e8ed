// The machine code of the runtime's kernels, which tells its builds apart.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/content.h"
#include "tflite/tflite_abi.h"

struct tvmq_kernel_code {
  struct tvmq_key key;  // hash of `bytes` bytes: all code of the file that contains the kernels
  size_t bytes;
  char file[48];  // the name of that file, without folders and shortened if necessary
};

// Reads the code of the kernels of the graph's builtin operators. Returns NULL, or why it cannot be known.
const char *tvmq_kernel_code_read(TfLiteContext *context, struct tvmq_kernel_code *code);
