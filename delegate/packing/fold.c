#include "fold.h"

struct tvmq_folded tvmq_fold(const struct tvmq_channel *channel, int64_t bias, int32_t in_zero_point, int32_t a_offset, int32_t in_min, int32_t in_max) {
  // d = w - zw. The sums of the positive and of the negative d give everything else: an accumulator is largest when each x stands at the end of its range that
  // the sign of d asks for. |d| < 2^9 and |x - zx| < 2^17: nothing overflows below 2^36 weights, apart from a bias that no accumulator can hold, which is cut
  // to a value that still none can hold.
  int64_t positive = 0, negative = 0;
  bool min_weight = false;
  for (size_t t = 0; t < channel->n_taps; t++) {
    const uint8_t *weights = channel->weights + t * channel->tap_stride;
    for (size_t k = 0; k < channel->n_depths; k++) {
      const int8_t w = (int8_t)(weights[k * channel->depth_stride] ^ channel->flip);
      const int32_t d = w - channel->zero_point;
      positive += d > 0 ? d : 0;
      negative += d < 0 ? d : 0;
      min_weight |= w == INT8_MIN;
    }
  }
  const int64_t limit = INT64_C(1) << 62;
  const int64_t bounded = bias < -limit ? -limit : bias > limit ? limit : bias;
  const int64_t below = (int64_t)in_min - in_zero_point, above = (int64_t)in_max - in_zero_point;
  return (struct tvmq_folded){
      .bias = bounded - ((int64_t)in_zero_point + a_offset) * (positive + negative),
      .lo = bounded + positive * below + negative * above,
      .hi = bounded + positive * above + negative * below,
      .min_weight = min_weight,
      .abs_sum = positive - negative,
  };
}
