// What requantize_template.h wants of an instruction set, as far as AVX2 and AVX-512 share it.
//
// Float32 becomes bytes in 16 bits where that is exact. The doubled quotient is truncated, so that ties are odd; half of it, rounded away from zero, is one
// instruction, a multiplication by 2^14 + 1 with rounding. Where conversion has no result it gives -2^31, and what then follows from the definition is not what
// saturation makes of it: the least int16 tells, and everything from there on is left to the long way.
//
// The includer defines what requantize_template.h wants besides, and
//   quantize_step(c, is_unsigned, in, out, least)   BYTES elements; returns the least of `least` and the doubled quotients as int16
//   is_least(least)                                 whether INT16_MIN is among them
#pragma once

static size_t look_up_vectors(const struct tvmq_requantize_args *args) {
  (void)args;
  return 0;
}

TVMQ_INLINE bool is_short(const struct tvmq_requantize_args *args, size_t in_bytes) { return in_bytes <= 2 && tvmq_requantize_headroom(args); }

TVMQ_INLINE size_t quantize_vectors(const struct tvmq_requantize_args *args, bool is_unsigned) {
  enum { BLOCK = 1024 };  // elements between looks at what was met
  if (!(args->inverse > 0)) return 0;
  const struct conversion c = conversion_of(args);
  const float *const in = args->in;
  uint8_t *const out = args->out;
  const size_t n = args->n - args->n % BYTES;
  size_t done = 0;
  while (done < n) {
    const size_t end = tvmq_min(done + BLOCK, n);
    vec least = {0};
    for (size_t i = done; i < end; i += BYTES) least = quantize_step(&c, is_unsigned, in + i, out + i, least);
    if (is_least(least)) break;
    done = end;
  }
  return done;
}

#include "requantize_template.h"
