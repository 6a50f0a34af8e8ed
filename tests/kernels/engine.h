// The engine that checks kernels: it loops over the CPU tiers and the list of variants, catches faults, counts, and reports.
//
// A check draws its inputs from check_random(), names each case before it runs it and calls check_fail() at the first difference. It frees nothing and needs no
// clean-up: buffers are static or guarded (guard.h), and a failed or faulting check is left by a long jump.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/plan/select.h"
#include "support/random.h"

// Fewer cases, for emulators (--quick).
extern bool check_quick;

// Names the parameters of the case that runs next, and counts it; a failure or a fault prints them.
void check_case(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Counts more cases under the same name.
void check_more(size_t n);
// Ends the check as failed.
_Noreturn void check_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Calls a kernel. Where vector registers belong to the caller, sees that the kernel gives them back: inline assembly may forget to name one.
#if defined(__aarch64__)
#define CHECK_CALL(kernel, args) check_call((void (*)(void))(kernel), (args))
void check_call(void (*kernel)(void), const void *args);
#else
#define CHECK_CALL(kernel, args) (kernel)(args)
#endif

// Every family has checks for its variants, and a bench.
struct check_family {
  void (*check)(const struct tvmq_variant *variant);
  void (*bench)(const struct tvmq_variant *variant);
};
extern const struct check_family check_add, check_arg_max, check_byte_map, check_word_map, check_gemm, check_maximum, check_mul, check_depthwise,
    check_float_function, check_float_map, check_float_pair, check_float_pool, check_float_product, check_float_softmax, check_float_range,
    check_float_quantize, check_float_dequantize, check_interpolate, check_quantize, check_row_sums, check_softmax, check_transpose, check_pool,
    check_winograd_input, check_winograd_gemm, check_winograd_output;

// Checks that stand alone; a NULL name ends each list.
struct check {
  const char *name;
  void (*run)(void);
};
extern const struct check check_stage[], check_layout[], check_pack[], check_pack_winograd[];
