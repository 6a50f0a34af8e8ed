// Sum or difference of two quantized tensors in vectors: what all instruction sets share, which is all but the arithmetic.
//
// The includer takes elements_<isa>.h and defines
//   ISA                                 suffix of the symbols
//   BLOCK                               elements computed together, a multiple of 4 * LANES
//   every_s8(x), every_s32(x)           vectors of that number in each lane
//   struct plane                        the constants of a plane (plane.h) and the clamp, made by plane_of(plane, min, max); .bias is a vector
//   plane_block(p, drops, n, flip, a, b, out)
//                                       BLOCK bytes along a plane, which drops or has no drop, but for the first n exceptions
//   line_block(p, drops, n, flip, a, b, out)
//                                       the same for a vector b of one second element, whose product is in the bias
//   struct steps                        the constants of the reference's steps, made by steps_of(args)
//   is_short(args)                      whether EQUAL and SHORT may shift as args has it, with reference rounding
//   raise_bytes, raise_s16(s, i, in, x) 4 vectors of input i, less its zero point and shifted to the left as add_ways.h says
//   steps_scaled(s, way, x)             vec -> vec: raised elements of the second input, rescaled
//   steps_sum(sign, x, y)               vec, vec -> vec: the sum or difference of both inputs
//   steps_value(s, way, x)              vec -> vec: sums, rescaled to the output's scale, not clamped
//   lower_bytes, lower_s16(s, x, out)   4 vectors of sums, clamped
//
// Reads and writes the elements given; the last few by way of the stack. Blocks may exceed a row if more rows follow, which are computed later.
#include <string.h>

#include "base/inline.h"
#include "kernels/add_ways.h"
#include "kernels/kernel.h"

enum { VECTORS = 4, STEP = VECTORS * LANES };

// Returns how many elements of a row are computed in whole blocks, which may be more than it has.
TVMQ_INLINE size_t reach_of(const struct tvmq_add_args *args, size_t row) {
  const size_t over = args->n % BLOCK, whole = args->n - over;
  return over > 0 && whole + BLOCK <= (args->rows - row) * args->n ? whole + BLOCK : whole;
}

// Returns the plane with its inputs exchanged if the first is lone.
static struct tvmq_plane with_lone_second(const struct tvmq_add_args *args) {
  struct tvmq_plane plane = args->plane;
  for (int i = 0; i < 2; i++) {
    const int from = args->lone[0] ? !i : i;
    plane.multiplier[i] = args->plane.multiplier[from];
    for (int e = 0; e < TVMQ_PLANE_MAX_EXCEPTIONS; e++) plane.exceptions[e].in[i] = args->plane.exceptions[e].in[from];
  }
  return plane;
}

static bool meets_exception(const struct tvmq_plane *plane, int8_t second) {
  for (int32_t e = 0; e < plane->n_exceptions; e++) {
    if (plane->exceptions[e].in[1] == second) return true;
  }
  return false;
}

// Computes rows of which each has one lone element, so that the plane is a line there. Few rows meet an exception.
TVMQ_INLINE void along_lines(const struct tvmq_add_args *args, bool drops, uint8_t flip) {
  const struct tvmq_plane asked = with_lone_second(args);
  struct plane plane = plane_of(&asked, args->min, args->max);
  const uint8_t *const in = args->in[args->lone[0]], *const lone = args->in[args->lone[1]];
  uint8_t *const out = args->out;
  for (size_t row = 0; row < args->rows; row++) {
    const int8_t element = (int8_t)(lone[row] ^ flip);
    const size_t begin = row * args->n, end = begin + reach_of(args, row);
    plane.bias = every_s32(asked.bias + element * asked.multiplier[1]);
    if (!drops && meets_exception(&asked, element)) {
      for (size_t i = begin; i < end; i += BLOCK) line_block(&plane, drops, TVMQ_PLANE_MAX_EXCEPTIONS, flip, in + i, every_s8(element), out + i);
    } else {
      for (size_t i = begin; i < end; i += BLOCK) line_block(&plane, drops, 0, flip, in + i, every_s8(element), out + i);
    }
  }
}

TVMQ_INLINE void along_plane(const struct tvmq_add_args *args, bool drops, int n_exceptions, uint8_t flip) {
  const struct plane plane = plane_of(&args->plane, args->min, args->max);
  const uint8_t *const a = args->in[0], *const b = args->in[1];
  uint8_t *const out = args->out;
  const size_t n = args->n;
  for (size_t i = 0; i + BLOCK <= n; i += BLOCK) plane_block(&plane, drops, n_exceptions, flip, a + i, b + i, out + i);
}

// One exception is what planes mostly have, if any.
TVMQ_INLINE void along_any_plane(const struct tvmq_add_args *args, uint8_t flip) {
  const bool is_lone = args->lone[0] || args->lone[1];
  if (is_lone && args->plane.drop != 0)
    along_lines(args, true, flip);
  else if (is_lone)
    along_lines(args, false, flip);
  else if (args->plane.drop != 0)
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
    UNROLL for (int v = 0; v < VECTORS; v++) a[v] = steps_value(&steps, way, steps_sum(sign, a[v], steps_scaled(&steps, way, b[v])));
    lower(&steps, a, out + i * bytes);
  }
}

// Computes once for each row what the lone element adds to sums.
TVMQ_INLINE void by_lone_steps(const struct tvmq_add_args *args, enum steps_way way, int lone, size_t bytes, raise_fn raise, lower_fn lower) {
  const struct steps steps = steps_of(args);
  const enum sign sign = args->minus[!lone] ? LESS_SECOND : PLUS;
  const uint8_t *const in = args->in[!lone];
  uint8_t *const out = args->out;
  for (size_t row = 0; row < args->rows; row++) {
    const int32_t element = bytes == 1 ? (int8_t)(((const uint8_t *)args->in[lone])[row] ^ args->flip) : ((const int16_t *)args->in[lone])[row];
    const vec term = every_s32(tvmq_add_term(args, lone, element));
    const size_t begin = row * args->n, end = begin + reach_of(args, row);
    for (size_t i = begin; i < end; i += STEP) {
      vec x[VECTORS];
      raise(&steps, !lone, in + i * bytes, x);
      UNROLL for (int v = 0; v < VECTORS; v++) x[v] = steps_value(&steps, way, steps_sum(sign, term, lone == 0 ? steps_scaled(&steps, way, x[v]) : x[v]));
      lower(&steps, x, out + i * bytes);
    }
  }
}

// By a short way: the sign is a constant.
TVMQ_INLINE void by_short_steps(const struct tvmq_add_args *args, enum steps_way way, size_t bytes, raise_fn raise, lower_fn lower) {
  if (args->lone[0])
    by_lone_steps(args, way, 0, bytes, raise, lower);
  else if (args->lone[1])
    by_lone_steps(args, SHORT, 1, bytes, raise, lower);
  else if (args->minus[0])
    by_steps(args, way, LESS_FIRST, bytes, raise, lower);
  else if (args->minus[1])
    by_steps(args, way, LESS_SECOND, bytes, raise, lower);
  else
    by_steps(args, way, PLUS, bytes, raise, lower);
}

TVMQ_INLINE void by_long_steps(const struct tvmq_add_args *args, size_t bytes, raise_fn raise, lower_fn lower) {
  if (args->lone[0])
    by_lone_steps(args, LONG, 0, bytes, raise, lower);
  else if (args->lone[1])
    by_lone_steps(args, LONG, 1, bytes, raise, lower);
  else
    by_steps(args, LONG, args->minus[0] ? LESS_FIRST : args->minus[1] ? LESS_SECOND : PLUS, bytes, raise, lower);
}

TVMQ_INLINE void by_any_steps(const struct tvmq_add_args *args, size_t bytes, raise_fn raise, lower_fn lower) {
  if (args->rounding != TVMQ_ROUNDING_REFERENCE || !is_short(args))
    by_long_steps(args, bytes, raise, lower);
  else if (args->in_scale[1].shift == 0 && args->in_scale[1].multiplier > 0)
    by_short_steps(args, EQUAL, bytes, raise, lower);
  else
    by_short_steps(args, SHORT, bytes, raise, lower);
}

// The last few elements of a row: a block of which those that are none are dropped.
static void add_rest_of_row(const struct tvmq_add_args *args, size_t row, size_t bytes, tvmq_add_fn kernel) {
  const size_t done = reach_of(args, row), rest = args->n - done, at = row * args->n + done;
  uint8_t from[2][BLOCK * sizeof(int16_t)] = {{0}}, to[BLOCK * sizeof(int16_t)];
  struct tvmq_add_args block = *args;
  for (int i = 0; i < 2; i++) {
    const size_t first = args->lone[i] ? row : at;
    block.in[i] = memcpy(from[i], (const uint8_t *)args->in[i] + first * bytes, (args->lone[i] ? 1 : rest) * bytes);
  }
  block.out = to;
  block.n = BLOCK;
  block.rows = 1;
  kernel(&block);
  memcpy((uint8_t *)args->out + at * bytes, to, rest * bytes);
}

// Goes from the last row back to the rows whose blocks may exceed them.
static void add_rest(const struct tvmq_add_args *args, size_t bytes, tvmq_add_fn kernel) {
  for (size_t row = args->rows; row > 0 && reach_of(args, row - 1) < args->n; row--) add_rest_of_row(args, row - 1, bytes, kernel);
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
