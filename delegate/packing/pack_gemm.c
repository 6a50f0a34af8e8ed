#include "packing/pack_gemm.h"

#include <assert.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// Returns the place of depth `k` of the channel at `position` among a tap's weights, in a layout with a rotation.
static size_t rotated_place(const struct tvmq_layout *layout, size_t padded_depths, size_t k, size_t position) {
  enum { STEP = 16, PAIR = 2, ROTATION = 4, HALF = ROTATION * PAIR };
  assert(layout->rotation == ROTATION);
  size_t first = k / STEP * STEP, pairs = STEP / PAIR;
  if (padded_depths - first < STEP) {
    // The remaining depths are a step of eight, a step of four, or both.
    pairs = padded_depths - first >= HALF && k - first < HALF ? HALF / PAIR : HALF / PAIR / 2;
    if (pairs < HALF / PAIR) first = padded_depths - 2 * pairs;
  }
  const size_t rotated = (pairs + (k - first) / PAIR - position % ROTATION) & (pairs - 1);  // `pairs` is a power of two
  const size_t vector_bytes = pairs > ROTATION ? 2 * HALF : HALF;
  return first * layout->nr + (rotated % ROTATION * (layout->nr / ROTATION) + position / ROTATION) * vector_bytes + rotated / ROTATION * HALF +
         position % ROTATION * PAIR + k % PAIR;
}

// Packs the first `n` depths of one group of a channel. In the filter, depths are `stride` apart.
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

// Packs `n` depths of a channel in groups of kr. `out` is the channel's place in the first group.
static void pack_groups(const struct tvmq_layout *layout, const struct tvmq_channel *channel, const uint8_t *weights, size_t n, uint8_t *out) {
  const size_t kr = layout->kr, stride = channel->depth_stride, step = kr * layout->nr * layout->weight_bytes;
  for (; n >= kr; n -= kr, weights += kr * stride, out += step) pack_group(layout, channel, weights, kr, stride, out);
  pack_group(layout, channel, weights, n, stride, out);
}

// Depths of a block, a multiple of kr. A block is packed for all channels before the next block, because their groups
// are adjacent in the panel. Channels mostly lie on different memory pages, so smaller blocks would cause more page
// look-ups (TLB misses).
enum { BLOCK = 128 };

// Number of channels packed together as words. Whole groups are copied as words if their depths are contiguous in the
// filter, as most are.
enum { CHANNELS = TVMQ_PACKED_CHANNELS };

static size_t group_bytes(const struct tvmq_layout *layout) { return (size_t)layout->kr * layout->weight_bytes; }

typedef uint8_t sixteen_bytes __attribute__((vector_size(16)));

static bool has_words(const struct tvmq_layout *layout, const struct tvmq_channel *channels) {
  const size_t bytes = group_bytes(layout);
  return channels->depth_stride == 1 && layout->rotation == 0 && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == sizeof(sixteen_bytes));
}

// Copies `n` words of each channel and flips their bytes. The first words go to `out`; each next word goes `step` bytes
// further.
#define COPY_WORDS(bits, word)                                                                                                            \
  static void copy_words_##bits(const uint8_t *const from[CHANNELS], const uint8_t flip[CHANNELS], size_t n, size_t step, uint8_t *out) { \
    const uint8_t *const in[CHANNELS] = {from[0], from[1], from[2], from[3]};                                                             \
    word flips[CHANNELS];                                                                                                                 \
    for (size_t j = 0; j < CHANNELS; j++) memset(&flips[j], flip[j], sizeof flips[j]);                                                    \
    for (size_t i = 0; i < n * sizeof flips[0]; i += sizeof flips[0], out += step) {                                                      \
      word words[CHANNELS];                                                                                                               \
      for (size_t j = 0; j < CHANNELS; j++) {                                                                                             \
        memcpy(&words[j], in[j] + i, sizeof words[j]);                                                                                    \
        words[j] ^= flips[j];                                                                                                             \
      }                                                                                                                                   \
      memcpy(out, words, sizeof words);                                                                                                   \
    }                                                                                                                                     \
  }
COPY_WORDS(8, uint8_t)
COPY_WORDS(16, uint16_t)
COPY_WORDS(32, uint32_t)
COPY_WORDS(64, uint64_t)
COPY_WORDS(128, sixteen_bytes)

// Copies 4-byte words, the usual size, in squares of four. Flips and pointers are copied to local variables, because
// compilers would otherwise assume that writes change them, and reload them.
static void copy_squares_32(const uint8_t *const from[CHANNELS], const uint8_t flip[CHANNELS], size_t n, size_t step, uint8_t *out) {
  size_t first = 0;
#if defined(__SSE2__)
  enum { WORDS = 4, BYTES = 4 * WORDS };
  const uint8_t *const places[CHANNELS] = {from[0], from[1], from[2], from[3]};
  const __m128i flips[CHANNELS] = {_mm_set1_epi8((char)flip[0]), _mm_set1_epi8((char)flip[1]), _mm_set1_epi8((char)flip[2]), _mm_set1_epi8((char)flip[3])};
  for (; n - first >= WORDS; first += WORDS) {
    __m128i in[CHANNELS];
    for (size_t j = 0; j < CHANNELS; j++) in[j] = _mm_xor_si128(_mm_loadu_si128((const __m128i *)(places[j] + first / WORDS * BYTES)), flips[j]);
    const __m128i a = _mm_unpacklo_epi32(in[0], in[1]), b = _mm_unpacklo_epi32(in[2], in[3]), c = _mm_unpackhi_epi32(in[0], in[1]),
                  d = _mm_unpackhi_epi32(in[2], in[3]);
    const __m128i rows[WORDS] = {_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b), _mm_unpacklo_epi64(c, d), _mm_unpackhi_epi64(c, d)};
    for (size_t i = 0; i < WORDS; i++) _mm_storeu_si128((__m128i *)(out + (first + i) * step), rows[i]);
  }
#endif
  const uint8_t *const rest[CHANNELS] = {from[0] + 4 * first, from[1] + 4 * first, from[2] + 4 * first, from[3] + 4 * first};
  copy_words_32(rest, flip, n - first, step, out + first * step);
}

void tvmq_pack_words(const struct tvmq_layout *layout, const uint8_t *const from[CHANNELS], const uint8_t flip[CHANNELS], size_t n, uint8_t *out) {
  const size_t words = n / layout->kr, size = group_bytes(layout), step = size * layout->nr;
  if (size == 1)
    copy_words_8(from, flip, words, step, out);
  else if (size == 2)
    copy_words_16(from, flip, words, step, out);
  else if (size == 4)
    copy_squares_32(from, flip, words, step, out);
  else if (size == 8)
    copy_words_64(from, flip, words, step, out);
  else
    copy_words_128(from, flip, words, step, out);
}

// Packs `n` depths, at most BLOCK, of each of the CHANNELS channels. The first depth lies at `offset` in each channel's
// weights.
static void pack_filter_words(const struct tvmq_layout *layout, const struct tvmq_channel *channels, size_t offset, size_t n, uint8_t *out) {
  const uint8_t *from[CHANNELS];
  uint8_t flip[CHANNELS] = {0};
  int16_t wide[CHANNELS][BLOCK];
  for (size_t j = 0; j < CHANNELS; j++) {
    const uint8_t *weights = channels[j].weights + offset;
    if (layout->weight_bytes == 1) {
      from[j] = weights;
      flip[j] = channels[j].flip;
    } else {
      const uint8_t bits = channels[j].flip;
      const int32_t zero_point = channels[j].zero_point;
      for (size_t k = 0; k < n; k++) wide[j][k] = (int16_t)((int8_t)(weights[k] ^ bits) - zero_point);
      from[j] = (const uint8_t *)wide[j];
    }
  }
  tvmq_pack_words(layout, from, flip, n, out);
}

// Prefetches cache lines that will be written; the lines may lie beyond the end of the memory. Processors prefetch by
// themselves only lines that are read in order.
static void ask_for(uintptr_t first, size_t bytes) {
  enum { LINE = 64 };
  for (uintptr_t at = first; at < first + bytes; at += LINE) __builtin_prefetch((const void *)at, 1);
}

// Packs depths [first, end) of a tap for the channel at `position` of the panel. `tap` is the start of the tap's
// weights in the panel. `first` is a multiple of kr.
static void pack_depths(const struct tvmq_layout *layout, const struct tvmq_channel *channel, const uint8_t *weights, size_t first, size_t end,
                        size_t padded_depths, size_t position, uint8_t *tap) {
  const size_t kr = layout->kr, stride = channel->depth_stride, n = end - first;
  uint8_t *const out = tap + (first * layout->nr + position * kr) * layout->weight_bytes;
  weights += first * stride;
  if (layout->rotation != 0) {
    for (size_t k = 0; k < n; k++) tap[rotated_place(layout, padded_depths, first + k, position)] = weights[k * stride] ^ channel->flip;
  } else {
    pack_groups(layout, channel, weights, n, out);
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
  assert(0 < n && n <= layout->nr && BLOCK % layout->kr == 0);
  const size_t n_taps = channels->n_taps, n_depths = channels->n_depths, padded_depths = (n_depths + layout->ku - 1) / layout->ku * layout->ku;
  struct tvmq_panel parts;
  const bool fits = tvmq_panel_layout(layout, n_taps * padded_depths, &parts);
  assert(fits);
  (void)fits;
  uint8_t *tap = panel;
  const bool is_full = n == layout->nr && n_depths == padded_depths && layout->rotation == 0;
  const size_t written = is_full ? parts.shift + n * sizeof(int32_t) : 0;  // full panel: all but the final padding
  memset(tap + written, 0, parts.size - written);
  for (size_t j = 0; j < n; j++) {
    assert(channels[j].n_taps == n_taps && channels[j].n_depths == n_depths);
    assert(channels[j].tap_stride == channels->tap_stride && channels[j].depth_stride == channels->depth_stride);
    tvmq_pack_params(layout, &parts, j, &params[j], panel);
  }
  tap += parts.weights;
  for (size_t t = 0; t < n_taps; t++, tap += padded_depths * layout->nr * layout->weight_bytes) {
    for (size_t first = 0; first < n_depths; first += BLOCK) {
      const size_t end = n_depths - first < BLOCK ? n_depths : first + BLOCK;
      const size_t in_words = has_words(layout, channels) ? n / CHANNELS * CHANNELS : 0, whole = first + (end - first) / layout->kr * layout->kr;
      uint8_t *const out = tap + first * layout->nr * layout->weight_bytes;
      for (size_t j = 0; j < in_words; j += CHANNELS) {
        ask_for((uintptr_t)out + (layout->nr + j) * BLOCK * layout->weight_bytes, CHANNELS * BLOCK * layout->weight_bytes);  // a part of the next block
        pack_filter_words(layout, &channels[j], t * channels->tap_stride + first, whole - first, out + j * group_bytes(layout));
      }
      for (size_t j = 0; j < n; j++) {
        const size_t rest = j < in_words ? whole : first;
        if (rest < end) pack_depths(layout, &channels[j], channels[j].weights + t * channels[j].tap_stride, rest, end, padded_depths, j, tap);
      }
    }
  }
}
