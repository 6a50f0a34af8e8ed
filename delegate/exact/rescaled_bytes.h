// Bytes of one scale as bytes of another, as CONCATENATION of uint8 rescales its inputs: in float32, by a product and a sum that compilers of some runtimes
// contract into one rounding, or make one product of, and others do not.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct tvmq_byte_scale {
  float scale;  // positive and finite
  int32_t zero_point;
};

// Sets table[x] to what uint8 x of `in` is in `out`. False: for some x it depends on the compiler, or the reference leaves it undefined; the table is then
// of no use.
bool tvmq_rescaled_table(struct tvmq_byte_scale in, struct tvmq_byte_scale out, uint8_t table[256]);
