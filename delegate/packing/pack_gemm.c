#include "pack_gemm.h"

#include <assert.h>
#include <string.h>

// Where depth `k` of the channel at `position` lies among a tap's weights, in a layout with a rotation.
static size_t rotated_place(const struct tvmq_layout *layout, size_t padded_depths, size_t k, size_t position) {
  enum { STEP = 16, PAIR = 2 };
  const size_t first = k / STEP * STEP, rotation = layout->rotation, halves = padded_depths - first >= STEP ? 2 : 1;
  const size_t pairs = halves * rotation, turn = (pairs + (k - first) / PAIR - position % rotation) % pairs;
  const size_t half_bytes = rotation * PAIR, vector_bytes = halves * half_bytes;
  return first * layout->nr + turn % rotation * (layout->nr / rotation) * vector_bytes + position / rotation * vector_bytes + turn / rotation * half_bytes +
         position % rotation * PAIR + k % PAIR;
}

// The weights of the channel at `position` of the panel, from the panel's first weight on.
static void pack_weights(const struct tvmq_layout *layout, const struct tvmq_channel *channel, size_t padded_depths, size_t position, void *out) {
  const size_t kr = layout->kr, group = kr * layout->nr;
  const bool wide = layout->weight_bytes == 2;
  for (size_t t = 0; t < channel->n_taps; t++) {
    const uint8_t *weights = channel->weights + t * channel->tap_stride;
    size_t first = t * padded_depths * layout->nr + position * kr;
    for (size_t k = 0; k < channel->n_depths; k += kr, first += group) {
      const size_t n = channel->n_depths - k < kr ? channel->n_depths - k : kr;
      for (size_t j = 0; j < n; j++) {
        const int8_t weight = (int8_t)(weights[(k + j) * channel->depth_stride] ^ channel->flip);
        if (layout->rotation != 0) {
          ((int8_t *)out)[t * padded_depths * layout->nr + rotated_place(layout, padded_depths, k + j, position)] = weight;
        } else if (wide) {
          ((int16_t *)out)[first + j] = (int16_t)(weight - channel->zero_point);
        } else {
          ((int8_t *)out)[first + j] = weight;
        }
      }
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
    pack_weights(layout, &channels[j], padded_depths, j, bytes + parts.weights);
  }
}
