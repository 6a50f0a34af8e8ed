// Names of the code and tables that plans point to, for the linker of a compiled network.
#pragma once

#include <stdint.h>

#include "kernels/variants.h"

struct tvmq_symbol {
  uintptr_t address;
  const char *name;
  const char *refusal;  // why networks that need it cannot be compiled; NULL: they can
};

extern const struct tvmq_symbol tvmq_symbols[];
extern const size_t tvmq_n_symbols;

const struct tvmq_symbol *tvmq_symbol_at(uintptr_t address);  // returns NULL if the address is not that of a symbol

// Returns the kernel's row in whose `fn` the address lies, or NULL.
const struct tvmq_variant *tvmq_variant_with_fn(uintptr_t address);
