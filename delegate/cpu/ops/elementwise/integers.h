// Operations on tensors of int32 and int64.
#pragma once

#include "operators/desc.h"

void tvmq_integers(const struct tvmq_binary_desc *desc, const void *const in[2], void *out);
