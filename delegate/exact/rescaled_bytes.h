// Rescales bytes from one scale to another in float32, as CONCATENATION of uint8 rescales its inputs. Compilers of some
// runtimes contract the product and the sum into one rounding, or turn them into a single product; others do not.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct tvmq_byte_scale {
  float scale;  // positive and finite
  int32_t zero_point;
};

// Sets table[x] to byte x of scale `in`, rescaled to `out`. Returns false if some result depends on the compiler, or if
// the reference leaves it undefined. The table is then undefined.
bool tvmq_rescaled_table(struct tvmq_byte_scale in, struct tvmq_byte_scale out, uint8_t table[256]);
