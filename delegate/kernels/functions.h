// Functions of float32 whose results are those of the C library's functions, bit for bit.
//
// A kernel calls the library, or computes in float64 what the library's result is the rounding of. The latter is exact if
// the library's error is below half a unit in the last place and a share `doubt` of one: an element whose value lies within
// `doubt` of the middle between two float32 is left to the library (docs/exactness.md, section 18).
#pragma once

#include <stddef.h>
#include <stdint.h>

// The functions, each with the function of the C library that it calls.
#define TVMQ_FLOAT_FUNCTIONS(FUNCTION) \
  FUNCTION(EXP, expf)                  \
  FUNCTION(LOGISTIC, expf)             \
  FUNCTION(SILU, expf)                 \
  FUNCTION(TANH, tanhf)

enum tvmq_float_function {
#define FUNCTION(NAME, library) TVMQ_FLOAT_##NAME,
  TVMQ_FLOAT_FUNCTIONS(FUNCTION)
#undef FUNCTION
      TVMQ_N_FLOAT_FUNCTIONS
};

typedef float (*tvmq_library_fn)(float);

// Units in the last place of float32, in units of 2^-29: half the width of the interval that is left to the library.
enum { TVMQ_FLOAT_DOUBT = 1700000 };

// ---- float_function: out[i] = f(in[i]); NaN stays NaN
//
// LOGISTIC is 1 above 16.619047, e^x below -9 and 1 / (1 + e^-x) between, each operation rounded. SILU is x LOGISTIC(x).
struct tvmq_float_function_args {
  const float *in;
  float *out;
  size_t n;
  enum tvmq_float_function function;
  tvmq_library_fn library;
  uint32_t doubt;
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
  uint32_t doubt;
};
typedef void (*tvmq_float_softmax_fn)(const struct tvmq_float_softmax_args *args);
