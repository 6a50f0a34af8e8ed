// Operators made from their signatures, with constants that are made up: the same on every machine, so that results can be compared by checksums.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cpu/ops/op.h"

enum { TVMQ_RECIPE_INPUTS = 2 };

struct tvmq_made {
  const char *op;  // its name
  size_t most_bytes;
  const struct tvmq_op_class *op_class;
  union tvmq_desc desc;
  void *filter, *bias;
  float *scales;  // of the filter
  int n_in;
  size_t in_bytes[TVMQ_RECIPE_INPUTS], out_bytes;
};

// Makes the operator that the signature describes, none of whose tensors has more than so many bytes, nor it 200 times as many multiply-accumulates. NULL, or
// why it cannot be made (static string). Either way it is to be released.
const char *tvmq_make_operator(const char *signature, size_t most_bytes, struct tvmq_made *made);

// Fills an input with what is made up for it.
void tvmq_made_draw(const struct tvmq_made *made, int input, void *tensor);

void tvmq_made_release(struct tvmq_made *made);
