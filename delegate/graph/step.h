// A node of a partition, with the tensors that it reads and writes.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "graph/record.h"

// An output of a step.
struct tvmq_source {
  int step;  // -1: none, the tensor is the interpreter's
  int output;
};

struct tvmq_place {
  int buffer;           // -1: a tensor of the interpreter
  int tensor;           // which
  size_t tensor_bytes;  // its size
  size_t offset;        // bytes before the place
};

struct tvmq_step {
  struct tvmq_record *record;
  struct tvmq_source *sources;  // of what tvmq_record_reads() lists
  bool *inside;                 // no one but later steps reads the output
  size_t first_buffer;          // that of its first output, should it have one of its own; others follow

  // For the shapes there are
  bool *used;         // a step that is needed reads the output
  bool needed, idle;  // needed: it has an output that something reads; idle: there is nothing to run
  bool copies;        // it reads or assigns a variable, and no view of it will do
  size_t *writers;    // of what lies in a variable: the last step that had written there
  struct tvmq_place *in_places, *out_places;
  size_t first_pass, n_passes;

  const void **in;  // in the arena or in the interpreter's memory
  void **out;
};
