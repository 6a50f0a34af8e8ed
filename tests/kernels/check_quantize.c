// Elementwise requantization and affine quantization.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "engine.h"
#include "exact/reciprocal.h"
#include "support/guard.h"
#include "support/oracle.h"

enum { MAX_N = 4096 };

static const struct type {
  const char *name;
  size_t bytes;
  int32_t min, max;
} types[] = {
    [TVMQ_TYPE_S8] = {"s8", 1, INT8_MIN, INT8_MAX},     [TVMQ_TYPE_U8] = {"u8", 1, 0, UINT8_MAX},           [TVMQ_TYPE_S16] = {"s16", 2, INT16_MIN, INT16_MAX},
    [TVMQ_TYPE_S32] = {"s32", 4, INT32_MIN, INT32_MAX}, [TVMQ_TYPE_F32] = {"f32", 4, INT32_MIN, INT32_MAX},
};

// Integers: anything, or few bits, so that left shifts meet values that they do not saturate.
static void draw_integers(const struct type *type, int32_t zero_point, uint8_t *stored, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const int32_t near = (int32_t)((check_random() >> 32) & ((1u << check_below(32)) - 1)) - (int32_t)check_below(16);
    int64_t x = check_one_in(4) ? check_between(type->min, type->max) : (int64_t)zero_point + (check_one_in(2) ? near : -(int64_t)near);
    x = x < type->min ? type->min : x > type->max ? type->max : x;
    memcpy(stored + i * type->bytes, &x, type->bytes);
  }
}

// Codes and ties and their neighbours.
static float draw_ordinary(float scale) {
  const float code = (float)(check_between(-70000, 70000) >> check_below(17)), x = (code + (check_one_in(2) ? 0.5f : 0)) * scale;
  return check_one_in(4) ? nextafterf(x, check_one_in(2) ? INFINITY : -INFINITY) : x;
}

// Anything that fits int32, and now and then what does not.
static float draw_strange(float scale) {
  if (check_one_in(4)) return ldexpf((float)check_between(-0xffffff, 0xffffff), -149 - (int)check_below(24));
  if (check_one_in(4)) return (const float[]){INFINITY, -INFINITY, NAN, FLT_MAX, -FLT_MAX, -0.0f}[check_below(6)];
  return ldexpf((float)check_between(-0xffffff, 0xffffff), (int)check_below(8)) * scale * 0.999f;
}

// One in `strange` floats is; none where that is 0.
static void draw_floats(float scale, uint32_t strange, uint8_t *stored, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const float x = strange > 0 && check_one_in(strange) ? draw_strange(scale) : draw_ordinary(scale);
    memcpy(stored + i * sizeof x, &x, sizeof x);
  }
}

static int32_t draw_zero_point(const struct type *type) {
  const int32_t min = type->min < INT16_MIN ? INT16_MIN : type->min, max = type->max > INT16_MAX ? INT16_MAX : type->max;
  return check_one_in(3) ? 0 : check_one_in(4) ? (check_one_in(2) ? min : max) : (int32_t)check_between(min, max);
}

// Near the ratio of the types' ranges, which maps codes onto codes; exactly one; or anything.
static void draw_multiplier(const struct type *in, const struct type *out, struct tvmq_quantize_args *args) {
  const double ratio = ((double)out->max - out->min) / ((double)in->max - in->min);
  switch (check_below(4)) {
    case 0:
      oracle_fixed_point(1, &args->multiplier, &args->shift);
      break;
    case 1:
      args->multiplier = check_one_in(4) ? (check_one_in(2) ? 1 << 30 : INT32_MAX) : (int32_t)check_between(1 << 30, INT32_MAX);
      args->shift = (int32_t)check_between(-31, 30);
      break;
    default:
      oracle_fixed_point(ratio * (double)check_between(1, 400) / 200, &args->multiplier, &args->shift);
      break;
  }
  if (check_one_in(4)) args->multiplier = 1 << 30;
  if (check_one_in(64)) args->multiplier = args->shift = 0;
}

// Mostly, as planning does, none where there is none; or one that is the definition.
static void draw_reciprocal(const struct type *out, struct tvmq_quantize_args *args) {
  struct tvmq_reciprocal reciprocal;
  if (check_one_in(4) && args->scale >= FLT_MIN && 1 / args->scale >= FLT_MIN) {
    args->inverse = 1 / args->scale;
    args->scale = 0;
    return;
  }
  if (check_one_in(8) || !tvmq_find_reciprocal(args->scale, args->out_zero_point, out->min, out->max, &reciprocal)) return;
  args->inverse = reciprocal.inverse;
  args->rest = reciprocal.rest;
}

static bool looks_up(const struct tvmq_variant *variant) { return types[variant->in_type].bytes == 1 && types[variant->out_type].bytes == 1; }

static int32_t at_least(int32_t min, int32_t x) { return x < min ? min : x; }
static int32_t at_most(int32_t max, int32_t x) { return x > max ? max : x; }

// The formula of line.h, on bytes of either type.
static uint8_t line_byte(const struct tvmq_variant *variant, const struct tvmq_line *line, uint8_t byte) {
  const int32_t x = variant->in_type == TVMQ_TYPE_U8 ? byte - 128 : (int8_t)byte;
  const int32_t product = (int32_t)floor((x * 256.0 * line->multiplier + 0x1p14) / 0x1p15);
  const int32_t sum = product - (x < line->knee ? line->drop : 0) + line->bias;
  const int32_t value = (int32_t)floor(at_most(INT16_MAX, at_least(INT16_MIN, sum)) / ldexp(1, line->shift));
  return (uint8_t)(at_most(INT8_MAX, at_least(INT8_MIN, value)) + (variant->out_type == TVMQ_TYPE_U8 ? 128 : 0));
}

// The table must hold what the rule says: a kernel may take either.
static void draw_rule(const struct tvmq_variant *variant, struct tvmq_quantize_args *args, struct tvmq_byte_map *map) {
  args->map = map;
  args->rule = check_below(TVMQ_BYTES_LINE + 1);
  args->flip = (uint8_t)check_below(UINT8_MAX + 1);
  args->line = (struct tvmq_line){
      .multiplier = (int16_t)check_below(INT16_MAX + 1),
      .bias = (int16_t)check_between(INT16_MIN, INT16_MAX),
      .knee = (int8_t)check_between(INT8_MIN, INT8_MAX),
      .shift = (uint8_t)(check_one_in(2) ? 7 + check_below(2) : 1 + check_below(8)),
  };
  if (check_one_in(2)) {
    args->line.multiplier = (int16_t)check_below((1 << 14) + 1);
    args->line.drop = (int16_t)check_below(128 + 1);
  }
  for (int byte = 0; byte <= UINT8_MAX; byte++) {
    if (args->rule == TVMQ_BYTES_FLIP) map->table[byte] = (uint8_t)(byte ^ args->flip);
    if (args->rule == TVMQ_BYTES_LINE) map->table[byte] = line_byte(variant, &args->line, (uint8_t)byte);
  }
}

static int32_t expected(const struct tvmq_variant *variant, const struct tvmq_quantize_args *args, size_t i) {
  const struct type *out = &types[variant->out_type];
  if (looks_up(variant)) {
    const int32_t value = args->map->table[((const uint8_t *)args->in)[i]];
    return oracle_load(variant->out_type, &value, 0);
  }
  int32_t value;
  if (variant->in_type == TVMQ_TYPE_F32) {
    const float x = ((const float *)args->in)[i];
    value = args->scale > 0 ? oracle_quantize_f32(x, args->scale) : oracle_multiply_f32(x, args->inverse);
  } else {
    const int32_t x = oracle_wrap((int64_t)oracle_load(variant->in_type, args->in, i) - args->in_zero_point);
    value = oracle_round_s32(args->rounding, x, args->multiplier, args->shift);
  }
  const int32_t shifted = oracle_wrap((int64_t)value + args->out_zero_point);
  return shifted < out->min ? out->min : shifted > out->max ? out->max : shifted;
}

static void check_n(const struct tvmq_variant *variant, size_t n) {
  static struct guard in_guard, out_guard;
  static uint8_t background[MAX_N * 4];
  if (!in_guard.first) {
    in_guard = guard_create(1, MAX_N * 4, GUARD_READ_ONLY);
    out_guard = guard_create(1, MAX_N * 4, GUARD_READ_WRITE);
    check_random_bytes(background, sizeof background);
  }
  const struct type *in = &types[variant->in_type], *out = &types[variant->out_type];
  const enum guard_side side = check_one_in(2) ? GUARD_START : GUARD_END;
  const void *read = guard_at(&in_guard, 0, n * in->bytes, side);
  uint8_t *written = guard_at(&out_guard, 0, n * out->bytes, side), *slot = guard_slot(&out_guard, 0);
  struct tvmq_quantize_args args = {.in = read, .out = written, .n = n, .rounding = check_below(3), .out_zero_point = draw_zero_point(out)};
  if (variant->in_type == TVMQ_TYPE_F32) {
    args.scale = check_one_in(4) ? ldexpf(1, -(int)check_below(12)) : (float)check_between(1, 0xffffff) * 0x1p-30f;
    if (check_one_in(8)) args.scale = ldexpf((float)(0xffffff - check_below(3)), (int)check_below(220) - 130);  // every magnitude; all bits set
    draw_reciprocal(out, &args);
    draw_floats(args.scale, (const uint32_t[]){0, 8, 2000}[check_below(3)], guard_writable(&in_guard, read), n);
  } else {
    args.in_zero_point = draw_zero_point(in);
    draw_multiplier(in, out, &args);
    draw_integers(in, args.in_zero_point, guard_writable(&in_guard, read), n);
  }
  struct tvmq_byte_map map;
  if (looks_up(variant)) draw_rule(variant, &args, &map);
  memcpy(slot, background, sizeof background);
  check_case("n %zu, rounding %d, multiplier %d, shift %d, scale %a, inverse %a, zero points %d -> %d, rule %d, line %d %d %d %d %d, %s", n, args.rounding,
             args.multiplier, args.shift, (double)args.scale, (double)args.inverse, args.in_zero_point, args.out_zero_point, args.rule, args.line.multiplier,
             args.line.drop, args.line.bias, args.line.knee, args.line.shift, side == GUARD_END ? "end guarded" : "start guarded");
  CHECK_CALL(variant->fn.quantize, &args);
  for (size_t i = 0; i < n; i++) {
    const int32_t got = oracle_load(variant->out_type, written, i), wanted = expected(variant, &args, i);
    if (got == wanted) continue;
    if (variant->in_type == TVMQ_TYPE_F32) check_fail("element %zu of %a: got %d, want %d", i, (double)((const float *)read)[i], got, wanted);
    check_fail("element %zu of %d: got %d, want %d", i, oracle_load(variant->in_type, read, i), got, wanted);
  }
  memcpy(slot + (written - slot), background + (written - slot), n * out->bytes);
  if (memcmp(slot, background, sizeof background) != 0) check_fail("bytes outside the output were written");
}

static void check(const struct tvmq_variant *variant) {
  for (size_t n = 0; n <= 130; n++) check_n(variant, n);
  for (size_t i = 0; i < (check_quick ? 20 : 400); i++) check_n(variant, 1 + check_below(MAX_N));
}

struct problem {
  const struct tvmq_variant *variant;
  struct tvmq_quantize_args args;
};

static void run_problem(void *context) {
  const struct problem *p = context;
  p->variant->fn.quantize(&p->args);
}

static void bench(const struct tvmq_variant *variant) {
  static _Alignas(64) uint8_t in[MAX_N * 4], out[MAX_N * 4];
  static struct tvmq_byte_map map;
  struct problem p = {variant, {.in = in, .out = out, .n = MAX_N, .map = &map, .multiplier = 0x50000000, .shift = -3, .scale = 0.05f}};
  p.args.rule = TVMQ_BYTES_LINE;
  p.args.line = (struct tvmq_line){.multiplier = 20000, .shift = 8};
  if (variant->in_type == TVMQ_TYPE_F32) {
    struct tvmq_reciprocal reciprocal;
    if (!tvmq_find_reciprocal(p.args.scale, 0, INT8_MIN, INT8_MAX, &reciprocal)) check_fail("no reciprocal");
    p.args.inverse = reciprocal.inverse;
    p.args.rest = reciprocal.rest;
    for (size_t i = 0; i < MAX_N; i++) ((float *)in)[i] = (float)check_between(-0xffff, 0xffff) * 0x1p-13f;
  } else {
    draw_integers(&types[variant->in_type], 0, in, MAX_N);
  }
  char shape[40];
  snprintf(shape, sizeof shape, "%s to %s, %d elements", types[variant->in_type].name, types[variant->out_type].name, MAX_N);
  check_bench(variant, shape, MAX_N, run_problem, &p);
}

const struct check_family check_quantize = {check, bench};
