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

// `n` depths of a channel, the first of a group, `stride` apart.
static inline void pack_group(const struct tvmq_layout *layout, const struct tvmq_channel *channel, const uint8_t *weights, size_t n, size_t stride,
                              void *out) {
  for (size_t j = 0; j < n; j++) {
    const int8_t weight = (int8_t)(weights[j * stride] ^ channel->flip);
    if (layout->weight_bytes == 2)
      ((int16_t *)out)[j] = (int16_t)(weight - channel->zero_point);
    else
      ((int8_t *)out)[j] = weight;
  }
}

// `n` depths, in groups of kr; `out` is the channel's place in the first.
static inline void pack_groups(const struct tvmq_layout *layout, const struct tvmq_channel *channel, const uint8_t *weights, size_t n, size_t kr, size_t stride,
                               uint8_t *out) {
  const size_t step = kr * layout->nr * layout->weight_bytes;
  for (; n >= kr; n -= kr, weights += kr * stride, out += step) pack_group(layout, channel, weights, kr, stride, out);
  pack_group(layout, channel, weights, n, stride, out);
}

// Depths [first, end) of a tap of the channel at `position` of the panel; `tap` is where the tap's weights begin. `first` is a multiple of kr.
static void pack_depths(const struct tvmq_layout *layout, const struct tvmq_channel *channel, const uint8_t *weights, size_t first, size_t end,
                        size_t padded_depths, size_t position, uint8_t *tap) {
  const size_t kr = layout->kr, stride = channel->depth_stride, n = end - first;
  uint8_t *const out = tap + (first * layout->nr + position * kr) * layout->weight_bytes;
  weights += first * stride;
  if (layout->rotation != 0) {
    for (size_t k = 0; k < n; k++) tap[rotated_place(layout, padded_depths, first + k, position)] = weights[k * stride] ^ channel->flip;
  } else if (kr == 4 && stride == 1) {  // most weights there are: with constants, a group is a word
    pack_groups(layout, channel, weights, n, 4, 1, out);
  } else if (kr == 2 && stride == 1) {
    pack_groups(layout, channel, weights, n, 2, 1, out);
  } else {
    pack_groups(layout, channel, weights, n, kr, stride, out);
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
  // Of so many depths, a multiple of kr, all channels are packed before the next: their groups lie side by side.
  enum { BLOCK = 64 };
  assert(0 < n && n <= layout->nr && BLOCK % layout->kr == 0);
  const size_t n_taps = channels->n_taps, n_depths = channels->n_depths, padded_depths = (n_depths + layout->ku - 1) / layout->ku * layout->ku;
  struct tvmq_panel parts;
  const bool fits = tvmq_panel_layout(layout, n_taps * padded_depths, &parts);
  assert(fits);
  (void)fits;
  uint8_t *tap = memset(panel, 0, parts.size);
  for (size_t j = 0; j < n; j++) {
    assert(channels[j].n_taps == n_taps && channels[j].n_depths == n_depths);
    tvmq_pack_params(layout, &parts, j, &params[j], panel);
  }
  tap += parts.weights;
  for (size_t t = 0; t < n_taps; t++, tap += padded_depths * layout->nr * layout->weight_bytes) {
    for (size_t first = 0; first < n_depths; first += BLOCK) {
      const size_t end = n_depths - first < BLOCK ? n_depths : first + BLOCK;
      for (size_t j = 0; j < n; j++) pack_depths(layout, &channels[j], channels[j].weights + t * channels[j].tap_stride, first, end, padded_depths, j, tap);
    }
  }
}
