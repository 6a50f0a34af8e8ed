// Kernels of the C library's float32 functions and of GELU. The includer defines the instruction set ISA, LANES, the float32 of a
// vector, and where the processor computes exponentials in vectors, TVMQ_EXPS and what kernels/exps_vectors.h asks for.
#include <float.h>
#include <stdbool.h>
#include <string.h>

#include "base/inline.h"
#include "kernels/kernel.h"

#define PASTE(family, isa) tvmq_##family##__##isa
#define SYMBOL(family, isa) PASTE(family, isa)

// GROUP: elements that are computed together, and at most 32. BLOCK: elements before the library computes its own.
// ROWS: rows of SOFTMAX whose sums are independent work.
enum { VECTORS = 2, GROUP = VECTORS * LANES, BLOCK = 256, ROWS = 8 };

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

TVMQ_INLINE bool any(masks mask);  // returns whether a lane is set; defined by the includer

// exps() returns the open lanes of a group, those that are left to the library, each as a bit.
#ifdef TVMQ_EXPS
#include "kernels/exps_vectors.h"
#else
TVMQ_INLINE uint32_t exps(const floats arguments[VECTORS], floats results[VECTORS], uint32_t doubt) {
  (void)arguments;
  (void)doubt;
  UNROLL for (int v = 0; v < VECTORS; v++) results[v] = (floats){0};
  return UINT32_MAX >> (32 - GROUP);
}
#endif

// Bounds between which LOGISTIC is computed by its formula, and an argument whose exponential vanishes beside 1.
#define ONE_ABOVE 16.619047164916992188f
#define EXP_BELOW (-9.0f)
#define NEGLIGIBLE (-20.0f)

TVMQ_INLINE uint32_t logistic(const floats in[VECTORS], floats out[VECTORS], uint32_t doubt) {
  floats arguments[VECTORS], e[VECTORS];
  UNROLL for (int v = 0; v < VECTORS; v++) {
    const floats argument = choose((masks)(in[v] < EXP_BELOW), in[v], -in[v]);
    arguments[v] = choose((masks)(in[v] > ONE_ABOVE), (floats){0} + NEGLIGIBLE, argument);
  }
  const uint32_t open = exps(arguments, e, doubt);
  UNROLL for (int v = 0; v < VECTORS; v++) out[v] = choose((masks)(in[v] < EXP_BELOW), e[v], 1 / (1 + e[v]));
  return open;
}

// ---- what the library computes

static float library_exp(float x, tvmq_library_fn library) { return x < ZERO_BELOW ? 0 : library(x); }

static float library_logistic(float x, tvmq_library_fn library) {
  if (x > ONE_ABOVE) return 1;
  return x < EXP_BELOW ? library_exp(x, library) : 1 / (1 + library_exp(-x, library));
}

// Computes the lanes of a group that are open.
static __attribute__((noinline)) void ask(const float *in, float *out, uint32_t open, const struct tvmq_float_function_args *args,
                                          enum tvmq_float_function function) {
  for (; open != 0; open &= open - 1) {
    const int j = __builtin_ctz(open);
    if (function == TVMQ_FLOAT_EXP) out[j] = library_exp(in[j], args->library);
    if (function == TVMQ_FLOAT_LOGISTIC) out[j] = library_logistic(in[j], args->library);
    if (function == TVMQ_FLOAT_SILU) out[j] = library_logistic(in[j], args->library) * in[j];
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

// Returns the lanes that are open.
TVMQ_INLINE uint32_t compute(const floats in[VECTORS], floats out[VECTORS], enum tvmq_float_function function, const struct tvmq_float_function_args *args) {
  uint32_t open = 0;
  switch (function) {
    case TVMQ_FLOAT_EXP:
      open = exps(in, out, args->doubt);
      break;
    case TVMQ_FLOAT_LOGISTIC:
      open = logistic(in, out, args->doubt);
      break;
    case TVMQ_FLOAT_SILU:
      open = logistic(in, out, args->doubt);
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
  return open;
}

// Computes a group and keeps its inputs, since the output may be the input. Returns the lanes that are open.
TVMQ_INLINE uint32_t compute_group(const float *in, float *kept, float *out, enum tvmq_float_function function, const struct tvmq_float_function_args *args) {
  floats inputs[VECTORS], outputs[VECTORS];
  UNROLL for (int v = 0; v < VECTORS; v++) inputs[v] = load(in + v * LANES);
  UNROLL for (int v = 0; v < VECTORS; v++) store(kept + v * LANES, inputs[v]);
  const uint32_t open = compute(inputs, outputs, function, args);
  UNROLL for (int v = 0; v < VECTORS; v++) store(out + v * LANES, outputs[v]);
  return open;
}

// Computes n elements, BLOCK at most, in whole groups. The library is asked after all vectors, which then do not wait.
TVMQ_INLINE void compute_block(const float *in, float *out, size_t n, enum tvmq_float_function function, const struct tvmq_float_function_args *args) {
  float kept[BLOCK];
  uint32_t open[BLOCK / GROUP];
  size_t groups[BLOCK / GROUP], n_groups = 0;
  for (size_t i = 0; i < n; i += GROUP) {
    open[n_groups] = compute_group(in + i, kept + i, out + i, function, args);
    groups[n_groups] = i;
    n_groups += open[n_groups] != 0;  // no branch, which would be predicted wrongly
  }
  for (size_t g = 0; g < n_groups; g++) ask(kept + groups[g], out + groups[g], open[g], args, function);
}

TVMQ_INLINE void compute_all(const struct tvmq_float_function_args *args, enum tvmq_float_function function) {
  const size_t rest = args->n % GROUP, whole = args->n - rest;
  for (size_t i = 0; i < whole; i += BLOCK) compute_block(args->in + i, args->out + i, whole - i < BLOCK ? whole - i : BLOCK, function, args);
  if (rest == 0) return;
  float last[GROUP] = {0};
  memcpy(last, args->in + whole, rest * sizeof *last);
  compute_block(last, last, GROUP, function, args);
  memcpy(args->out + whole, last, rest * sizeof *last);
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
TVMQ_INLINE floats greater_ones(floats x, floats y) { return choose((masks)(x < y), y, x); }

TVMQ_INLINE float greatest_of(const float *restrict in, size_t n) {
  floats several = (floats){0} - FLT_MAX;
  float greatest = -FLT_MAX;
  if (n < LANES) {
    for (size_t i = 0; i < n; i++) greatest = greater(greatest, in[i]);
    return greatest;
  }
  for (size_t i = 0; i + LANES < n; i += LANES) several = greater_ones(several, load(in + i));
  several = greater_ones(several, load(in + n - LANES));
  for (int j = 0; j < LANES; j++) greatest = greater(greatest, several[j]);
  return greatest;
}

// out[i] = (in[i] - less) factor. The output may be the input.
TVMQ_INLINE void shift_and_scale(const float *in, float *out, size_t n, float less, float factor) {
  if (n < LANES) {
    for (size_t i = 0; i < n; i++) out[i] = (in[i] - less) * factor;
    return;
  }
  const floats last = load(in + n - LANES);  // may overlap with the vector before
  for (size_t i = 0; i + LANES < n; i += LANES) store(out + i, (load(in + i) - less) * factor);
  store(out + n - LANES, (last - less) * factor);
}

TVMQ_INLINE void divide(float *at, size_t n, float by) {
  if (n < LANES) {
    for (size_t i = 0; i < n; i++) at[i] /= by;
    return;
  }
  const floats last = load(at + n - LANES);
  for (size_t i = 0; i + LANES < n; i += LANES) store(at + i, load(at + i) / by);
  store(at + n - LANES, last / by);
}

// Computes up to ROWS rows. The output holds arguments, then exponentials.
TVMQ_INLINE void softmax(const struct tvmq_float_softmax_args *args, size_t first, size_t rows) {
  const size_t depth = args->depth, n = rows * depth;
  const float beta = args->beta, *const in = args->in + first * depth;
  float *const out = args->out + first * depth;
  for (size_t r = 0; r < rows; r++) shift_and_scale(in + r * depth, out + r * depth, depth, greatest_of(in + r * depth, depth), beta);
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
  for (size_t r = 0; r < rows; r++) divide(out + r * depth, depth, sums[r]);
}

void SYMBOL(float_softmax, ISA)(const struct tvmq_float_softmax_args *args) {
  for (size_t first = 0; first < args->rows; first += ROWS) softmax(args, first, args->rows - first < ROWS ? args->rows - first : ROWS);
}
