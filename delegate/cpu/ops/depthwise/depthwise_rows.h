// Depthwise convolution of any number of rows and channels by kernels that compute whole tiles of whole blocks.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/kernel.h"

// Computes `n` output rows of the blocks of `args`. Ignores n_rows; changes pixels, n_rows and out. The pointer table
// covers at least mr output rows. channels: channels of a block, at most nr. bytes: bytes of an output element. tile:
// room for one tile of the kernel, n_cols * mr pixels of nr channels.
void tvmq_depthwise_rows(const struct tvmq_variant *variant, struct tvmq_depthwise_args *args, size_t n, size_t channels, size_t bytes, uint8_t *tile);
