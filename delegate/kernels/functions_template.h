// Kernels of the C library's float32 functions and of GELU. The includer defines the instruction set ISA, LANES, the float32 of a
// vector, and where the processor computes exponentials in vectors, TVMQ_EXPS and what kernels/exps_vectors.h asks for.
#include <float.h>
#include <stdbool.h>
#include <string.h>

#include "base/inline.h"
#include "kernels/kernel.h"

#define PASTE(family, isa) tvmq_##family##__##isa
#define SYMBOL(family, isa) PASTE(family, isa)

// GROUP: elements that are computed together. ROWS: rows of SOFTMAX whose sums are independent work.
enum { VECTORS = 2, GROUP = VECTORS * LANES, ROWS = 8 };

// For these arguments and those of the opposite sign, e^x is a normal number. Below ZERO_BELOW it is 0.
#define MOST 87.0f
#define ZERO_BELOW (-104.0f)

typedef float floats __attribute__((vector_size(LANES * 4)));
typedef int32_t masks __attribute__((vector_size(LANES * 4)));
typedef uint32_t words __attribute__((vector_size(LANES * 4)));  // for arithmetic that may overflow

TVMQ_INLINE floats load(const float *in) {
  floats x;
  memcpy(&x, in, sizeof x);
  return x;
}
TVMQ_INLINE void store(float *out, floats x) { memcpy(out, &x, sizeof x); }
TVMQ_INLINE floats choose(masks mask, floats x, floats y) { return (floats)((mask & (masks)x) | (~mask & (masks)y)); }
TVMQ_INLINE floats magnitude(floats x) { return (floats)((masks)x & INT32_MAX); }

TVMQ_INLINE bool any(masks mask) {
  uint64_t parts[LANES / 2], all = 0;
  memcpy(parts, &mask, sizeof mask);
  UNROLL for (int i = 0; i < LANES / 2; i++) all |= parts[i];
  return all != 0;
}

#ifdef TVMQ_EXPS
#include "kernels/exps_vectors.h"
#else
TVMQ_INLINE masks exps(const floats arguments[VECTORS], floats results[VECTORS], masks open[VECTORS], uint32_t doubt) {
  (void)arguments;
  (void)doubt;
  UNROLL for (int v = 0; v < VECTORS; v++) {
    results[v] = (floats){0};
    open[v] = (masks){0} - 1;
  }
  return open[0];
}
#endif

static __attribute__((noinline)) void ask(const floats arguments[VECTORS], floats results[VECTORS], const masks open[VECTORS], tvmq_library_fn library) {
  for (int v = 0; v < VECTORS; v++) {
    for (int j = 0; j < LANES; j++) {
      const float x = arguments[v][j];
      if (open[v][j] != 0) results[v][j] = x < ZERO_BELOW ? 0 : library(x);
    }
  }
}

// Sets results to e^x, as the library has it.
TVMQ_INLINE void compute_exps(const floats arguments[VECTORS], floats results[VECTORS], tvmq_library_fn library, uint32_t doubt) {
  masks open[VECTORS];
  const masks asked = exps(arguments, results, open, doubt);
  if (__builtin_expect(any(asked), 0)) {
    floats copies[2][VECTORS];  // so that vectors stay in registers where nothing is asked
    memcpy(copies[0], arguments, sizeof copies[0]);
    memcpy(copies[1], results, sizeof copies[1]);
    ask(copies[0], copies[1], open, library);
    memcpy(results, copies[1], sizeof copies[1]);
  }
}

// Bounds between which LOGISTIC is computed by its formula.
#define ONE_ABOVE 16.619047164916992188f
#define EXP_BELOW (-9.0f)

TVMQ_INLINE void logistic(const floats in[VECTORS], floats out[VECTORS], const struct tvmq_float_function_args *args) {
  floats arguments[VECTORS], e[VECTORS];
  UNROLL for (int v = 0; v < VECTORS; v++) {
    const floats argument = choose((masks)(in[v] < EXP_BELOW), in[v], -in[v]);
    arguments[v] = choose((masks)(in[v] > ONE_ABOVE), (floats){0}, argument);
  }
  compute_exps(arguments, e, args->library, args->doubt);
  UNROLL for (int v = 0; v < VECTORS; v++) {
    const floats result = choose((masks)(in[v] < EXP_BELOW), e[v], 1 / (1 + e[v]));
    out[v] = choose((masks)(in[v] > ONE_ABOVE), (floats){0} + 1, result);
  }
}

TVMQ_INLINE void call_library(const floats in[VECTORS], floats out[VECTORS], tvmq_library_fn library) {
  for (int v = 0; v < VECTORS; v++) {
    for (int j = 0; j < LANES; j++) out[v][j] = library(in[v][j]);
  }
}

TVMQ_INLINE void exponential_linear(const floats in[VECTORS], floats out[VECTORS], tvmq_library_fn library) {
  for (int v = 0; v < VECTORS; v++) {
    floats x = in[v];
    for (int j = 0; j < LANES; j++) x[j] = x[j] < 0 ? library(x[j]) : x[j];
    out[v] = x;
  }
}

#ifdef TVMQ_FDLIBM
#include "kernels/tanh_vectors.h"

TVMQ_INLINE void hyperbolic_tangent(const floats in[VECTORS], floats out[VECTORS], const struct tvmq_float_function_args *args) {
  (void)args;
  UNROLL for (int v = 0; v < VECTORS; v++) out[v] = fdlibm_tanh(in[v]);
}
#else
TVMQ_INLINE void hyperbolic_tangent(const floats in[VECTORS], floats out[VECTORS], const struct tvmq_float_function_args *args) {
  call_library(in, out, args->library);
}
#endif

#include "kernels/gelu_vectors.h"

TVMQ_INLINE void compute(const floats in[VECTORS], floats out[VECTORS], enum tvmq_float_function function, const struct tvmq_float_function_args *args) {
  switch (function) {
    case TVMQ_FLOAT_EXP:
      compute_exps(in, out, args->library, args->doubt);
      break;
    case TVMQ_FLOAT_LOGISTIC:
      logistic(in, out, args);
      break;
    case TVMQ_FLOAT_SILU:
      logistic(in, out, args);
      UNROLL for (int v = 0; v < VECTORS; v++) out[v] *= in[v];
      break;
    case TVMQ_FLOAT_TANH:
      hyperbolic_tangent(in, out, args);
      break;
    case TVMQ_FLOAT_GELU_LIBRARY:
      UNROLL for (int v = 0; v < VECTORS; v++) out[v] = gelu_library(in[v], args->library);
      break;
    case TVMQ_FLOAT_GELU_EIGEN:
      UNROLL for (int v = 0; v < VECTORS; v++) out[v] = gelu_eigen(in[v], NULL);
      break;
    case TVMQ_FLOAT_GELU_TANH_13_6:
      UNROLL for (int v = 0; v < VECTORS; v++) out[v] = gelu_tanh_13_6(in[v]);
      break;
    case TVMQ_FLOAT_GELU_TANH_9_8:
      UNROLL for (int v = 0; v < VECTORS; v++) out[v] = gelu_tanh_9_8(in[v]);
      break;
    case TVMQ_FLOAT_LOG:
      call_library(in, out, args->library);
      break;
    case TVMQ_FLOAT_ELU:
      exponential_linear(in, out, args->library);
      break;
    case TVMQ_N_FLOAT_FUNCTIONS:
      break;
  }
}

TVMQ_INLINE void compute_group(const float *in, float *out, enum tvmq_float_function function, const struct tvmq_float_function_args *args) {
  floats inputs[VECTORS], outputs[VECTORS];
  UNROLL for (int v = 0; v < VECTORS; v++) inputs[v] = load(in + v * LANES);
  compute(inputs, outputs, function, args);
  UNROLL for (int v = 0; v < VECTORS; v++) store(out + v * LANES, outputs[v]);
}

TVMQ_INLINE void compute_all(const struct tvmq_float_function_args *args, enum tvmq_float_function function) {
  size_t i = 0;
  for (; i + GROUP <= args->n; i += GROUP) compute_group(args->in + i, args->out + i, function, args);
  if (i == args->n) return;
  float last[GROUP] = {0};
  memcpy(last, args->in + i, (args->n - i) * sizeof *last);
  compute_group(last, last, function, args);
  memcpy(args->out + i, last, (args->n - i) * sizeof *last);
}

// Computes the tail of GELU_EIGEN, of fewer elements than a vector has.
TVMQ_INLINE floats compute_tail(const struct tvmq_float_function_args *args) {
  floats x = {0};
  memcpy(&x, args->in + args->n - args->tail, args->tail * sizeof(float));
  return gelu_eigen(x, args->library);
}

void SYMBOL(float_function, ISA)(const struct tvmq_float_function_args *args) {
  floats tail = {0};
  if (args->tail > 0) tail = compute_tail(args);  // first, since the output may be the input
  switch (args->function) {
#define FUNCTION(NAME, library)           \
  case TVMQ_FLOAT_##NAME:                 \
    compute_all(args, TVMQ_FLOAT_##NAME); \
    break;
    TVMQ_FLOAT_FUNCTIONS(FUNCTION)
#undef FUNCTION
    case TVMQ_N_FLOAT_FUNCTIONS:
      break;
  }
  memcpy(args->out + args->n - args->tail, &tail, args->tail * sizeof(float));
}

TVMQ_INLINE float greater(float x, float y) { return x < y ? y : x; }

TVMQ_INLINE float greatest_of(const float *restrict in, size_t n) {
  floats several = (floats){0} - FLT_MAX;
  float greatest = -FLT_MAX;
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) several = choose((masks)(several < load(in + i)), load(in + i), several);
  for (; i < n; i++) greatest = greater(greatest, in[i]);
  for (int j = 0; j < LANES; j++) greatest = greater(greatest, several[j]);
  return greatest;
}

// Computes up to ROWS rows. The output holds arguments, then exponentials.
TVMQ_INLINE void softmax(const struct tvmq_float_softmax_args *args, size_t first, size_t rows) {
  const size_t depth = args->depth, n = rows * depth;
  const float beta = args->beta, *const in = args->in + first * depth;
  float *const out = args->out + first * depth;
  for (size_t r = 0; r < rows; r++) {
    const float *restrict x = in + r * depth, greatest = greatest_of(x, depth);
    float *restrict y = out + r * depth;
    size_t i = 0;
    for (; i + LANES <= depth; i += LANES) store(y + i, (load(x + i) - greatest) * beta);
    for (; i < depth; i++) y[i] = (x[i] - greatest) * beta;
  }
  compute_all(&(struct tvmq_float_function_args){.in = out, .out = out, .n = n, .library = args->exp, .doubt = args->doubt}, TVMQ_FLOAT_EXP);
  float sums[ROWS] = {0};
  if (rows == ROWS) {
    for (size_t i = 0; i < depth; i++) {
      UNROLL for (size_t r = 0; r < ROWS; r++) sums[r] += out[r * depth + i];
    }
  } else {
    for (size_t r = 0; r < rows; r++) {
      for (size_t i = 0; i < depth; i++) sums[r] += out[r * depth + i];
    }
  }
  for (size_t r = 0; r < rows; r++) {
    float *y = out + r * depth;
    size_t i = 0;
    for (; i + LANES <= depth; i += LANES) store(y + i, load(y + i) / sums[r]);
    for (; i < depth; i++) y[i] = y[i] / sums[r];
  }
}

void SYMBOL(float_softmax, ISA)(const struct tvmq_float_softmax_args *args) {
  for (size_t first = 0; first < args->rows; first += ROWS) softmax(args, first, args->rows - first < ROWS ? args->rows - first : ROWS);
}
