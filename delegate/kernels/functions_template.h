// Kernels of the C library's float32 functions. The includer defines the instruction set ISA and
//
//   exps(arguments, results, doubt)  results of exp for BLOCK elements, negative or NaN where the library must be asked
//
// for arguments from LEAST to MOST, or NaN.
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/inline.h"
#include "kernels/kernel.h"

#define PASTE(family, isa) tvmq_##family##__##isa
#define SYMBOL(family, isa) PASTE(family, isa)

// GROUP: elements that are looked through together for those that the library must compute. ROWS: rows of SOFTMAX whose
// sums are independent work.
enum { BLOCK = 256, GROUP = 32, ROWS = 8, LANES = 16 };

// Beyond these e^x is 0 or infinite. Below NORMAL it may be a subnormal number, which has fewer bits.
#define LEAST (-104.0f)
#define NORMAL (-87.3f)
#define MOST 89.0f

// Arguments of the library's function and its results. Elements from n on, up to a multiple of GROUP, are 0.
struct block {
  _Alignas(64) float arguments[BLOCK], results[BLOCK];
  size_t n;
};

static void exps(const float *arguments, float *results, size_t n, uint32_t doubt);

static __attribute__((noinline)) void ask(const float *arguments, float *results, tvmq_library_fn library) {
  for (size_t i = 0; i < GROUP; i++) {
    if (!(results[i] >= 0)) results[i] = library(arguments[i]);
  }
}

// Computes e^x for a block.
TVMQ_INLINE void compute_exps(struct block *block, tvmq_library_fn library, uint32_t doubt) {
  _Alignas(64) float cut[BLOCK];
  const size_t n = (block->n + GROUP - 1) / GROUP * GROUP;
  for (size_t i = block->n; i < n; i++) block->arguments[i] = 0;
  for (size_t i = 0; i < n; i++) {
    const float x = block->arguments[i];
    cut[i] = x < LEAST ? LEAST : x > MOST ? MOST : x < NORMAL ? NAN : x;
  }
  exps(cut, block->results, n, doubt);
  for (size_t at = 0; at < n; at += GROUP) {
    int any = 0;
    for (size_t i = at; i < at + GROUP; i++) any |= !(block->results[i] >= 0);
    if (__builtin_expect(any, 0)) ask(block->arguments + at, block->results + at, library);
  }
}

// Bounds between which LOGISTIC is computed by its formula.
#define ONE_ABOVE 16.619047164916992188f
#define EXP_BELOW (-9.0f)

TVMQ_INLINE void logistic(const struct tvmq_float_function_args *args, const float *restrict in, float *restrict out, struct block *block) {
  for (size_t i = 0; i < block->n; i++) block->arguments[i] = in[i] < EXP_BELOW ? in[i] : -in[i];
  compute_exps(block, args->library, args->doubt);
  for (size_t i = 0; i < block->n; i++) {
    const float e = block->results[i], between = 1 / (1 + e);
    out[i] = in[i] > ONE_ABOVE ? 1 : in[i] < EXP_BELOW ? e : between;
  }
}

TVMQ_INLINE void exponential(const struct tvmq_float_function_args *args, const float *in, float *out, struct block *block) {
  memcpy(block->arguments, in, block->n * sizeof *in);
  compute_exps(block, args->library, args->doubt);
  memcpy(out, block->results, block->n * sizeof *out);
}

void SYMBOL(float_function, ISA)(const struct tvmq_float_function_args *args) {
  struct block block;
  for (size_t at = 0; at < args->n; at += BLOCK) {
    block.n = args->n - at < BLOCK ? args->n - at : BLOCK;
    switch (args->function) {
      case TVMQ_FLOAT_EXP:
        exponential(args, args->in + at, args->out + at, &block);
        break;
      case TVMQ_FLOAT_LOGISTIC:
        logistic(args, args->in + at, args->out + at, &block);
        break;
      default:
        for (size_t i = at; i < at + block.n; i++) args->out[i] = args->library(args->in[i]);
    }
  }
}

TVMQ_INLINE float greater(float x, float y) { return x < y ? y : x; }

TVMQ_INLINE float greatest_of(const float *restrict in, size_t n) {
  float lanes[LANES], greatest = -FLT_MAX;
  for (size_t j = 0; j < LANES; j++) lanes[j] = -FLT_MAX;
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    for (size_t j = 0; j < LANES; j++) lanes[j] = greater(lanes[j], in[i + j]);
  }
  for (; i < n; i++) greatest = greater(greatest, in[i]);
  for (size_t j = 0; j < LANES; j++) greatest = greater(greatest, lanes[j]);
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
    for (size_t i = 0; i < depth; i++) y[i] = (x[i] - greatest) * beta;
  }
  for (size_t at = 0; at < n; at += BLOCK) {
    block->n = n - at < BLOCK ? n - at : BLOCK;
    memcpy(block->arguments, out + at, block->n * sizeof *out);
    compute_exps(block, args->exp, args->doubt);
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
    for (size_t i = 0; i < depth; i++) out[r * depth + i] = out[r * depth + i] / sums[r];
  }
}

void SYMBOL(float_softmax, ISA)(const struct tvmq_float_softmax_args *args) {
  struct block block;
  for (size_t first = 0; first < args->rows; first += ROWS) softmax(args, first, args->rows - first < ROWS ? args->rows - first : ROWS, &block);
}
