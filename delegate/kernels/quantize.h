// Conversion of elements to another type.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arithmetic/line.h"
#include "arithmetic/stage.h"
#include "kernels/byte_map.h"

// ---- quantize: out[i] = clamp(rescale(in[i] - in_zero_point) + out_zero_point), or affine quantization of float32
//
// The variant's name gives the types. Zero points are those of the tensors. The tensors do not overlap. Bytes to bytes:
// the caller has computed the output of each of the 256 bytes, and `rule` tells how to compute it without a table.
// Members for other rules are ignored. If there is no rule, the caller uses byte_map.
enum tvmq_byte_rule {
  TVMQ_BYTES_FLIP,  // byte ^ flip
  TVMQ_BYTES_LINE   // line.h; uint8 tensors are converted to and from int8 by xor 0x80
};

struct tvmq_quantize_args {
  const void *in;
  void *out;
  size_t n;
  const struct tvmq_byte_map *map;  // the outputs of all bytes, with any rule
  enum tvmq_byte_rule rule;
  uint8_t flip;
  struct tvmq_line line;
  enum tvmq_rounding rounding;
  int32_t multiplier, shift;  // Q31, >0 left, <=0 right
  float scale;                // float32 input: the output's scale; 0: the value is in * inverse, and `rest` is 0
  float inverse, rest;        // replace in / scale by fma(in, inverse, in * rest), or by in * inverse if rest is 0 (reciprocal.h); both 0: divide
  int32_t in_zero_point, out_zero_point;
};
typedef void (*tvmq_quantize_fn)(const struct tvmq_quantize_args *args);
