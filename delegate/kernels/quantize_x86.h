// The part of an instruction set that quantize_template.h needs, as far as AVX2 and AVX-512 share it.
//
// Float32 becomes bytes in 16 bits where that is exact. The doubled quotient is truncated, so that ties are odd; half of it, rounded away from zero, is one
// instruction, a multiplication by 2^14 + 1 with rounding. Where conversion has no result it gives -2^31, and what then follows from the definition is not what
// saturation makes of it: the processor notes an invalid operation, and everything from there on is left to the long way.
//
// The includer defines what quantize_template.h wants besides, and
//   quantize_step(c, way, is_unsigned, in, out)     BYTES elements, by MULTIPLY or MULTIPLY_ADD
#pragma once

TVMQ_INLINE bool is_short(const struct tvmq_quantize_args *args, size_t in_bytes) { return in_bytes <= 2 && tvmq_quantize_headroom(args); }

// Whether operations were invalid since the last call; from now on none was. The stores before are not moved behind it.
TVMQ_INLINE bool take_invalid(void) {
  __asm__ volatile("" : : : "memory");
  const unsigned status = _mm_getcsr();
  if (status & _MM_EXCEPT_INVALID) _mm_setcsr(status & ~(unsigned)_MM_EXCEPT_INVALID);
  __asm__ volatile("" : : : "memory");
  return status & _MM_EXCEPT_INVALID;
}

TVMQ_INLINE size_t quantize_blocks(const struct tvmq_quantize_args *args, enum way way, bool is_unsigned) {
  enum { BLOCK = 4096 };  // elements between looks at what was met
  const struct conversion c = conversion_of(args);
  const float *const in = args->in;
  uint8_t *const out = args->out;
  const size_t n = args->n - args->n % BYTES;
  const bool invalid_before = take_invalid();
  bool invalid = false;
  size_t done = 0;
  while (done < n && !invalid) {
    const size_t end = tvmq_min(done + BLOCK, n);
    for (size_t i = done; i < end; i += BYTES) quantize_step(&c, way, is_unsigned, in + i, out + i);
    invalid = take_invalid();
    if (!invalid) done = end;
  }
  if (invalid_before || invalid) _mm_setcsr(_mm_getcsr() | _MM_EXCEPT_INVALID);
  return done;
}

TVMQ_INLINE size_t quantize_vectors(const struct tvmq_quantize_args *args, enum tvmq_type type) {
  const bool is_unsigned = type == TVMQ_TYPE_U8;
  if (type == TVMQ_TYPE_S16 || !(args->inverse > 0)) return 0;
  return args->rest > 0 ? quantize_blocks(args, MULTIPLY_ADD, is_unsigned) : quantize_blocks(args, MULTIPLY, is_unsigned);
}

#include "kernels/quantize_template.h"
