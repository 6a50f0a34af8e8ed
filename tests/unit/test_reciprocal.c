// Where a reciprocal is found, multiplying quantizes as dividing does: near every threshold, beyond int32, for infinities and NaN, of both signs.
#include <float.h>
#include <math.h>

#include "arithmetic/stage.h"
#include "exact/reciprocal.h"
#include "unit.h"

static int32_t quantized(float quotient, int32_t zero_point, int32_t min, int32_t max) {
  return tvmq_clamp(tvmq_add_wrap(tvmq_quantize_f32(quotient, 1), zero_point), min, max);
}

struct output {
  int32_t zero_point, min, max;
};

static bool same(const struct tvmq_reciprocal *r, float scale, const struct output *o, float x) {
  const float product = r->rest > 0 ? fmaf(x, r->inverse, x * r->rest) : x * r->inverse;
  return quantized(x / scale, o->zero_point, o->min, o->max) == quantized(product, o->zero_point, o->min, o->max);
}

static bool check(float scale, const struct output *o) {
  struct tvmq_reciprocal r;
  if (!tvmq_find_reciprocal(scale, o->zero_point, o->min, o->max, &r)) return false;
  int wrong = 0;
  for (int32_t code = o->min - 2; code <= o->max + 2; code++) {
    float x = ((float)(code - o->zero_point) + 0.5f) * scale;
    for (int i = 0; i < 4; i++) x = nextafterf(x, -INFINITY);
    for (int i = 0; i < 9; i++, x = nextafterf(x, INFINITY)) wrong += !same(&r, scale, o, x);
  }
  for (int sign = -1; sign <= 1; sign += 2) {
    float x = (float)sign * 0x1p31f * scale;
    for (int i = 0; i < 1000; i++) x = nextafterf(x, 0);
    for (int i = 0; i < 2000; i++, x = nextafterf(x, (float)sign * INFINITY)) wrong += !same(&r, scale, o, x);
    for (float large = scale; large < INFINITY; large *= 1.7f) wrong += !same(&r, scale, o, (float)sign * large);
    wrong += !same(&r, scale, o, (float)sign * INFINITY) + !same(&r, scale, o, (float)sign * FLT_MAX) + !same(&r, scale, o, (float)sign * 0.0f);
  }
  wrong += !same(&r, scale, o, NAN);
  CHECK(wrong == 0, "scale %a, zero point %d in [%d, %d]: %d inputs", (double)scale, o->zero_point, o->min, o->max, wrong);
  return true;
}

static bool passes_alike(const struct tvmq_reciprocal *r, float scale, float threshold) {
  float x = threshold * scale;
  for (int i = 0; i < 3; i++) x = nextafterf(x, 0);
  bool alike = true;
  for (int i = 0; i < 7; i++, x = nextafterf(x, INFINITY)) alike &= (x / scale >= threshold) == (fmaf(x, r->inverse, x * r->rest) >= threshold);
  return alike;
}

// Compares the answer for a reciprocal whose rest is some places off with a look at all thresholds of int8. Returns whether one is missed.
static bool misses(float scale, int places) {
  const double real = 1 / (double)scale;
  struct tvmq_reciprocal r = {.inverse = nextafterf((float)real, 0)};
  r.rest = (float)(real - (double)r.inverse);
  r.rest *= 1 + (float)places * 0x1p-23f;
  bool alike = passes_alike(&r, scale, 0x1p31f);
  for (int code = 0; code < 128; code++) alike &= passes_alike(&r, scale, (float)code + 0.5f);
  CHECK(tvmq_reciprocal_serves(&r, scale, 0, INT8_MIN, INT8_MAX) == alike, "scale %a, %d places: %d", (double)scale, places, alike);
  return !alike;
}

// Returns the scale at which the middle below threshold code + 1/2, times the scale, is `units` of 2^-24 places from a float; 0: there is none. The equation is
// that of agrees_at_codes(), modulo 2^24, and its factor is odd.
static float doubtful_scale(int code, int units) {
  const int b = 31 - __builtin_clz((unsigned)code);
  const uint32_t factor = (2 * (uint32_t)code + 1) * (1u << (23 - b)) - 1;
  uint32_t inverse = factor;
  for (int i = 0; i < 5; i++) inverse *= 2 - factor * inverse;
  const uint32_t integer = inverse * (uint32_t)units & ((1u << 24) - 1);
  return integer >= 1u << 23 ? ldexpf((float)integer, -28) : 0;
}

int main(void) {
  unsigned long long state = 1;
  enum { ROUNDS = 400 };
  int found = 0;
  for (int i = 0; i < ROUNDS; i++) {
    const float scale = exp2f((float)(unit_random(&state) >> 40) * 0x1p-24f * 40 - 30);
    const bool is_unsigned = i % 2 != 0;
    const int32_t byte = (int32_t)(unit_random(&state) >> 56);
    const struct output output = is_unsigned ? (struct output){byte, 0, UINT8_MAX} : (struct output){byte - 128, INT8_MIN, INT8_MAX};
    found += check(scale, &output);
  }
  CHECK(found == ROUNDS, "%d of %d", found, ROUNDS);

  const struct output s8 = {-1, INT8_MIN, INT8_MAX}, s16 = {0, INT16_MIN, INT16_MAX}, u16 = {0, 0, UINT16_MAX};
  found = 0;
  enum { WORDS = 60 };
  for (int i = 0; i < WORDS; i++) found += check(exp2f((float)(unit_random(&state) >> 40) * 0x1p-24f * 40 - 30), i % 2 != 0 ? &s16 : &u16);
  CHECK(found >= WORDS - 1, "int16: %d of %d", found, WORDS);
  CHECK(check(0x1p-7f, &s8), "a power of two");
  struct tvmq_reciprocal alone;
  CHECK(tvmq_find_reciprocal(0x1p-7f, 0, INT8_MIN, INT8_MAX, &alone) && alone.inverse == 128 && alone.rest == 0, "an inverse that is exact needs no rest");
  CHECK(check(2.0f / 255, &s8), "images in [-1, 1]");
  CHECK(!check(FLT_MIN / 16, &s8), "the inverse is beyond float32");
  CHECK(!check(FLT_MIN / 2, &s8), "a subnormal scale");
  CHECK(!check(FLT_MAX, &s8), "the rest is subnormal");

  // The answer is right where few thresholds are examined, and one of them is missed or nearly missed.
  int scales = 0, missed = 0;
  for (int code = 1; code < 128; code++) {
    for (int units = -8; units <= 8; units++) {
      const float scale = doubtful_scale(code, units);
      scales += scale > 0;
      for (int places = -4; places <= 4 && scale > 0; places++) missed += misses(scale, places);
    }
  }
  CHECK(scales > 500 && missed > 100, "%d scales, %d reciprocals miss a threshold", scales, missed);

  // Scales at which multiplying misses one threshold: 133 from the zero point, and two of int16.
  CHECK(!check(0x1.e9fffep-8f, &(struct output){-76, INT8_MIN, INT8_MAX}), "a threshold within reach");
  CHECK(check(0x1.e9fffep-8f, &(struct output){0, INT8_MIN, INT8_MAX}), "the same threshold, out of reach");
  CHECK(!check(0x1.b873fep-20f, &s16) && !check(0x1.756bfep-15f, &s16), "thresholds of int16");

  // A single output value has no thresholds but where the sum wraps.
  struct tvmq_reciprocal r;
  CHECK(tvmq_find_reciprocal(0.05f, 0, 0, 0, &r) && tvmq_reciprocal_serves(&r, 0.05f, 0, 0, 0), "one value");
  r.inverse *= 1 + 0x1p-20f;
  CHECK(!tvmq_reciprocal_serves(&r, 0.05f, 0, 0, 0), "a reciprocal that is wrong where the sum wraps");
  return unit_report();
}
