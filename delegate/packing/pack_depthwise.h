// Depthwise weights -> panels of channel blocks, plain or vertical (layout.h).
#pragma once

#include "pack_gemm.h"

// Planes of weights that a layout needs for this filter zero point: 1, or as many as w - zw needs int8 terms (vertical layouts).
size_t tvmq_depthwise_planes(const struct tvmq_layout *layout, int32_t filter_zero_point);

// Depth of a panel, as tvmq_panel_layout() takes it.
size_t tvmq_depthwise_depth(const struct tvmq_layout *layout, size_t filter_h, size_t filter_w, size_t n_planes);

// Fills one panel for `n` <= layout->nr channels; the rest is zero. Channel j's taps are channels[j]'s, row by row; `panel` is 64-byte aligned.
void tvmq_pack_depthwise(const struct tvmq_layout *layout, const struct tvmq_channel *channels, const struct tvmq_channel_params *params, size_t n,
                         size_t filter_h, size_t filter_w, size_t n_planes, void *panel);
