// Kernels of the C library's float32 functions.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "bench.h"
#include "cpu/plan/library.h"
#include "engine.h"
#include "support/guard.h"
#include "support/oracle.h"

enum { MAX_N = 1000, BENCHED = 4096 };

static struct guard in_guard, out_guard;
static uint8_t background[1 << 16];

static void prepare(void) {
  if (in_guard.first) return;
  in_guard = guard_create(1, MAX_N * sizeof(float), GUARD_READ_ONLY);
  out_guard = guard_create(1, MAX_N * sizeof(float), GUARD_READ_WRITE);
  check_random_bytes(background, sizeof background);
}

// Draws any float32, one of a network's, or one next to a bound of a function.
static float draw(void) {
  static const float special[] = {0,    -0.0f, NAN,        INFINITY,   -INFINITY,  88.72283f, 88.72284f, -87.33654f, -103.97f, -103.98f,
                                  -104, -9,    -9.000001f, 16.619047f, 16.619049f, 22,        1,         -1,         FLT_MAX,  -FLT_MAX};
  const uint32_t bits = check_below(UINT32_MAX);
  float any;
  memcpy(&any, &bits, sizeof any);
  switch (check_below(8)) {
    case 0:
      return any;
    case 1:
      return special[check_below(sizeof special / sizeof special[0])];
    case 2:
      return (float)check_between(-(1 << 24), 1 << 24) * 100 * 0x1p-24f;
    default:
      return (float)check_between(-(1 << 24), 1 << 24) * 8 * 0x1p-24f;
  }
}

static float wanted_of(enum tvmq_float_function function, float x) {
  if (function == TVMQ_FLOAT_LOG) return logf(x);
  if (function == TVMQ_FLOAT_ELU) return x < 0 ? expm1f(x) : x;
  if (function >= TVMQ_FLOAT_GELU_LIBRARY) {
    const bool by_tanh = function == TVMQ_FLOAT_GELU_TANH_13_6 || function == TVMQ_FLOAT_GELU_TANH_9_8;
    return oracle_gelu(x, by_tanh, function == TVMQ_FLOAT_GELU_EIGEN || function == TVMQ_FLOAT_GELU_TANH_9_8, false);
  }
  if (function == TVMQ_FLOAT_SILU) return x * wanted_of(TVMQ_FLOAT_LOGISTIC, x);
  if (function == TVMQ_FLOAT_TANH) return tanhf(x);
  if (function == TVMQ_FLOAT_EXP || x < -9) return expf(x);
  volatile float sum = 1 + expf(-x), quotient = 1 / sum;
  return x > 16.619047164916992188f ? 1 : quotient;
}

static void compare(const float *got, const float *wanted, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const bool same = isnan(wanted[i]) ? isnan(got[i]) : memcmp(&got[i], &wanted[i], sizeof got[i]) == 0;
    if (!same) check_fail("element %zu: got %a, want %a", i, (double)got[i], (double)wanted[i]);
  }
  uint8_t *slot = guard_slot(&out_guard, 0);
  memcpy(guard_writable(&out_guard, got), background + ((const uint8_t *)got - slot), n * sizeof(float));
  if (memcmp(slot, background, out_guard.slot_bytes) != 0) check_fail("bytes outside the output were written");
}

// Draws an input of n elements next to a page that faults, and sets *out to an output of as many.
static const float *draw_input(size_t n, float **out) {
  prepare();
  const enum guard_side side = check_one_in(2) ? GUARD_START : GUARD_END;
  float *in = guard_at(&in_guard, 0, n * sizeof(float), side), *written = guard_writable(&in_guard, in);
  for (size_t i = 0; i < n; i++) written[i] = draw();
  *out = guard_at(&out_guard, 0, n * sizeof(float), side);
  memcpy(guard_slot(&out_guard, 0), background, out_guard.slot_bytes);
  return in;
}

static void check_function_of(const struct tvmq_variant *variant, size_t n, enum tvmq_float_function function) {
  static float wanted[MAX_N];
  float *out;
  const float *in = draw_input(n, &out);
  const size_t tail = function == TVMQ_FLOAT_GELU_EIGEN ? n % 4 : 0;
  for (size_t i = 0; i < n; i++) wanted[i] = i < n - tail ? wanted_of(function, in[i]) : oracle_gelu(in[i], false, true, true);
  check_case("%zu elements, function %d", n, (int)function);
  CHECK_CALL(variant->fn.float_function,
             (&(struct tvmq_float_function_args){
                 .in = in, .out = out, .n = n, .tail = tail, .function = function, .library = tvmq_library_function(function), .doubt = TVMQ_FLOAT_DOUBT}));
  compare(out, wanted, n);
}

// A kernel that differs from this system's library is not used: nothing is to be checked.
static void check_function(const struct tvmq_variant *variant) {
  for (int f = 0; f < TVMQ_N_FLOAT_FUNCTIONS; f++) {
    const enum tvmq_float_function function = (enum tvmq_float_function)f;
    if (!tvmq_agrees(variant, function)) continue;
    for (size_t n = 0; n < 300; n++) check_function_of(variant, n, function);
    for (size_t i = 0; i < (check_quick ? 20 : 300); i++) check_function_of(variant, check_below(MAX_N), function);
  }
}

static void check_softmax_of(const struct tvmq_variant *variant, size_t rows, size_t depth) {
  static float wanted[MAX_N];
  float *out;
  const float *in = draw_input(rows * depth, &out), beta = check_one_in(2) ? 1 : (float)check_below(1000) * 0.003f;
  for (size_t r = 0; r < rows; r++) {
    const float *x = in + r * depth;
    float *e = wanted + r * depth, greatest = -FLT_MAX;
    volatile float sum = 0, difference, product;
    for (size_t i = 0; i < depth; i++) greatest = greatest < x[i] ? x[i] : greatest;
    for (size_t i = 0; i < depth; i++) {
      difference = x[i] - greatest;
      product = difference * beta;
      e[i] = expf(product);
      sum = sum + e[i];
    }
    for (size_t i = 0; i < depth; i++) e[i] = e[i] / sum;
  }
  check_case("%zu rows of %zu elements, beta %g", rows, depth, (double)beta);
  CHECK_CALL(variant->fn.float_softmax,
             (&(struct tvmq_float_softmax_args){.in = in, .out = out, .rows = rows, .depth = depth, .beta = beta, .exp = expf, .doubt = TVMQ_FLOAT_DOUBT}));
  compare(out, wanted, rows * depth);
}

static void check_softmax_rows(const struct tvmq_variant *variant) {
  const struct tvmq_target target = {.cpu = variant->cpu, .machine = tvmq_machines};
  if (tvmq_select_float_softmax(&target) != variant) return;
  for (size_t depth = 1; depth < 300; depth++) check_softmax_of(variant, check_below((uint32_t)(MAX_N / depth) + 1), depth);
  for (size_t i = 0; i < (check_quick ? 20 : 300); i++) {
    const size_t depth = 1 + check_below(check_one_in(2) ? 40 : MAX_N);
    check_softmax_of(variant, check_below((uint32_t)(MAX_N / depth) + 1), depth);
  }
}

struct problem {
  const struct tvmq_variant *variant;
  struct tvmq_float_function_args function;
  struct tvmq_float_softmax_args softmax;
};

static void run_function(void *context) {
  const struct problem *p = context;
  p->variant->fn.float_function(&p->function);
}

static void run_softmax(void *context) {
  const struct problem *p = context;
  p->variant->fn.float_softmax(&p->softmax);
}

static void bench(const struct tvmq_variant *variant) {
  static _Alignas(64) float in[BENCHED], out[BENCHED];
  for (size_t i = 0; i < BENCHED; i++) in[i] = (float)check_between(-(1 << 24), 1 << 24) * 8 * 0x1p-24f;
  struct problem p = {
      .variant = variant,
      .function = {.in = in, .out = out, .n = BENCHED, .function = TVMQ_FLOAT_LOGISTIC, .library = expf, .doubt = TVMQ_FLOAT_DOUBT},
      .softmax = {.in = in, .out = out, .rows = 16, .depth = BENCHED / 16, .beta = 1, .exp = expf, .doubt = TVMQ_FLOAT_DOUBT},
  };
  check_bench(variant, "4096 elements", BENCHED, variant->family == TVMQ_FAMILY_FLOAT_FUNCTION ? run_function : run_softmax, &p);
}

const struct check_family check_float_function = {check_function, bench};
const struct check_family check_float_softmax = {check_softmax_rows, bench};
