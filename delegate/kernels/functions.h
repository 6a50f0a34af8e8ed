// Functions of float32 that the runtime computes with the C library or with Eigen, bit for bit.
//
// A kernel calls the library or replaces it (docs/exactness.md, section 18). TANH on x86 repeats the operations of fdlibm.
// Exponentials are computed in float64 and rounded, except within `doubt` of the middle between two float32, where the
// library is called. Both need a library that agrees (cpu/plan/library.h).
#pragma once

#include <stddef.h>
#include <stdint.h>

// The functions, each with the function of the C library that it calls; NULL: none.
#define TVMQ_FLOAT_FUNCTIONS(FUNCTION) \
  FUNCTION(EXP, expf)                  \
  FUNCTION(LOGISTIC, expf)             \
  FUNCTION(SILU, expf)                 \
  FUNCTION(TANH, tanhf)                \
  FUNCTION(GELU_LIBRARY, erfcf)        \
  FUNCTION(GELU_EIGEN, expf)           \
  FUNCTION(GELU_TANH_13_6, NULL)       \
  FUNCTION(GELU_TANH_9_8, NULL)        \
  FUNCTION(LOG, logf)                  \
  FUNCTION(ELU, expm1f)

enum tvmq_float_function {
#define FUNCTION(NAME, library) TVMQ_FLOAT_##NAME,
  TVMQ_FLOAT_FUNCTIONS(FUNCTION)
#undef FUNCTION
      TVMQ_N_FLOAT_FUNCTIONS
};

typedef float (*tvmq_library_fn)(float);

// Half the width of the interval that is left to the library, in 2^-29 units in the last place of float32: a power of 2,
// so that the bits of a float64 tell whether it lies there.
enum { TVMQ_FLOAT_DOUBT = 1 << 21 };

// ---- float_function: out[i] = f(in[i]); NaN stays NaN
//
// LOGISTIC is 1 above 16.619047, e^x below -9 and 1 / (1 + e^-x) between, each operation rounded. SILU is x LOGISTIC(x). ELU is
// e^x - 1 below 0 and x otherwise.
// GELU_LIBRARY is x/2 erfc(-x / sqrt 2). The other forms of GELU are Eigen's (kernels/gelu_vectors.h); 13_6 and 9_8 are the
// degrees of the approximation of tanh.
struct tvmq_float_function_args {
  const float *in;
  float *out;
  size_t n;
  size_t tail;  // GELU_EIGEN: the last elements, whose exponentials are the library's
  enum tvmq_float_function function;
  tvmq_library_fn library;
  uint32_t doubt;  // a power of 2
};
typedef void (*tvmq_float_function_fn)(const struct tvmq_float_function_args *args);

// ---- float_softmax: out[i] = e[i] / sum of e, e[i] = exp((in[i] - greatest) beta), for each of `rows` rows
//
// Sums are in the elements' order. The greatest element ignores NaN and is the lowest finite number at least.
struct tvmq_float_softmax_args {
  const float *in;
  float *out;
  size_t rows, depth;
  float beta;
  tvmq_library_fn exp;
  uint32_t doubt;  // likewise
};
typedef void (*tvmq_float_softmax_fn)(const struct tvmq_float_softmax_args *args);
