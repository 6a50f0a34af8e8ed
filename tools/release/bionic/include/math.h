#pragma once
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define isfinite(x) __builtin_isfinite(x)
#define isinf(x) __builtin_isinf(x)
#define isnan(x) __builtin_isnan(x)
#define signbit(x) __builtin_signbit(x)
double ceil(double), copysign(double, double), erfc(double), exp(double), fabs(double), floor(double), fma(double, double, double), fmax(double, double);
double fmin(double, double), frexp(double, int *), ldexp(double, int), log2(double), nearbyint(double), rint(double), round(double), sqrt(double), tanh(double);
float fmaf(float, float, float), ldexpf(float, int);
double expm1(double), log(double);
float expm1f(float), logf(float);
float copysignf(float, float), erfcf(float), expf(float), fabsf(float), floorf(float), fmaxf(float, float), fminf(float, float), nextafterf(float, float);
float roundf(float), sqrtf(float), tanhf(float);
double pow(double, double);
long long llrint(double);
long lrint(double), lrintf(float);
long lround(double), lroundf(float);
