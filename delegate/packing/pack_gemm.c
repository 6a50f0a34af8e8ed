#include "pack_gemm.h"

#include <assert.h>
#include <string.h>

// One channel's weights, from its place in the first group on. `group` is the distance between groups in elements.
static void pack_s8(const struct tvmq_layout *layout, const struct tvmq_channel *channel, size_t padded_depths, int8_t *out) {
  const size_t kr = layout->kr, group = kr * layout->nr;
  for (size_t t = 0; t < channel->n_taps; t++) {
    const uint8_t *weights = channel->weights + t * channel->tap_stride;
    int8_t *o = out + t * padded_depths * layout->nr;
    for (size_t k = 0; k < channel->n_depths; k += kr, o += group) {
      const size_t n = channel->n_depths - k < kr ? channel->n_depths - k : kr;
      for (size_t j = 0; j < n; j++) o[j] = (int8_t)(weights[(k + j) * channel->depth_stride] ^ channel->flip);
    }
  }
}

static void pack_s16(const struct tvmq_layout *layout, const struct tvmq_channel *channel, size_t padded_depths, int16_t *out) {
  const size_t kr = layout->kr, group = kr * layout->nr;
  for (size_t t = 0; t < channel->n_taps; t++) {
    const uint8_t *weights = channel->weights + t * channel->tap_stride;
    int16_t *o = out + t * padded_depths * layout->nr;
    for (size_t k = 0; k < channel->n_depths; k += kr, o += group) {
      const size_t n = channel->n_depths - k < kr ? channel->n_depths - k : kr;
      for (size_t j = 0; j < n; j++) o[j] = (int16_t)((int8_t)(weights[(k + j) * channel->depth_stride] ^ channel->flip) - channel->zero_point);
    }
  }
}

void tvmq_pack_params(const struct tvmq_layout *layout, const struct tvmq_panel *parts, size_t position, const struct tvmq_channel_params *params,
                      void *panel) {
  uint8_t *bytes = panel;
  if (layout->acc_bytes == 8) {
    ((int64_t *)bytes)[position] = params->bias;
  } else {
    ((uint32_t *)bytes)[position] = (uint32_t)params->bias;
  }
  ((int32_t *)(bytes + parts->multiplier))[position] = params->multiplier;
  ((int32_t *)(bytes + parts->shift))[position] = params->shift;
}

void tvmq_pack_panel(const struct tvmq_layout *layout, const struct tvmq_channel *channels, const struct tvmq_channel_params *params, size_t n, void *panel) {
  assert(0 < n && n <= layout->nr);
  const size_t padded_depths = (channels->n_depths + layout->ku - 1) / layout->ku * layout->ku;
  struct tvmq_panel parts;
  const bool fits = tvmq_panel_layout(layout, channels->n_taps * padded_depths, &parts);
  assert(fits);
  (void)fits;
  uint8_t *bytes = memset(panel, 0, parts.size);
  for (size_t j = 0; j < n; j++) {
    assert(channels[j].n_taps == channels->n_taps && channels[j].n_depths == channels->n_depths);
    tvmq_pack_params(layout, &parts, j, &params[j], panel);
    if (layout->weight_bytes == 1) {
      pack_s8(layout, &channels[j], padded_depths, (int8_t *)(bytes + parts.weights) + j * layout->kr);
    } else {
      pack_s16(layout, &channels[j], padded_depths, (int16_t *)(bytes + parts.weights) + j * layout->kr);
    }
  }
}
