#include "fold.h"

// Sums of differences between weights and their zero point: of all, and of those above 0.
struct sums {
  int64_t all, positive;
};

static int32_t difference(const struct tvmq_channel *channel, uint8_t stored) { return (int8_t)(stored ^ channel->flip) - channel->zero_point; }

static void add(struct sums *sums, int32_t d) {
  sums->all += d;
  sums->positive += d > 0 ? d : 0;
}

// `n` weights that lie side by side.
static void add_run(const struct tvmq_channel *channel, const uint8_t *weights, size_t n, struct sums *sums) {
  enum { LANES = 16, MOST = 128 };  // 128 differences fit int16
  while (n >= LANES) {
    int16_t all[LANES] = {0}, positive[LANES] = {0};
    for (size_t i = 0; i < MOST && n >= LANES; i++, n -= LANES, weights += LANES) {
      for (size_t j = 0; j < LANES; j++) {
        const int16_t d = (int16_t)difference(channel, weights[j]);
        all[j] = (int16_t)(all[j] + d);
        positive[j] = (int16_t)(positive[j] + (d > 0 ? d : 0));
      }
    }
    for (size_t j = 0; j < LANES; j++) {
      sums->all += all[j];
      sums->positive += positive[j];
    }
  }
  for (size_t j = 0; j < n; j++) add(sums, difference(channel, weights[j]));
}

static struct sums sum(const struct tvmq_channel *channel) {
  struct sums sums = {0};
  const bool is_run = channel->depth_stride == 1, is_one_run = is_run && channel->tap_stride == channel->n_depths;
  if (is_one_run) add_run(channel, channel->weights, channel->n_taps * channel->n_depths, &sums);
  for (size_t t = 0; t < channel->n_taps && !is_one_run; t++) {
    const uint8_t *weights = channel->weights + t * channel->tap_stride;
    if (is_run) add_run(channel, weights, channel->n_depths, &sums);
    for (size_t k = 0; k < channel->n_depths && !is_run; k++) add(&sums, difference(channel, weights[k * channel->depth_stride]));
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
