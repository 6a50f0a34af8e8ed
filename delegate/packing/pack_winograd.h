// Filters of more than one tap -> panels of transformed int16 weights (kernels/winograd.h), with the proof that the results are exact.
//
// A filter is taken apart into pieces of 3 taps a direction, the last one filled up with zeros. Each is transformed, and their products add up at the points:
// the depths of a panel are all depths of one piece after the other. A direction of a single tap is left alone.
//
// A panel is a gemm panel (layout.h) with points for taps: 6 x 6, row by row, or 6. The weights have their zero point subtracted.
#pragma once

#include "base/arith.h"
#include "packing/pack_gemm.h"

static inline size_t tvmq_winograd_pieces(size_t taps) { return tvmq_ceil_div(taps, TVMQ_WINOGRAD_PIECE); }
static inline size_t tvmq_winograd_weight_points(size_t taps) { return taps == 1 ? 1 : TVMQ_WINOGRAD_POINTS; }

// Whether sums of the channel come out exactly whatever the int8 input. Outputs pass through int32 times a power of two, 8 for each direction with taps, so
// that a sum must lie in [-2^31, 2^31) / 64 (or 8): that holds for any input exactly if it does for the greatest and the least sum. The bias and the input's
// zero point are added afterwards and have no part in it; padding is an input like any other.
bool tvmq_winograd_exact(const struct tvmq_channel *channel, size_t taps_h, size_t taps_w);

// Fills one panel for `n` <= layout->nr channels of taps_h * taps_w taps each; the rest of the panel is zero. `panel` is 64-byte aligned and has the bytes of
// tvmq_panel_layout() for as many depths as points times pieces times depths, the depths of all pieces together padded to a multiple of ku.
void tvmq_pack_winograd(const struct tvmq_layout *layout, const struct tvmq_channel *channels, const struct tvmq_channel_params *params, size_t n,
                        size_t taps_h, size_t taps_w, void *panel);
