// The bytes of a model: a mapped file, or bytes of the caller.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum { TVMQ_MODEL_ALIGNMENT = 16 };  // that the schema gives to tensors' data, relative to the start of the file

struct tvmq_model_file {
  const void *bytes;  // aligned to TVMQ_MODEL_ALIGNMENT
  size_t size;
  void *mapped, *copy;  // whichever must be released, or NULL
};

// Map the file at `path`, or take the caller's bytes, which are copied if they are not aligned. On failure, return false
// and *why says why; then nothing must be released.
bool tvmq_model_file_open(struct tvmq_model_file *file, const char *path, struct tvmq_text *why);
bool tvmq_model_file_take(struct tvmq_model_file *file, const void *bytes, size_t size, struct tvmq_text *why);
void tvmq_model_file_release(struct tvmq_model_file *file);
