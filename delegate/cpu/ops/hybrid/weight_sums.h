// Sums of the weights of an output channel as the runtime's hybrid kernels compute them, which is not always their sum.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "operators/desc.h"

int32_t tvmq_hybrid_weight_sum(const struct tvmq_conv_desc *desc, size_t channel);
