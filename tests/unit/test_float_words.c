// The reference's tables of functions of int16: known for any compiler only if sums with a product, rounded once or twice, make the same table.
#include <math.h>

#include "exact/float_words.h"
#include "unit.h"

static unsigned long long state = 1;

static float between(float low, float high) { return low * powf(high / low, (float)(unit_random(&state) % 100000) / 100000); }

// Returns whether two compilers make the same table, and checks that an unknown one is then known.
static bool check_scales(enum tvmq_word_function function, float in_scale, float out_scale) {
  static struct tvmq_word_map apart, fused, unknown;
  const char *const refused = tvmq_word_function_map(function, in_scale, out_scale, TVMQ_CONTRACTION_NONE, &apart);
  CHECK_STRING(tvmq_word_function_map(function, in_scale, out_scale, TVMQ_CONTRACTION_EXPRESSION, &fused), NULL, "contracted");
  CHECK_STRING(refused, NULL, "not contracted");
  const bool same = memcmp(&apart, &fused, sizeof apart) == 0;
  const char *const reason = tvmq_word_function_map(function, in_scale, out_scale, TVMQ_CONTRACTION_UNKNOWN, &unknown);
  CHECK((reason == NULL) == same, "function %d, scales %a and %a: %s", (int)function, (double)in_scale, (double)out_scale, reason != NULL ? reason : "known");
  if (same) CHECK(memcmp(&unknown, &apart, sizeof apart) == 0, "function %d, scales %a and %a", (int)function, (double)in_scale, (double)out_scale);
  return same;
}

// The least elements of GELU are near 0, the greatest nearly the elements themselves.
static void check_gelu(void) {
  static struct tvmq_word_map map;
  const float scale = 8.0f / 32768;
  CHECK_STRING(tvmq_word_function_map(TVMQ_WORDS_GELU, scale, scale, TVMQ_CONTRACTION_NONE, &map), NULL, "gelu");
  for (int x = INT16_MIN; x <= INT16_MAX; x++) {
    const double real = x * (double)scale, wanted = 0.5 * real * erfc(-real * sqrt(0.5)) / (double)scale;
    if (!CHECK(fabs(tvmq_word_map_value(&map, (int16_t)x) - wanted) < 3, "element %d: got %d, want %g", x, tvmq_word_map_value(&map, (int16_t)x), wanted))
      return;
  }
}

int main(void) {
  static const char *const names[] = {
      [TVMQ_WORDS_GELU] = "gelu", [TVMQ_WORDS_GELU_TANH] = "gelu tanh", [TVMQ_WORDS_EXP] = "exp", [TVMQ_WORDS_LOG] = "log", [TVMQ_WORDS_RSQRT] = "rsqrt"};
  for (size_t function = 0; function < N_ELEMENTS(names); function++) {
    enum { N = 40 };
    int same = 0;
    for (int i = 0; i < N; i++) same += check_scales((enum tvmq_word_function)function, between(1e-5f, 1e-3f), between(1e-5f, 1e-2f));
    CHECK(same > 0 && same < N, "%s: %d of %d tables are alike", names[function], same, N);
  }
  CHECK_STRING(tvmq_word_function_map(TVMQ_WORDS_EXP, 0.01f, 0.01f, TVMQ_CONTRACTION_NONE, NULL), "a result is infinite", "exp of 327");
  check_gelu();
  return unit_report();
}
