// Sum or difference of two quantized tensors in vectors: what all instruction sets share, which is all but the arithmetic.
//
// The includer takes elements_<isa>.h and defines
//   ISA                                 suffix of the symbols
//   BLOCK                               elements computed together, a multiple of 4 * LANES
//   struct plane                        the constants of a plane (plane.h) and the clamp, made by plane_of(args)
//   plane_block(p, drops, n, flip, a, b, out)
//                                       BLOCK bytes along a plane, which drops or has no drop, but for the first n exceptions
//   struct steps                        the constants of the reference's steps, made by steps_of(args)
//   is_short(args)                      whether EQUAL and SHORT may shift as args has it, with reference rounding
//   raise_bytes, raise_s16(s, i, in, x) 4 vectors of input i, less its zero point and shifted to the left as add_ways.h says
//   steps_sum(s, way, sign, a, b)       vec, vec -> vec: the sum or difference of raised elements, not clamped
//   lower_bytes, lower_s16(s, x, out)   4 vectors of sums, clamped
//
// Reads and writes the elements given; the last few by way of the stack.
#include <string.h>

#include "base/inline.h"
#include "kernels/add_ways.h"
#include "kernels/kernel.h"

enum { VECTORS = 4, STEP = VECTORS * LANES };

TVMQ_INLINE void along_plane(const struct tvmq_add_args *args, bool drops, int n_exceptions, uint8_t flip) {
  const struct plane plane = plane_of(args);
  const uint8_t *const a = args->in[0], *const b = args->in[1];
  uint8_t *const out = args->out;
  const size_t n = args->n;
  for (size_t i = 0; i + BLOCK <= n; i += BLOCK) plane_block(&plane, drops, n_exceptions, flip, a + i, b + i, out + i);
}

// One exception is what planes mostly have, if any.
TVMQ_INLINE void along_any_plane(const struct tvmq_add_args *args, uint8_t flip) {
  if (args->plane.drop != 0)
    along_plane(args, true, 0, flip);
  else if (args->plane.n_exceptions == 0)
    along_plane(args, false, 0, flip);
  else if (args->plane.n_exceptions == 1)
    along_plane(args, false, 1, flip);
  else
    along_plane(args, false, TVMQ_PLANE_MAX_EXCEPTIONS, flip);
}

typedef void (*raise_fn)(const struct steps *, int, const void *, vec *);
typedef void (*lower_fn)(const struct steps *, const vec *, void *);

TVMQ_INLINE void by_steps(const struct tvmq_add_args *args, enum steps_way way, enum sign sign, size_t bytes, raise_fn raise, lower_fn lower) {
  const struct steps steps = steps_of(args);
  const uint8_t *const in0 = args->in[0], *const in1 = args->in[1];
  uint8_t *const out = args->out;
  const size_t n = args->n - args->n % BLOCK;
  for (size_t i = 0; i < n; i += STEP) {
    vec a[VECTORS], b[VECTORS];
    raise(&steps, 0, in0 + i * bytes, a);
    raise(&steps, 1, in1 + i * bytes, b);
    UNROLL for (int v = 0; v < VECTORS; v++) a[v] = steps_sum(&steps, way, sign, a[v], b[v]);
    lower(&steps, a, out + i * bytes);
  }
}

// By a short way: the sign is a constant.
TVMQ_INLINE void by_short_steps(const struct tvmq_add_args *args, enum steps_way way, size_t bytes, raise_fn raise, lower_fn lower) {
  if (args->minus[0])
    by_steps(args, way, LESS_FIRST, bytes, raise, lower);
  else if (args->minus[1])
    by_steps(args, way, LESS_SECOND, bytes, raise, lower);
  else
    by_steps(args, way, PLUS, bytes, raise, lower);
}

TVMQ_INLINE void by_any_steps(const struct tvmq_add_args *args, size_t bytes, raise_fn raise, lower_fn lower) {
  if (args->rounding != TVMQ_ROUNDING_REFERENCE || !is_short(args))
    by_steps(args, LONG, args->minus[0] ? LESS_FIRST : args->minus[1] ? LESS_SECOND : PLUS, bytes, raise, lower);
  else if (args->in_scale[1].shift == 0 && args->in_scale[1].multiplier > 0)
    by_short_steps(args, EQUAL, bytes, raise, lower);
  else
    by_short_steps(args, SHORT, bytes, raise, lower);
}

// The last few elements: a block of which those that are none are dropped.
static void add_rest(const struct tvmq_add_args *args, size_t bytes, tvmq_add_fn kernel) {
  const size_t done = args->n - args->n % BLOCK, rest = args->n - done;
  if (rest == 0) return;
  uint8_t from[2][BLOCK * sizeof(int16_t)] = {{0}}, to[BLOCK * sizeof(int16_t)];
  struct tvmq_add_args block = *args;
  for (int i = 0; i < 2; i++) block.in[i] = memcpy(from[i], (const uint8_t *)args->in[i] + done * bytes, rest * bytes);
  block.out = to;
  block.n = BLOCK;
  kernel(&block);
  memcpy((uint8_t *)args->out + done * bytes, to, rest * bytes);
}

#define PASTE(type, isa) tvmq_add_##type##__##isa
#define SYMBOL(type, isa) PASTE(type, isa)

void SYMBOL(s8, ISA)(const struct tvmq_add_args *args) {
  if (!args->planar)
    by_any_steps(args, 1, raise_bytes, lower_bytes);
  else if (args->flip == 0)
    along_any_plane(args, 0);
  else
    along_any_plane(args, 0x80);
  add_rest(args, 1, SYMBOL(s8, ISA));
}

void SYMBOL(s16, ISA)(const struct tvmq_add_args *args) {
  by_any_steps(args, sizeof(int16_t), raise_s16, lower_s16);
  add_rest(args, sizeof(int16_t), SYMBOL(s16, ISA));
}
