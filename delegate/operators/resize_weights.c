#include "operators/resize_weights.h"

#include <math.h>

#include "base/arith.h"

enum { SIGNED_SHIFT = 10, MOST_SHIFT = 16 };

static bool is_signed(const struct tvmq_resize_desc *desc) { return desc->in_type != TVMQ_TYPE_U8; }

static bool aligns(const struct tvmq_resize_desc *desc, int32_t out) { return desc->align_corners && out > 1; }

static int32_t at_most(int32_t x, int32_t most) { return x < most ? x : most; }
static int32_t at_least(int32_t x, int32_t least) { return x > least ? x : least; }

// Computes position and weights with 10 fractional bits, as the reference does: divisions truncate.
static struct tvmq_between signed_at(const struct tvmq_resize_desc *desc, int32_t in, int32_t out, int32_t i) {
  const int64_t one = 1 << SIGNED_SHIFT, last = aligns(desc, out);
  const int64_t scale = (one * (in - last) + (out - last) / 2) / (out - last);
  const int64_t value = i * scale + (desc->half_pixel_centers ? scale / 2 - one / 2 : 0);
  struct tvmq_between between;
  between.at[0] = at_least((int32_t)(value / one), 0);
  between.at[1] = at_most((int32_t)((value + one - 1) / one), in - 1);
  between.weights[1] = (int32_t)(value - one * between.at[0]);
  between.weights[0] = (int32_t)one - between.weights[1];
  return between;
}

// Returns the position of a uint8 output, which the reference computes in float32. This function computes in double,
// and both are equal if results have at most 24 bits. tvmq_resize_shift() checks this.
static double unsigned_place(const struct tvmq_resize_desc *desc, int32_t in, int32_t out, int32_t i) {
  const int32_t last = aligns(desc, out);
  const double scale = (float)(in - last) / (float)(out - last);
  return desc->half_pixel_centers ? (i + 0.5) * scale - 0.5 : i * scale;
}

static struct tvmq_between unsigned_at(const struct tvmq_resize_desc *desc, int32_t in, int32_t out, int32_t shift, int32_t i) {
  const double place = unsigned_place(desc, in, out, i);
  struct tvmq_between between;
  between.at[0] = at_least((int32_t)floor(place), 0);
  between.at[1] = at_most((int32_t)ceil(place), in - 1);
  between.weights[1] = (int32_t)ldexp(place - between.at[0], shift);
  between.weights[0] = (1 << shift) - between.weights[1];
  return between;
}

struct tvmq_between tvmq_resize_at(const struct tvmq_resize_desc *desc, int32_t in, int32_t out, int32_t shift, int32_t i) {
  return is_signed(desc) ? signed_at(desc, in, out, i) : unsigned_at(desc, in, out, shift, i);
}

// Returns the number of fractional bits of a position; stops at one more than a weight may have.
static int32_t fraction_bits(double place) {
  int32_t bits = 0;
  for (double rest = place - floor(place); rest != 0 && bits <= MOST_SHIFT; bits++) rest = rest * 2 - floor(rest * 2);
  return bits;
}

int32_t tvmq_resize_shift(const struct tvmq_resize_desc *desc, int32_t in, int32_t out) {
  int32_t shift = is_signed(desc) ? SIGNED_SHIFT : 0;
  for (int32_t i = 0; !is_signed(desc) && i < out; i++) {
    const double place = unsigned_place(desc, in, out, i);
    const double centre = place + (desc->half_pixel_centers ? 0.5 : 0);  // intermediate result, which the reference rounds to float32
    if (place != (float)place || centre != (float)centre) return -1;
    shift = at_least(shift, fraction_bits(place));
  }
  if (shift > MOST_SHIFT) return -1;
  for (int32_t i = 0; i < out; i++) {
    if (tvmq_resize_at(desc, in, out, shift, i).at[0] > in - 1) return -1;
  }
  return shift;
}
