// Elements of one type as another.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arithmetic/line.h"
#include "arithmetic/stage.h"
#include "kernels/byte_map.h"

// ---- quantize: out[i] = clamp(rescale(in[i] - in_zero_point) + out_zero_point), or affine quantization of float32
//
// Types are those of the variant's name; zero points are the tensors' own. The tensors do not overlap. From bytes to bytes the caller has computed what each of
// the 256 becomes, and says how a kernel gets there without a table; the rest is not looked at. Where there is no such way, byte_map does it.
enum tvmq_byte_rule {
  TVMQ_BYTES_FLIP,  // byte ^ flip
  TVMQ_BYTES_LINE   // line.h; a uint8 tensor is read and written as int8 by byte ^ 0x80
};

struct tvmq_quantize_args {
  const void *in;
  void *out;
  size_t n;
  const struct tvmq_byte_map *map;  // whatever the rule
  enum tvmq_byte_rule rule;
  uint8_t flip;
  struct tvmq_line line;
  enum tvmq_rounding rounding;
  int32_t multiplier, shift;  // Q31, >0 left, <=0 right
  float scale;                // float32 input: the output's scale; 0: the value is in * inverse, and the rest is 0
  float inverse, rest;        // fma(in, inverse, in * rest), or in * inverse if the rest is 0, may stand for in / scale (reciprocal.h), unless both are 0
  int32_t in_zero_point, out_zero_point;
};
typedef void (*tvmq_quantize_fn)(const struct tvmq_quantize_args *args);
