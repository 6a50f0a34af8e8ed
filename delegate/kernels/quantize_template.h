// Elementwise requantization and affine quantization in vectors: the part that all instruction sets share. A step is
// four vectors of 32 bits, which become one vector of bytes.
//
// The includer defines
//   ISA                        suffix of the symbols
//   vec                        a vector of LANES int32, or of the bits of float32
//   STEPS                      steps computed together, so that in-order cores find independent work
//   struct conversion          the constants of a call; conversion_of(args) makes it
//   convert(c, way, x)         vec -> vec: converts x by `way`, and adds the output zero point modulo 2^32
//   is_short(args, in_bytes)   whether SHORT is exact for the right shift
//   load_<type>, store_<type>  load and store 4 vectors; stores saturate to the type
//   quantize_vectors(args, type)  converts any number of the first elements from float32; returns the number
//   struct line                the constants of a line (line.h); line_of(args) makes it
//   line_bytes(l, way, in_flip, out_flip, in, out)   converts BYTES bytes by the line
//   flip_bytes(flip, in, out)  computes BYTES bytes ^ flip
//
// Kernels read and write only the given elements. The last few are copied to the stack and computed there. Loops use
// copies of their constants, because the compiler must assume that stored bytes alias any object.
#include <string.h>

#include "base/inline.h"
#include "kernels/kernel.h"
#include "kernels/quantize_ways.h"

enum { VECTORS = 4, STEP = VECTORS * LANES };

// ---- bytes to bytes

// Converts at least BYTES bytes by a line; the last vectors may overlap the previous ones.
TVMQ_INLINE void follow_line(const struct tvmq_quantize_args *args, enum line_way way, uint8_t in_flip, uint8_t out_flip) {
  const struct line line = line_of(args);
  const uint8_t *in = args->in;
  uint8_t *out = args->out;
  size_t left = args->n;
  for (; left >= BYTES; left -= BYTES, in += BYTES, out += BYTES) line_bytes(&line, way, in_flip, out_flip, in, out);
  if (left > 0) line_bytes(&line, way, in_flip, out_flip, in + left - BYTES, out + left - BYTES);
}

TVMQ_INLINE void flip_all(const struct tvmq_quantize_args *args) {
  const uint8_t flip = args->flip, *in = args->in;
  uint8_t *out = args->out;
  size_t left = args->n;
  for (; left >= BYTES; left -= BYTES, in += BYTES, out += BYTES) flip_bytes(flip, in, out);
  if (left > 0) flip_bytes(flip, in + left - BYTES, out + left - BYTES);
}

TVMQ_INLINE void map_bytes(const struct tvmq_quantize_args *args, uint8_t in_flip, uint8_t out_flip) {
  const struct tvmq_line *line = &args->line;
  if (args->n < BYTES) {
    tvmq_byte_map__c(&(struct tvmq_byte_map_args){.in = args->in, .out = args->out, .n = args->n, .map = args->map});
  } else if (args->rule == TVMQ_BYTES_FLIP) {
    flip_all(args);
  } else if (line->shift == 8 && line->drop == 0) {
    follow_line(args, PLAIN, in_flip, out_flip);
  } else if (line->shift == 8) {
    follow_line(args, DROP, in_flip, out_flip);
  } else if (line->shift == 7 && line->drop == 0) {
    follow_line(args, SEVEN, in_flip, out_flip);
  } else {
    follow_line(args, ANY, in_flip, out_flip);
  }
}

// ---- all others

typedef void (*load_fn)(const void *, vec *);
typedef void (*store_fn)(void *, const vec *);

TVMQ_INLINE void convert_steps(const struct conversion *c, enum way way, int steps, size_t in_bytes, size_t out_bytes, load_fn load, store_fn store,
                               const uint8_t *in, uint8_t *out) {
  vec x[STEPS * VECTORS];
  UNROLL for (int i = 0; i < steps; i++) load(in + (size_t)i * STEP * in_bytes, x + i * VECTORS);
  UNROLL for (int i = 0; i < steps * VECTORS; i++) x[i] = convert(c, way, x[i]);
  UNROLL for (int i = 0; i < steps; i++) store(out + (size_t)i * STEP * out_bytes, x + i * VECTORS);
}

TVMQ_INLINE void elementwise(const struct tvmq_quantize_args *args, enum way way, size_t in_bytes, size_t out_bytes, load_fn load, store_fn store) {
  const struct conversion c = conversion_of(args);
  const uint8_t *const in = args->in;
  uint8_t *const out = args->out;
  const size_t n = args->n;
  size_t i = 0;
  for (; i + STEPS * STEP <= n; i += STEPS * STEP) {
    convert_steps(&c, way, STEPS, in_bytes, out_bytes, load, store, in + i * in_bytes, out + i * out_bytes);
  }
  for (; i + STEP <= n; i += STEP) convert_steps(&c, way, 1, in_bytes, out_bytes, load, store, in + i * in_bytes, out + i * out_bytes);
}

// Converts the last few elements as a whole step, and drops the surplus.
static void convert_rest(const struct tvmq_quantize_args *args, size_t in_bytes, size_t out_bytes, tvmq_quantize_fn kernel) {
  const size_t done = args->n / STEP * STEP, rest = args->n - done;
  if (rest == 0) return;
  uint8_t from[STEP * sizeof(int32_t)] = {0}, to[STEP * sizeof(int32_t)];
  memcpy(from, (const uint8_t *)args->in + done * in_bytes, rest * in_bytes);
  struct tvmq_quantize_args step = *args;
  step.in = from;
  step.out = to;
  step.n = STEP;
  kernel(&step);
  memcpy((uint8_t *)args->out + done * out_bytes, to, rest * out_bytes);
}

TVMQ_INLINE void requantize(const struct tvmq_quantize_args *args, size_t in_bytes, size_t out_bytes, load_fn load, store_fn store, tvmq_quantize_fn kernel) {
  if (args->rounding == TVMQ_ROUNDING_SINGLE)
    elementwise(args, SINGLE, in_bytes, out_bytes, load, store);
  else if (args->rounding == TVMQ_ROUNDING_REFERENCE && args->shift < 0 && is_short(args, in_bytes))
    elementwise(args, SHORT, in_bytes, out_bytes, load, store);
  else
    elementwise(args, DOUBLE, in_bytes, out_bytes, load, store);
  convert_rest(args, in_bytes, out_bytes, kernel);
}

// Quantizes all elements except the first `done`.
TVMQ_INLINE void quantize(const struct tvmq_quantize_args *args, size_t done, size_t out_bytes, store_fn store, tvmq_quantize_fn kernel) {
  struct tvmq_quantize_args left = *args;
  left.in = (const float *)args->in + done;
  left.out = (uint8_t *)args->out + done * out_bytes;
  left.n -= done;
  if (args->rest > 0)
    elementwise(&left, MULTIPLY_ADD, sizeof(float), out_bytes, load_s32, store);
  else if (args->inverse > 0)
    elementwise(&left, MULTIPLY, sizeof(float), out_bytes, load_s32, store);
  else
    elementwise(&left, DIVIDE, sizeof(float), out_bytes, load_s32, store);
  convert_rest(&left, sizeof(float), out_bytes, kernel);
}

// ---- the kernels

enum { BYTES_s8 = 1, BYTES_u8 = 1, BYTES_s16 = 2, BYTES_s32 = 4, FLIP_s8 = 0, FLIP_u8 = 0x80 };

#define PASTE(in, out, isa) tvmq_quantize_##in##_##out##__##isa
#define SYMBOL(in, out, isa) PASTE(in, out, isa)
#define MAP(in, out) \
  void SYMBOL(in, out, ISA)(const struct tvmq_quantize_args *args) { map_bytes(args, FLIP_##in, FLIP_##out); }
#define REQUANTIZE(in, out) \
  void SYMBOL(in, out, ISA)(const struct tvmq_quantize_args *args) { requantize(args, BYTES_##in, BYTES_##out, load_##in, store_##out, SYMBOL(in, out, ISA)); }
#define QUANTIZE(out, done) \
  void SYMBOL(f32, out, ISA)(const struct tvmq_quantize_args *args) { quantize(args, done, BYTES_##out, store_##out, SYMBOL(f32, out, ISA)); }

MAP(s8, s8)
MAP(s8, u8)
MAP(u8, s8)
MAP(u8, u8)
REQUANTIZE(s8, s16)
REQUANTIZE(u8, s16)
REQUANTIZE(s16, s8)
REQUANTIZE(s16, s16)
REQUANTIZE(s16, s32)
REQUANTIZE(s32, s8)
REQUANTIZE(s32, s16)
QUANTIZE(s8, quantize_vectors(args, TVMQ_TYPE_S8))
QUANTIZE(u8, quantize_vectors(args, TVMQ_TYPE_U8))
QUANTIZE(s16, quantize_vectors(args, TVMQ_TYPE_S16))
