// Makes operators from their signatures with pseudo-random constants. These are the same on every machine, so results
// can be compared by checksums.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "operators/operator.h"

enum { TVMQ_RECIPE_INPUTS = 2 };

struct tvmq_made {
  const char *op;     // name of the operator
  size_t most_bytes;  // limit for the bytes of each tensor
  const struct tvmq_operator *op_def;
  union tvmq_desc desc;
  void *filter, *bias;
  float *scales;  // scales of the filter
  int n_in;
  size_t in_bytes[TVMQ_RECIPE_INPUTS], out_bytes;
};

// Makes the operator that the signature describes. Limits each tensor to `most_bytes`, and the multiply-accumulates to
// 200 times that number. Returns NULL, or a static string that says why the operator cannot be made. Release *made in
// either case.
const char *tvmq_make_operator(const char *signature, size_t most_bytes, struct tvmq_made *made);

// Fills an input with pseudo-random contents.
void tvmq_made_draw(const struct tvmq_made *made, int input, void *tensor);

void tvmq_made_release(struct tvmq_made *made);
