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

// Where a tensor lies: in a buffer of the arena, or in a tensor of the interpreter.
struct tvmq_place {
  int buffer;           // index in the partition's buffers; -1: a tensor of the interpreter
  int tensor;           // index of the interpreter's tensor, if buffer is -1
  size_t tensor_bytes;  // size of the interpreter's tensor
  size_t offset;        // bytes from the start of the buffer, or of the interpreter's tensor
};

struct tvmq_step {
  struct tvmq_record *record;
  struct tvmq_source *sources;  // for each tensor that tvmq_record_reads() lists: the output that the tensor is
  bool *inside;                 // for each output: only later steps of the partition read the output
  size_t first_buffer;          // buffer number reserved for output 0; output k has number first_buffer + k

  // Valid for the current shapes:
  int *last_reader;   // for each output: the last needed step that reads it; -1: none
  bool needed, idle;  // needed: it has an output that something reads; idle: there is nothing to run
  bool copies;        // reads or assigns a variable by copying, because a view would show a wrong value (separate_variables.h)
  size_t *writers;    // for each output that lies in a variable: number of the last step that wrote the variable, from 1; 0: none
  struct tvmq_place *in_places, *out_places;
  size_t first_pass, n_passes;

  const void **in;  // address of each input, in the arena, a variable or the interpreter's memory
  void **out;
};
