// Packs depthwise weights into panels of channel blocks, plain or vertical (layout.h).
#pragma once

#include "packing/pack_gemm.h"

// Returns the number of planes for weights minus their zero point. It is 1, or in a vertical layout the number of int8
// terms that w - zw needs: at most 3. The second term is the same for every weight. Returns 0 for a plain layout of
// int8 weights if w - zw does not fit int8. Weights are then packed unchanged, and the kernel subtracts the zero point.
// All `n` channels have the same zero point.
size_t tvmq_depthwise_planes_of(const struct tvmq_layout *layout, const struct tvmq_channel *channels, size_t n);

// Fills one panel for `n` <= layout->nr channels with the same zero point; the rest of the panel is zero. channels[j]
// has the taps of channel j, row by row. `panel` is 64-byte aligned. Returns the size of the panel in bytes.
size_t tvmq_pack_depthwise(const struct tvmq_layout *layout, const struct tvmq_channel *channels, const struct tvmq_channel_params *params, size_t n,
                           size_t filter_h, size_t filter_w, size_t n_planes, void *panel);
