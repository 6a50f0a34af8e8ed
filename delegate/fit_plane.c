#include "fit_plane.h"

#include <math.h>

#include "kernels/requant.h"

// How far from the rounded real numbers multipliers are tried.
enum { REACH = 2 };
enum { N_BYTES = 256 };

// What each input becomes before they are added.
struct scaled {
  int32_t a[N_BYTES], b[N_BYTES];
};

static int32_t wanted_at(const struct tvmq_add_args *sum, enum tvmq_rounding rounding, const struct scaled *scaled, int32_t a, int32_t b) {
  const int32_t value = tvmq_rescale(rounding, scaled->a[a] + scaled->b[b], sum->out_scale.multiplier, sum->out_scale.shift);
  return tvmq_clamp(tvmq_add_wrap(value, sum->out_zero_point), sum->min, sum->max);
}

static double real_of(struct tvmq_scale scale) { return ldexp(scale.multiplier, scale.shift - 31); }

static int32_t scaled_at(const struct tvmq_add_args *sum, int input, int32_t x) {
  const struct tvmq_scale *scale = &sum->in_scale[input];
  return tvmq_rescale(sum->rounding, (x - sum->in_zero_point[input]) * (1 << sum->left_shift), scale->multiplier, scale->shift);
}

// Every pair narrows the range of the bias: a value inside the clamp bounds it on both sides, a value at an end on one. The biases that remain after all pairs
// serve every one. `rounding` is a constant wherever this is inlined.
static inline bool narrow_bias(const struct tvmq_add_args *sum, enum tvmq_rounding rounding, const struct scaled *scaled, const struct tvmq_plane *plane,
                               bool to_the_end, int64_t *least, int64_t *most) {
  *least = INT32_MIN;
  *most = INT32_MAX;
  for (int32_t a = 0; a < N_BYTES && (to_the_end || *least <= *most); a++) {
    for (int32_t b = 0; b < N_BYTES; b++) {
      const int64_t wanted = wanted_at(sum, rounding, scaled, a, b);
      const int64_t needed = wanted * (1 << plane->shift) - (a + INT8_MIN) * plane->multiplier[0] - (b + INT8_MIN) * plane->multiplier[1];
      const int64_t highest = needed + (1 << plane->shift) - 1;
      if (wanted > sum->min && needed > *least) *least = needed;
      if (wanted < sum->max && highest < *most) *most = highest;
    }
  }
  return *least <= *most;
}

// The least and the greatest sum of any pair.
static bool fits_int32(const struct tvmq_plane *plane) {
  const int64_t both = (int64_t)plane->multiplier[0] + plane->multiplier[1];
  return plane->bias + INT8_MIN * both >= INT32_MIN && plane->bias + INT8_MAX * both <= INT32_MAX;
}

static bool find_bias(const struct tvmq_add_args *sum, const struct scaled *scaled, struct tvmq_plane *plane) {
  int64_t least, most;
  const bool found = sum->rounding == TVMQ_ROUNDING_REFERENCE ? narrow_bias(sum, TVMQ_ROUNDING_REFERENCE, scaled, plane, false, &least, &most)
                                                              : narrow_bias(sum, sum->rounding, scaled, plane, false, &least, &most);
  if (!found) return false;
  plane->bias = (int32_t)(least + (most - least) / 2);
  return fits_int32(plane);
}

// Lists the pairs for which the plane is wrong. False: there are too many.
static bool list_exceptions(const struct tvmq_add_args *sum, const struct scaled *scaled, struct tvmq_plane *plane) {
  plane->n_exceptions = 0;
  for (int32_t a = INT8_MIN; a <= INT8_MAX; a++) {
    for (int32_t b = INT8_MIN; b <= INT8_MAX; b++) {
      const int32_t value = (a * plane->multiplier[0] + b * plane->multiplier[1] + plane->bias) >> plane->shift;
      const int32_t wanted = wanted_at(sum, sum->rounding, scaled, a - INT8_MIN, b - INT8_MIN);
      if (tvmq_clamp(value, sum->min, sum->max) == wanted) continue;
      if (plane->n_exceptions == TVMQ_PLANE_MAX_EXCEPTIONS) return false;
      plane->exceptions[plane->n_exceptions++] = (struct tvmq_plane_exception){{(int8_t)a, (int8_t)b}, (int8_t)wanted};
    }
  }
  return true;
}

// Where the pairs contradict each other, the bias that all with an upper bound agree on, or all with a lower one.
static bool find_exceptions(const struct tvmq_add_args *sum, const struct scaled *scaled, struct tvmq_plane *plane) {
  int64_t bound[2];
  narrow_bias(sum, sum->rounding, scaled, plane, true, &bound[0], &bound[1]);
  for (int i = 0; i < 2; i++) {
    plane->bias = (int32_t)bound[i];
    if (fits_int32(plane) && list_exceptions(sum, scaled, plane)) return true;
  }
  return false;
}

static bool allowed(const struct tvmq_plane *plane) {
  for (int i = 0; i < 2; i++) {
    const int32_t m = plane->multiplier[i];
    if (m < 0 || m > TVMQ_PLANE_MAX_MULTIPLIER || m % 256 == 128) return false;
  }
  return true;
}

// The largest shift with which multipliers and sums fit. False: none does.
static bool find_shift(const struct tvmq_add_args *sum, const double ratio[2], int32_t *shift) {
  const double bias = sum->out_zero_point + 0.5 - sum->in_zero_point[0] * ratio[0] - sum->in_zero_point[1] * ratio[1];
  const double most = fabs(bias) + 128 * (ratio[0] + ratio[1]);
  // An estimate: 2^16 are left for inputs and zero points times what multipliers are off by; fits_int32() decides.
  const double limit = 0x1p31 - 0x1p16;
  for (*shift = TVMQ_PLANE_MAX_SHIFT; *shift >= TVMQ_PLANE_MIN_SHIFT; --*shift) {
    const double unit = ldexp(1, *shift);
    if (fmax(ratio[0], ratio[1]) * unit + REACH <= TVMQ_PLANE_MAX_MULTIPLIER && most * unit < limit) return true;
  }
  return false;
}

// Tries `find` on multipliers around the rounded real numbers.
static bool find_multipliers(const struct tvmq_add_args *sum, const struct scaled *scaled, const double ratio[2], struct tvmq_plane *plane,
                             bool (*find)(const struct tvmq_add_args *, const struct scaled *, struct tvmq_plane *)) {
  for (int far = 0; far <= REACH; far++) {
    for (int i = -far; i <= far; i++) {
      for (int j = -far; j <= far; j++) {
        if (i > -far && i < far && j > -far && j < far) continue;  // has been tried
        plane->multiplier[0] = (int32_t)lrint(ldexp(ratio[0], plane->shift)) + i;
        plane->multiplier[1] = (int32_t)lrint(ldexp(ratio[1], plane->shift)) + j;
        if (allowed(plane) && find(sum, scaled, plane)) return true;
      }
    }
  }
  return false;
}

bool tvmq_fit_plane(const struct tvmq_add_args *sum, struct tvmq_plane *plane) {
  double ratio[2];
  for (int i = 0; i < 2; i++) ratio[i] = ldexp(real_of(sum->in_scale[i]) * real_of(sum->out_scale), sum->left_shift);
  if (!find_shift(sum, ratio, &plane->shift)) return false;

  struct scaled scaled;
  for (int32_t x = 0; x < N_BYTES; x++) {
    scaled.a[x] = scaled_at(sum, 0, x + INT8_MIN);
    scaled.b[x] = scaled_at(sum, 1, x + INT8_MIN);
  }
  plane->n_exceptions = 0;
  return find_multipliers(sum, &scaled, ratio, plane, find_bias) || find_multipliers(sum, &scaled, ratio, plane, find_exceptions);
}
