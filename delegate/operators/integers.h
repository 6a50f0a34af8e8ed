// ADD, SUB and MUL of int32 and int64, as graphs compute shapes with them. Like the reference, they wrap.
#pragma once

#include "operators/desc.h"

void tvmq_integers(const struct tvmq_binary_desc *desc, const void *const in[2], void *out);
