// Depthwise weights -> panels of channel blocks, plain or vertical (layout.h).
#pragma once

#include "packing/pack_gemm.h"

// Planes of weights less their zero point: 1, or as many int8 terms as w - zw needs in a vertical layout, at most 3, the second of which is the same for every
// weight. 0 for a plain layout of int8 weights that w - zw exceeds: weights are packed as they are, and the kernel subtracts the zero point. The weights are
// those of `n` channels, which have one zero point.
size_t tvmq_depthwise_planes_of(const struct tvmq_layout *layout, const struct tvmq_channel *channels, size_t n);

// Fills one panel for `n` <= layout->nr channels, which have one zero point; the rest is zero. Channel j's taps are channels[j]'s, row by row; `panel` is
// 64-byte aligned. Returns its bytes.
size_t tvmq_pack_depthwise(const struct tvmq_layout *layout, const struct tvmq_channel *channels, const struct tvmq_channel_params *params, size_t n,
                           size_t filter_h, size_t filter_w, size_t n_planes, void *panel);
