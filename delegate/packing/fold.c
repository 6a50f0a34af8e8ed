#include "packing/fold.h"

// Sums of differences between weights and their zero point: of all, and of those above 0.
struct sums {
  int64_t all, positive;
};

// `n` weights, `stride` apart, as numbers of 0 .. 255. With a constant stride of 1 compilers make vectors of it.
static inline void add(const struct tvmq_channel *channel, const uint8_t *weights, size_t n, size_t stride, struct sums *sums) {
  enum { MOST = 256 };  // a sum of so many fits uint16
  const uint8_t flip = channel->flip ^ 0x80, zero_point = (uint8_t)(channel->zero_point - INT8_MIN);
  for (size_t first = 0; first < n; first += MOST) {
    const size_t end = n - first < MOST ? n : first + MOST;
    uint16_t all = 0, raised = 0;
    for (size_t k = first; k < end; k++) {
      const uint8_t weight = weights[k * stride] ^ flip;
      all = (uint16_t)(all + weight);
      raised = (uint16_t)(raised + (weight > zero_point ? weight : zero_point));
    }
    const int32_t zero = (int32_t)(end - first) * zero_point;
    sums->all += all - zero;
    sums->positive += raised - zero;
  }
}

static struct sums sum(const struct tvmq_channel *channel) {
  struct sums sums = {0};
  if (channel->depth_stride == 1 && channel->tap_stride == channel->n_depths) {
    add(channel, channel->weights, channel->n_taps * channel->n_depths, 1, &sums);
    return sums;
  }
  if (channel->n_depths == 1) {
    add(channel, channel->weights, channel->n_taps, channel->tap_stride, &sums);
    return sums;
  }
  for (size_t t = 0; t < channel->n_taps; t++) {
    const uint8_t *weights = channel->weights + t * channel->tap_stride;
    if (channel->depth_stride == 1)
      add(channel, weights, channel->n_depths, 1, &sums);
    else
      add(channel, weights, channel->n_depths, channel->depth_stride, &sums);
  }
  return sums;
}

struct tvmq_folded tvmq_fold(const struct tvmq_channel *channel, int64_t bias, int32_t in_zero_point, int32_t a_offset, int32_t in_min, int32_t in_max) {
  // The sums of the positive and of the negative differences give everything: an accumulator is largest when each x stands at the end of its range that the
  // difference's sign asks for. |w - zw| < 2^8 and |x - zx| < 2^17: nothing overflows below 2^37 weights, apart from a bias that no accumulator can hold, which
  // is cut to a value that still none can hold.
  const struct sums sums = sum(channel);
  const int64_t positive = sums.positive, negative = sums.all - sums.positive;
  const int64_t limit = INT64_C(1) << 62;
  const int64_t bounded = bias < -limit ? -limit : bias > limit ? limit : bias;
  const int64_t below = (int64_t)in_min - in_zero_point, above = (int64_t)in_max - in_zero_point;
  return (struct tvmq_folded){
      .bias = bounded - ((int64_t)in_zero_point + a_offset) * sums.all,
      .lo = bounded + positive * below + negative * above,
      .hi = bounded + positive * above + negative * below,
  };
}
