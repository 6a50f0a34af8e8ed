// Algorithm Winograd (conv.h).
#pragma once

#include "cpu/ops/conv/conv.h"

extern const struct tvmq_conv_algorithm tvmq_conv_by_winograd;
