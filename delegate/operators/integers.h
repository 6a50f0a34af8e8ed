// ADD, SUB and MUL of int32 and int64, which graphs use to compute shapes. Results wrap, as in the reference.
#pragma once

#include "operators/desc.h"

void tvmq_integers(const struct tvmq_binary_desc *desc, const void *const in[2], void *out);
