// A kernel that computes in float64 may stand in for the library wherever the library's error is below half a unit in the
// last place plus `doubt` (kernels/functions.h). A library of greater errors rounds some elements wrongly whose values lie
// just outside that interval. So the kernel computes many elements with the interval and with one twice as wide, in which
// it asks the library: the results are the same unless the library's errors are greater.
#include "cpu/plan/library.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { ELEMENTS = 128, ROUNDS = 64 };

static const tvmq_library_fn library[] = {
#define FUNCTION(NAME, function) [TVMQ_FLOAT_##NAME] = function,
    TVMQ_FLOAT_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

tvmq_library_fn tvmq_library_function(enum tvmq_float_function function) { return library[function]; }

// Elements at which functions have bounds, and numbers that are special.
static const float special[] = {0,         -0.0f,      NAN,        INFINITY,   -INFINITY,  1e-45f,     -1e-45f, 1e-30f, -1e-30f, 88.72283f,
                                88.72284f, -87.33654f, -87.33655f, -103.9f,    -103.98f,   -104.1f,    0.1f,    -0.1f,  0.5f,    -0.5f,
                                1,         -1,         -9,         -9.000001f, 16.619047f, 16.619049f, 22,      -22,    3e38f,   -3e38f};

static void compute(const struct tvmq_variant *variant, enum tvmq_float_function function, uint32_t doubt, const float in[ELEMENTS], float out[ELEMENTS]) {
  variant->fn.float_function(
      &(struct tvmq_float_function_args){.in = in, .out = out, .n = ELEMENTS, .function = function, .library = library[function], .doubt = doubt});
}

static bool same(const float a[ELEMENTS], const float b[ELEMENTS]) {
  for (size_t i = 0; i < ELEMENTS; i++) {
    if (memcmp(&a[i], &b[i], sizeof a[i]) != 0 && !(isnan(a[i]) && isnan(b[i]))) return false;
  }
  return true;
}

static bool ask(const struct tvmq_variant *variant, enum tvmq_float_function function) {
  const struct tvmq_variant *const calls = tvmq_family_variants(TVMQ_FAMILY_FLOAT_FUNCTION).first;
  if (variant == calls || variant->fn.float_function == NULL) return true;  // or a kernel of another processor, whose time is estimated
  if (function >= TVMQ_FLOAT_GELU_LIBRARY) return true;                     // kernels of GELU, LOG and ELU stand in for no function of the library
  float in[ELEMENTS], narrow[ELEMENTS], wide[ELEMENTS];
  uint32_t state = 1;
  for (int round = 0; round < ROUNDS; round++) {
    for (size_t i = 0; i < ELEMENTS; i++) {
      state = state * 1664525 + 1013904223;
      in[i] = (float)(int32_t)state * (round % 2 ? 0x1p-25f : 0x1p-28f);
    }
    const bool by_calls = round < 4 || function == TVMQ_FLOAT_TANH;  // whose kernels leave no interval to the library
    if (round < 4) memcpy(in, special, sizeof special);
    compute(variant, function, TVMQ_FLOAT_DOUBT, in, narrow);
    compute(by_calls ? calls : variant, function, 2 * TVMQ_FLOAT_DOUBT, in, wide);
    if (!same(narrow, wide)) return false;
  }
  return true;
}

bool tvmq_agrees(const struct tvmq_variant *variant, enum tvmq_float_function function) {
  enum { UNKNOWN, YES, NO };
  static _Atomic uint8_t answers[TVMQ_MOST_VARIANTS][TVMQ_N_FLOAT_FUNCTIONS];
  assert(variant->family == TVMQ_FAMILY_FLOAT_FUNCTION);
  _Atomic uint8_t *answer = &answers[variant - tvmq_variants][function];
  if (atomic_load_explicit(answer, memory_order_relaxed) == UNKNOWN) atomic_store_explicit(answer, ask(variant, function) ? YES : NO, memory_order_relaxed);
  return atomic_load_explicit(answer, memory_order_relaxed) == YES;
}

const struct tvmq_variant *tvmq_select_function(enum tvmq_float_function function, const struct tvmq_target *target) {
  const struct tvmq_variant *const best = tvmq_select_untyped(TVMQ_FAMILY_FLOAT_FUNCTION, target);
  const bool in_vectors = function < TVMQ_FLOAT_LOG && tvmq_agrees(best, function);  // all kernels of LOG and ELU call the library
  return in_vectors ? best : tvmq_family_variants(TVMQ_FAMILY_FLOAT_FUNCTION).first;
}

const struct tvmq_variant *tvmq_select_float_softmax(const struct tvmq_target *target) {
  struct tvmq_target agreeing = *target;
  agreeing.cpu &= tvmq_select_function(TVMQ_FLOAT_EXP, target)->cpu;
  return tvmq_select_untyped(TVMQ_FAMILY_FLOAT_SOFTMAX, &agreeing);
}
