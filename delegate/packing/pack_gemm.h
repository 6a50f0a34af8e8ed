// Packs weights and per-channel parameters into panels (layout.h).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arithmetic/stage.h"
#include "packing/fold.h"
#include "packing/layout.h"

// Copies `n` depths, a multiple of kr, of four channels to their places in a panel without a rotation. `out` is the
// first channel's place for the first depth. The depths of each channel are contiguous at `from`, in the format of the
// panel except for `flip`, applied to every byte. A group of kr has 1, 2, 4, 8 or 16 bytes.
enum { TVMQ_PACKED_CHANNELS = 4 };
void tvmq_pack_words(const struct tvmq_layout *layout, const uint8_t *const from[TVMQ_PACKED_CHANNELS], const uint8_t flip[TVMQ_PACKED_CHANNELS], size_t n,
                     uint8_t *out);

// Writes the parameters of the channel at `position` of a panel.
void tvmq_pack_params(const struct tvmq_layout *layout, const struct tvmq_panel *parts, size_t position, const struct tvmq_channel_params *params, void *panel);

// Fills one panel for `n` <= layout->nr channels; the rest of the panel is zero. channels[j] has the weights of channel
// j. The depth of each tap is padded to a multiple of ku. With im2col (one tap), the caller describes all taps as
// depths. `panel` is 64-byte aligned and has the size that tvmq_panel_layout() computes.
void tvmq_pack_panel(const struct tvmq_layout *layout, const struct tvmq_channel *channels, const struct tvmq_channel_params *params, size_t n, void *panel);
