// Sum of an output channel's weights as the runtime's hybrid kernels compute it; some of them wrap.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "operators/desc.h"

int32_t tvmq_hybrid_weight_sum(const struct tvmq_conv_desc *desc, size_t channel);
