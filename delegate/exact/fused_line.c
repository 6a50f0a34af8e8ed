#include "exact/fused_line.h"

#include <math.h>

// Returns the least x >= 0 with least <= step * x mod modulus <= most, or -1 if there is none. 0 <= least <= most <
// modulus and 0 <= step < modulus. Works like Euclid's algorithm: if [least, most] contains no multiple of the step,
// step * x passes the modulus y times. Then modulus * y + [least, most] contains a multiple of the step. So modulus * y
// mod step lies in [multiple - most, multiple - least], where `multiple` is the next multiple of the step. This is the
// same question with the step as modulus.
static int64_t first_between(int64_t step, int64_t modulus, int64_t least, int64_t most) {
  if (least == 0) return 0;
  if (step == 0) return -1;
  const int64_t x = (least + step - 1) / step, multiple = step * x;
  if (multiple <= most) return x;
  const int64_t y = first_between(modulus % step, step, multiple - most, multiple - least);
  return y < 0 ? -1 : (least + modulus * y + step - 1) / step;
}

bool tvmq_fuse_line(float slope, double least, double most, int64_t lo, int64_t hi, struct tvmq_fused_line *line) {
  const int64_t limit = INT64_C(1) << 30, least_lift = (1 << 23) - lo, most_lift = (1 << 24) - 1 - hi;
  if (!(slope >= 0x1p-15f && slope <= 1) || lo < -limit || hi > limit) return false;
  // All numbers are in units of the slope's last place; `modulus` units are 1. Products of integers are exact in these
  // units.
  int exponent;
  frexp((double)slope, &exponent);
  const int places = 24 - exponent;
  const int64_t modulus = INT64_C(1) << places, step = (int64_t)ldexp((double)slope, places);
  const int64_t first = (int64_t)ceil(ldexp(least, places)), last = (int64_t)floor(ldexp(most, places)), begin = step * least_lift;
  if (first > last || last - first >= modulus) return false;
  // Distances from the remainder of `begin` to the first and the last wanted remainder.
  const int64_t to_first = ((first - begin) % modulus + modulus) % modulus, to_last = to_first + (last - first);
  const int64_t x = to_last >= modulus ? 0 : first_between(step % modulus, modulus, to_first, to_last);
  if (x < 0 || x > most_lift - least_lift) return false;
  // The intercept is the amount by which the product exceeds an integer; the addend removes that integer.
  const int64_t product = begin + step * x, intercept = first + ((product - first) % modulus + modulus) % modulus;
  line->lift = (int32_t)(least_lift + x);
  line->addend = (float)((INT64_C(3) << 22) - ((product - intercept) >> places));
  return true;
}
