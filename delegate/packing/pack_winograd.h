// 3x3, 1x3 and 3x1 weights -> panels of transformed int16 weights (kernels/winograd.h), with the proof that the results are exact.
//
// A panel is a gemm panel (layout.h) with points for taps: 6 x 6, row by row, or 6. The weights have their zero point subtracted.
#pragma once

#include "pack_gemm.h"

// Points of 9 or 3 taps.
static inline size_t tvmq_winograd_weight_points(size_t n_taps) { return n_taps == 9 ? 36 : 6; }

// Whether sums of the channel come out exactly whatever the int8 input. Outputs pass through int32 times a power of two, 8 for each direction of three taps, so
// a sum must lie in [-2^31, 2^31) / 64 (or 8): that holds for any input exactly if it does for the greatest and the least sum. The bias and the input's zero
// point are added afterwards and have no part in it; padding is an input like any other.
bool tvmq_winograd_exact(const struct tvmq_channel *channel);

// Fills one panel for `n` <= layout->nr channels of 9 taps, or of 3, each; the rest of the panel is zero. `panel` is 64-byte aligned and has the bytes of
// tvmq_panel_layout() for as many depths as points times depths, these padded to a multiple of ku.
void tvmq_pack_winograd(const struct tvmq_layout *layout, const struct tvmq_channel *channels, const struct tvmq_channel_params *params, size_t n, void *panel);
