// Packs filters of more than one tap into panels of transformed int16 weights (kernels/winograd.h), and proves that
// results are exact.
//
// A filter is split into pieces of 3 taps along each axis; the last piece is filled with zeros. Each piece is
// transformed, and the products of all pieces add up at the points. So a panel has all depths of the first piece, then
// all depths of the next piece, and so on. An axis with a single tap is not transformed.
//
// A panel is a gemm panel (layout.h) with points in place of taps: 6 x 6, row by row, or 6. The zero point is
// subtracted from the weights.
#pragma once

#include "base/arith.h"
#include "packing/pack_gemm.h"

static inline size_t tvmq_winograd_pieces(size_t taps) { return tvmq_ceil_div(taps, TVMQ_WINOGRAD_PIECE); }
static inline size_t tvmq_winograd_weight_points(size_t taps) { return taps == 1 ? 1 : TVMQ_WINOGRAD_POINTS; }

// Returns whether the channel's sums are exact for every int8 input. Sums are computed in int32, multiplied by 8 for
// each transformed axis, so a sum must lie in [-2^31, 2^31) / 64 (or / 8). This holds for every input if and only if it
// holds for the greatest and the least sum. The bias and the input's zero point are added afterwards and do not matter.
// Padding counts as input.
bool tvmq_winograd_exact(const struct tvmq_channel *channel, size_t taps_h, size_t taps_w);

// Fills one panel for `n` <= layout->nr channels of taps_h * taps_w taps each; the rest of the panel is zero. `panel`
// is 64-byte aligned. Its size is that of tvmq_panel_layout() for a depth of points * D, where D is pieces * depths,
// padded to a multiple of ku.
void tvmq_pack_winograd(const struct tvmq_layout *layout, const struct tvmq_channel *channels, const struct tvmq_channel_params *params, size_t n,
                        size_t taps_h, size_t taps_w, void *panel);
