// Compares every kernel of a float32 function that this processor can run with the C library, at all 2^32 arguments:
//
//   ninja tests/kernels/all_floats && tests/kernels/all_floats [KERNEL...]
//
// It takes minutes for each kernel, so that it is no test of its own.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/fp_mode.h"
#include "cpu/cpu.h"
#include "cpu/plan/library.h"

enum { ELEMENTS = 1 << 14 };

#define FUNCTION(NAME, library) #NAME,
static const char *const names[] = {TVMQ_FLOAT_FUNCTIONS(FUNCTION)};
#undef FUNCTION

static void compute(const struct tvmq_variant *variant, enum tvmq_float_function function, const float *in, float *out) {
  variant->fn.float_function(&(struct tvmq_float_function_args){
      .in = in, .out = out, .n = ELEMENTS, .function = function, .library = tvmq_library_function(function), .doubt = TVMQ_FLOAT_DOUBT});
}

static uint64_t count_differences(const struct tvmq_variant *variant, const struct tvmq_variant *calls, enum tvmq_float_function function) {
  static float in[ELEMENTS], got[ELEMENTS], wanted[ELEMENTS];
  uint64_t n = 0;
  for (uint64_t first = 0; first < UINT64_C(1) << 32; first += ELEMENTS) {
    for (uint32_t i = 0; i < ELEMENTS; i++) {
      const uint32_t bits = (uint32_t)first + i;
      memcpy(&in[i], &bits, sizeof bits);
    }
    compute(variant, function, in, got);
    compute(calls, function, in, wanted);
    for (uint32_t i = 0; i < ELEMENTS; i++) {
      if (memcmp(&got[i], &wanted[i], sizeof got[i]) == 0 || (isnan(got[i]) && isnan(wanted[i]))) continue;
      if (n++ == 0) printf("  %a: got %a, the library says %a\n", (double)in[i], (double)got[i], (double)wanted[i]);
    }
  }
  return n;
}

static bool is_named(const char *name, int n, char *const names_given[]) {
  for (int i = 0; i < n; i++) {
    if (strcmp(names_given[i], name) == 0) return true;
  }
  return n == 0;
}

int main(int argc, char *argv[]) {
  const struct tvmq_variant_range range = tvmq_family_variants(TVMQ_FAMILY_FLOAT_FUNCTION);
  bool failed = false;
  tvmq_fp_enter();
  for (const struct tvmq_variant *v = range.first + 1; v < range.end; v++) {
    if ((v->cpu & ~tvmq_cpu_detect()) != 0 || v->fn.float_function == NULL || !is_named(v->name, argc - 1, argv + 1)) continue;
    for (int f = 0; f < TVMQ_N_FLOAT_FUNCTIONS; f++) {
      const time_t begin = time(NULL);
      const uint64_t n = count_differences(v, range.first, (enum tvmq_float_function)f);
      const bool agrees = tvmq_agrees(v, (enum tvmq_float_function)f);
      printf("%s, %s: %" PRIu64 " of 2^32 differ, %s; %.0f s\n", v->name, names[f], n, agrees ? "used" : "not used", difftime(time(NULL), begin));
      fflush(stdout);
      failed |= agrees && n > 0;
    }
  }
  return failed;
}
