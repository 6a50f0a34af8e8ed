// The part of a runtime that a delegate needs: the functions of TfLiteContext for a graph that becomes one partition as
// a whole.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "network/model.h"
#include "tflite/tflite_abi.h"

struct tvmq_runtime {
  TfLiteContext context;  // impl_ points to this structure
  struct tvmq_model model;
  TfLiteIntArray *plan;  // all nodes in the order of the file
  size_t *held;          // for each tensor: bytes of its memory, if it is an input or output of the graph and not constant

  // The delegate's partition, as the runtime's node
  TfLiteDelegateParams partition;
  TfLiteRegistration registration;
  TfLiteNode node;
  bool replaced;  // the partition exists

  char error[512];  // last report
};

// Makes the runtime of a graph, whose bytes are as for tvmq_model_read(). Returns NULL, or a static string that says why
// not; then nothing is allocated.
const char *tvmq_runtime_create(struct tvmq_runtime *runtime, const void *bytes, size_t size);

// Releases everything; again is fine. The delegate releases its partition before.
void tvmq_runtime_release(struct tvmq_runtime *runtime);

// Lets the partition prepare for the current shapes, and gives inputs and outputs their memory. Returns false if this
// fails, and reports why.
bool tvmq_runtime_prepare(struct tvmq_runtime *runtime);

// Changes the dimensions of a tensor that is not constant. `rank` is at most TVMQ_MAX_RANK.
void tvmq_runtime_resize(struct tvmq_runtime *runtime, int tensor, int rank, const int *dims);
