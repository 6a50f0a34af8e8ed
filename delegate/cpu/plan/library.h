// Float32 functions of the math library that the process has, which the runtime calls too, and the kernels that agree with
// it.
#pragma once

#include "cpu/plan/select.h"

// Returns the library's function that a function is computed with, or NULL.
tvmq_library_fn tvmq_library_function(enum tvmq_float_function function);

// Returns whether a kernel of the family float_function gives the library's results: it is asked, once for each process,
// with elements at which libraries differ. The portable kernel, which calls the library, always does.
bool tvmq_agrees(const struct tvmq_variant *variant, enum tvmq_float_function function);

// Selects the best variant for a function among those that agree with the library.
const struct tvmq_variant *tvmq_select_function(enum tvmq_float_function function, const struct tvmq_target *target);

// Selects the best variant of SOFTMAX among those whose exponentials agree with the library's.
const struct tvmq_variant *tvmq_select_float_softmax(const struct tvmq_target *target);
