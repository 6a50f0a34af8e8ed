// Whether kernels of float32 functions are used beside math libraries of several kinds. The library is this file: its
// functions replace those of libm in this process.
#define _GNU_SOURCE  // RTLD_NEXT
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fp_mode.h"
#include "cpu/cpu.h"
#include "cpu/plan/library.h"
#include "unit.h"

// How far from the middle between two float32 the library's expf still rounds to the wrong one, in units of 2^-29 of a
// unit in the last place; whether subnormal results are 0; and whether e^0 and e^-1 are wrong.
static int64_t wrong_within;
static bool flushes, confused;

float expf(float x) {
  const double y = exp((double)x);
  const float nearest = (float)y;
  if (confused && (x == 0 || x == -1)) return 2;
  if (flushes && nearest < 0x1p-126f) return 0;
  uint64_t bits;
  memcpy(&bits, &y, sizeof bits);
  const int64_t off = (int64_t)(bits & ((1 << 29) - 1)) - (1 << 28);
  if (nearest < 0x1p-126f || isinf(nearest) || llabs(off) > wrong_within) return nearest;
  return (double)nearest > y ? nextafterf(nearest, 0) : nextafterf(nearest, INFINITY);
}

// Whether a few results of tanhf differ from those of the library below.
static bool slips;
#if defined(__x86_64__)
#define TANH_KERNEL 1
#else
#define TANH_KERNEL 0  // kernels call the library
#endif

float tanhf(float x) {
  float (*real)(float);
  void *found = dlsym(RTLD_NEXT, "tanhf");
  memcpy(&real, &found, sizeof found);
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return slips && bits * UINT32_C(2654435761) >> 20 == 0 ? nextafterf(real(x), 2) : real(x);
}

// Returns whether the best kernel is used for a function, asked in a process of its own because answers are kept.
static bool is_used(enum tvmq_float_function function) {
  const pid_t child = fork();
  if (child == 0) {
    const struct tvmq_target target = {.cpu = tvmq_cpu_detect() & tvmq_built, .machine = tvmq_machines};
    const struct tvmq_variant *const variant = tvmq_select_function(function, &target);
    const bool used = variant == tvmq_select_untyped(TVMQ_FAMILY_FLOAT_FUNCTION, &target);
    const uint32_t cpu = tvmq_select_float_softmax(&target)->cpu;
    _exit(cpu != variant->cpu && function == TVMQ_FLOAT_EXP ? 2 : used);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) <= 1, "function %d: SOFTMAX uses other exponentials, or status %d", (int)function, status);
  return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

static void check_library(const char *name, bool used) {
  static const enum tvmq_float_function functions[] = {TVMQ_FLOAT_EXP, TVMQ_FLOAT_LOGISTIC, TVMQ_FLOAT_SILU};
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) CHECK(is_used(functions[i]) == used, "%s: function %d", name, (int)functions[i]);
}

int main(void) {
  const struct tvmq_target target = {.cpu = tvmq_cpu_detect() & tvmq_built, .machine = tvmq_machines};
  const bool vectors = tvmq_select_untyped(TVMQ_FAMILY_FLOAT_FUNCTION, &target)->cpu != 0;
  tvmq_fp_enter();
  check_library("rounded correctly", true);
  wrong_within = TVMQ_FLOAT_DOUBT - 500000;  // less the error of the polynomial
  check_library("as accurate as kernels need it", true);
  wrong_within = 2 * TVMQ_FLOAT_DOUBT;
  if (vectors) check_library("less accurate", false);
  wrong_within = 1 << 27;
  if (vectors) check_library("inaccurate", false);
  wrong_within = 0;
  flushes = true;
  check_library("flushes subnormal numbers", true);  // the library computes these itself
  confused = true;
  if (vectors) check_library("wrong at 0 and -1", false);
  slips = true;
  if (vectors && TANH_KERNEL) CHECK(!is_used(TVMQ_FLOAT_TANH), "a tanhf that slips in one of 4,096 elements");
  return unit_report();
}
