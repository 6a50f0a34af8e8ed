// Kernels of the C library's float32 functions. The includer defines the instruction set ISA, LANES, the float32 of a
// vector, and
//
//   exps(arguments, results, n, doubt)  e^x for n elements, a multiple of GROUP; negative where the library must be asked.
//                                       Arguments beyond MOST in size, and NaN, have any result
#include <float.h>
#include <stdbool.h>
#include <string.h>

#include "base/inline.h"
#include "kernels/kernel.h"

#define PASTE(family, isa) tvmq_##family##__##isa
#define SYMBOL(family, isa) PASTE(family, isa)

// GROUP: elements that are looked through together for those that the library must compute. ROWS: rows of SOFTMAX whose
// sums are independent work.
enum { BLOCK = 256, GROUP = 32, ROWS = 8 };

// For these arguments and those of the opposite sign, e^x is a normal number. Below ZERO_BELOW it is 0.
#define MOST 87.0f
#define ZERO_BELOW (-104.0f)

typedef float floats __attribute__((vector_size(LANES * 4)));
typedef int32_t masks __attribute__((vector_size(LANES * 4)));

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

// n inputs, arguments of the library's function, and its results. Inputs from n on, up to a multiple of GROUP, are 0.
struct block {
  _Alignas(64) float inputs[BLOCK], arguments[BLOCK], results[BLOCK];
  size_t n, padded;
};

TVMQ_INLINE void fill(struct block *block, const float *in, size_t n) {
  block->n = n < BLOCK ? n : BLOCK;
  block->padded = (block->n + GROUP - 1) / GROUP * GROUP;
  memset(block->inputs + block->padded - GROUP, 0, GROUP * sizeof *in);
  memcpy(block->inputs, in, block->n * sizeof *in);
}

static void exps(const float *arguments, float *results, size_t n, uint32_t doubt);

TVMQ_INLINE masks settled(const float *argument, const float *result) { return (masks)(load(result) >= 0) & (masks)(magnitude(load(argument)) <= MOST); }

static __attribute__((noinline)) void ask(const float *arguments, float *results, tvmq_library_fn library) {
  for (size_t i = 0; i < GROUP; i += LANES) {
    int32_t is_settled[LANES];
    const masks mask = settled(arguments + i, results + i);
    memcpy(is_settled, &mask, sizeof mask);
    for (size_t j = 0; j < LANES; j++) {
      const float x = arguments[i + j];
      if (is_settled[j] == 0) results[i + j] = x < ZERO_BELOW ? 0 : library(x);
    }
  }
}

TVMQ_INLINE void compute_exps(struct block *block, const float *arguments, tvmq_library_fn library, uint32_t doubt) {
  exps(arguments, block->results, block->padded, doubt);
  for (size_t at = 0; at < block->padded; at += GROUP) {
    masks open = {0};
    UNROLL for (size_t i = 0; i < GROUP; i += LANES) open |= ~settled(arguments + at + i, block->results + at + i);
    if (__builtin_expect(any(open), 0)) ask(arguments + at, block->results + at, library);
  }
}

// Bounds between which LOGISTIC is computed by its formula.
#define ONE_ABOVE 16.619047164916992188f
#define EXP_BELOW (-9.0f)

TVMQ_INLINE void logistic(const struct tvmq_float_function_args *args, struct block *block) {
  for (size_t i = 0; i < block->padded; i += LANES) {
    const floats x = load(block->inputs + i);
    const floats argument = choose((masks)(x < EXP_BELOW), x, -x);
    store(block->arguments + i, choose((masks)(x > ONE_ABOVE), (floats){0}, argument));
  }
  compute_exps(block, block->arguments, args->library, args->doubt);
  for (size_t i = 0; i < block->padded; i += LANES) {
    const floats x = load(block->inputs + i), e = load(block->results + i), between = 1 / (1 + e);
    const floats result = choose((masks)(x < EXP_BELOW), e, between);
    store(block->results + i, choose((masks)(x > ONE_ABOVE), (floats){0} + 1, result));
  }
}

#ifdef TVMQ_FDLIBM
#include "kernels/tanh_vectors.h"

TVMQ_INLINE void hyperbolic_tangent(const struct tvmq_float_function_args *args, struct block *block) {
  (void)args;
  for (size_t i = 0; i < block->padded; i += LANES) store(block->results + i, fdlibm_tanh(load(block->inputs + i)));
}
#else
TVMQ_INLINE void hyperbolic_tangent(const struct tvmq_float_function_args *args, struct block *block) {
  for (size_t i = 0; i < block->n; i++) block->results[i] = args->library(block->inputs[i]);
}
#endif

void SYMBOL(float_function, ISA)(const struct tvmq_float_function_args *args) {
  struct block block;
  for (size_t at = 0; at < args->n; at += BLOCK) {
    fill(&block, args->in + at, args->n - at);
    switch (args->function) {
      case TVMQ_FLOAT_EXP:
        compute_exps(&block, block.inputs, args->library, args->doubt);
        break;
      case TVMQ_FLOAT_LOGISTIC:
        logistic(args, &block);
        break;
      case TVMQ_FLOAT_TANH:
        hyperbolic_tangent(args, &block);
        break;
      case TVMQ_N_FLOAT_FUNCTIONS:
        break;
    }
    memcpy(args->out + at, block.results, block.n * sizeof *args->out);
  }
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
TVMQ_INLINE void softmax(const struct tvmq_float_softmax_args *args, size_t first, size_t rows, struct block *block) {
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
  for (size_t at = 0; at < n; at += BLOCK) {
    fill(block, out + at, n - at);
    compute_exps(block, block->inputs, args->exp, args->doubt);
    memcpy(out + at, block->results, block->n * sizeof *out);
  }
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
  struct block block;
  for (size_t first = 0; first < args->rows; first += ROWS) softmax(args, first, args->rows - first < ROWS ? args->rows - first : ROWS, &block);
}
