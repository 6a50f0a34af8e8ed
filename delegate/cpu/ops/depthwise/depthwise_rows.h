// Any number of output rows and channels from depthwise kernels, which compute whole tiles of whole blocks.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernels/kernel.h"

// Computes `n` output rows of the blocks of `args`, whose n_rows is not looked at; pixels, n_rows and out are others after. The table has mr rows of outputs
// at least. `channels` <= nr are a block's, of `bytes` bytes each. `tile` has room for one tile of the kernel: n_cols * mr pixels of nr channels.
void tvmq_depthwise_rows(const struct tvmq_variant *variant, struct tvmq_depthwise_args *args, size_t n, size_t channels, size_t bytes, uint8_t *tile);
