#include "exact/fit_plane.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "arithmetic/stage.h"
#include "base/arith.h"
#include "base/memo.h"
#include "base/memory.h"
#include "exact/near_pairs.h"
#include "exact/proofs.h"

// Largest distance from the rounded real numbers at which multipliers are tried.
enum { REACH = 2 };

// Sum to fit, with the scaled value of every byte of both inputs.
struct task {
  const struct tvmq_add_args *sum;
  double ratio[2];  // of each input to the output, in real numbers; negative if it is subtracted
  int32_t a[TVMQ_N_BYTES], b[TVMQ_N_BYTES];
  struct tvmq_near_pairs pairs;  // pairs that are being examined
};

// Range of biases that give the right results.
struct range {
  int64_t least, most;
};

// Describes the doubtful pairs of a plane. With a bias at most `reach` from `centre`, the plane is right for all other
// pairs.
struct doubt {
  int64_t centre;
  int32_t reach;
};

static double real_of(struct tvmq_scale scale) { return ldexp(scale.multiplier, scale.shift - 31); }

static int32_t sign_of(const struct tvmq_add_args *sum, int input) { return sum->minus[input] ? -1 : 1; }

static int32_t scaled_at(const struct tvmq_add_args *sum, int input, int32_t x) {
  const struct tvmq_scale *scale = &sum->in_scale[input];
  return sign_of(sum, input) * tvmq_rescale(sum->rounding, (x - sum->in_zero_point[input]) * (1 << sum->left_shift), scale->multiplier, scale->shift);
}

static void set_task(const struct tvmq_add_args *sum, struct task *task) {
  task->sum = sum;
  for (int i = 0; i < 2; i++) task->ratio[i] = sign_of(sum, i) * ldexp(real_of(sum->in_scale[i]) * real_of(sum->out_scale), sum->left_shift);
  for (int32_t x = 0; x < TVMQ_N_BYTES; x++) {
    task->a[x] = scaled_at(sum, 0, x + INT8_MIN);
    task->b[x] = scaled_at(sum, 1, x + INT8_MIN);
  }
}

// Returns the reference's result for the inputs a + INT8_MIN and b + INT8_MIN.
static int32_t wanted_at(const struct task *task, int32_t a, int32_t b) {
  const struct tvmq_add_args *sum = task->sum;
  const int32_t value = tvmq_rescale(sum->rounding, task->a[a] + task->b[b], sum->out_scale.multiplier, sum->out_scale.shift);
  return tvmq_clamp(tvmq_add_wrap(value, sum->out_zero_point), sum->min, sum->max);
}

// Returns the doubtful pairs of a plane. The reference is floor(real sum + 1/2), except for its intermediate roundings.
// Each input is rounded by up to one unit before it is scaled to the output. The product is rounded by half of the last
// place that is then shifted out. The plane errs by the errors of its multipliers. Pairs farther than these errors from
// the next value are certain, unless a left shift might wrap. The bias may move no farther than the reach, so the reach
// is at least a fixed share of `all`.
static struct doubt find_doubt(const struct task *task, const struct tvmq_plane *plane) {
  enum { SHARE = 512 };
  const struct tvmq_add_args *sum = task->sum;
  const double unit = ldexp(1, plane->shift);
  // In `off`, 2 covers the roundings in this function.
  double centre = (sum->out_zero_point + 0.5) * unit, off = ldexp(2.5, sum->out_scale.shift) * unit + 2;
  for (int i = 0; i < 2; i++) {
    centre -= sum->in_zero_point[i] * task->ratio[i] * unit;
    off += 128 * fabs(plane->multiplier[i] - task->ratio[i] * unit);
  }
  const bool shifts_left = sum->in_scale[0].shift > 0 || sum->in_scale[1].shift > 0 || sum->out_scale.shift > 0;
  const int32_t all = 1 << (plane->shift - 1), near = 2 * all / SHARE;
  return (struct doubt){.centre = llrint(centre), .reach = shifts_left || off >= all ? all : (int32_t)tvmq_max_s64(near, (int64_t)ceil(off))};
}

static void list_pairs(struct task *task, const struct tvmq_plane *plane, struct doubt doubt) {
  const int64_t least = INT8_MIN * ((int64_t)plane->multiplier[0] + plane->multiplier[1]);
  tvmq_near_pairs(plane->multiplier, doubt.centre + least, plane->shift, doubt.reach, &task->pairs);
}

// Returns the least sum of products at which the real sum of the inputs is not negative.
static int64_t zero_of(const struct task *task, const struct tvmq_plane *plane) {
  const struct tvmq_add_args *sum = task->sum;
  return (int64_t)sum->in_zero_point[0] * plane->multiplier[0] + (int64_t)sum->in_zero_point[1] * plane->multiplier[1];
}

// Narrows the ranges of the bias with every doubtful pair: ranges[0] with pairs whose real sum is not negative,
// ranges[1] with all others. A value inside the clamp bounds the bias on both sides; a value at an end of the clamp
// bounds it on one side.
static void narrow(struct task *task, const struct tvmq_plane *plane, struct doubt doubt, struct range ranges[2]) {
  const struct tvmq_add_args *sum = task->sum;
  const int64_t zero = zero_of(task, plane);
  list_pairs(task, plane, doubt);
  for (int32_t a, b; tvmq_next_pair(&task->pairs, &a, &b);) {
    const int64_t wanted = wanted_at(task, a, b);
    const int64_t products = (int64_t)(a + INT8_MIN) * plane->multiplier[0] + (int64_t)(b + INT8_MIN) * plane->multiplier[1];
    const int64_t needed = wanted * (1 << plane->shift) - products;
    const int64_t highest = needed + (1 << plane->shift) - 1;
    struct range *const range = &ranges[products < zero];
    if (wanted > sum->min && needed > range->least) range->least = needed;
    if (wanted < sum->max && highest < range->most) range->most = highest;
  }
}

static struct range narrow_both(struct task *task, const struct tvmq_plane *plane, struct doubt doubt) {
  struct range ranges[2] = {{INT32_MIN, INT32_MAX}, {INT32_MIN, INT32_MAX}};
  narrow(task, plane, doubt, ranges);
  return (struct range){tvmq_max_s64(ranges[0].least, ranges[1].least), tvmq_min_s64(ranges[0].most, ranges[1].most)};
}

// Returns the range of biases that are right for every pair. If there are none, `least` is the greatest lower bound of
// any pair and `most` is the least upper bound. Pairs that are not doubtful allow all biases within reach. While the
// doubtful pairs also allow biases beyond the reach, the reach grows.
static struct range find_range(struct task *task, const struct tvmq_plane *plane, struct doubt *doubt) {
  enum { WIDER = 8 };
  *doubt = find_doubt(task, plane);
  struct range range = narrow_both(task, plane, *doubt);
  const int32_t all = 1 << (plane->shift - 1);
  while (doubt->reach < all && (range.least < doubt->centre - doubt->reach || range.most > doubt->centre + doubt->reach)) {
    doubt->reach = doubt->reach < all / WIDER ? doubt->reach * WIDER : all;
    range = narrow_both(task, plane, *doubt);
  }
  return range;
}

// Returns whether the sum of every pair fits int32, with the drop and without.
static bool fits_int32(const struct tvmq_plane *plane) {
  int64_t least = tvmq_min_s64(plane->bias, (int64_t)plane->bias - plane->drop), most = tvmq_max_s64(plane->bias, (int64_t)plane->bias - plane->drop);
  for (int i = 0; i < 2; i++) {
    const int64_t multiplier = plane->multiplier[i];
    least += multiplier * (multiplier < 0 ? INT8_MAX : INT8_MIN);
    most += multiplier * (multiplier < 0 ? INT8_MIN : INT8_MAX);
  }
  return least >= INT32_MIN && most <= INT32_MAX;
}

static int32_t middle(struct range range) { return (int32_t)(range.least + (range.most - range.least) / 2); }

static bool find_bias(struct task *task, struct tvmq_plane *plane) {
  struct doubt doubt;
  const struct range range = find_range(task, plane, &doubt);
  if (range.least > range.most) return false;
  plane->bias = middle(range);
  return fits_int32(plane);
}

// Finds one bias for real sums that are not negative and another for negative sums, both within reach of the centre.
// The drop is the difference of the two biases.
static bool find_drop(struct task *task, struct tvmq_plane *plane) {
  const struct doubt doubt = find_doubt(task, plane);
  const struct range near = {doubt.centre - doubt.reach, doubt.centre + doubt.reach};
  struct range ranges[2] = {near, near};
  narrow(task, plane, doubt, ranges);
  if (ranges[0].least > ranges[0].most || ranges[1].least > ranges[1].most) return false;
  plane->bias = middle(ranges[0]);
  plane->drop = plane->bias - middle(ranges[1]);
  plane->knee = (int32_t)(zero_of(task, plane) + plane->bias);
  return fits_int32(plane);
}

static bool precedes(const struct tvmq_plane_exception *x, const struct tvmq_plane_exception *y) {
  return x->in[0] < y->in[0] || (x->in[0] == y->in[0] && x->in[1] < y->in[1]);
}

// Lists the pairs for which the plane is wrong, in order. Returns false if there are too many.
static bool list_exceptions(struct task *task, struct doubt doubt, struct tvmq_plane *plane) {
  const struct tvmq_add_args *sum = task->sum;
  list_pairs(task, plane, doubt);
  plane->n_exceptions = 0;
  for (int32_t a, b; tvmq_next_pair(&task->pairs, &a, &b);) {
    const int32_t value = ((a + INT8_MIN) * plane->multiplier[0] + (b + INT8_MIN) * plane->multiplier[1] + plane->bias) >> plane->shift;
    const int32_t wanted = wanted_at(task, a, b);
    if (tvmq_clamp(value, sum->min, sum->max) == wanted) continue;
    if (plane->n_exceptions == TVMQ_PLANE_MAX_EXCEPTIONS) return false;
    const struct tvmq_plane_exception found = {{(int8_t)(a + INT8_MIN), (int8_t)(b + INT8_MIN)}, (int8_t)wanted};
    int32_t e = plane->n_exceptions++;
    for (; e > 0 && precedes(&found, &plane->exceptions[e - 1]); e--) plane->exceptions[e] = plane->exceptions[e - 1];
    plane->exceptions[e] = found;
  }
  return true;
}

// Handles pairs that contradict each other. Tries the bias that satisfies all lower bounds, then the bias that
// satisfies all upper bounds, and lists the pairs with wrong results as exceptions.
static bool find_exceptions(struct task *task, struct tvmq_plane *plane) {
  struct doubt doubt;
  const struct range range = find_range(task, plane, &doubt);
  const int64_t ends[2] = {range.least, range.most};
  for (int i = 0; i < 2; i++) {
    plane->bias = (int32_t)ends[i];
    if (fits_int32(plane) && list_exceptions(task, doubt, plane)) return true;
  }
  return false;
}

static bool allowed(const struct tvmq_plane *plane) {
  for (int i = 0; i < 2; i++) {
    const int32_t m = plane->multiplier[i];
    if (m < -TVMQ_PLANE_MAX_MULTIPLIER || m > TVMQ_PLANE_MAX_MULTIPLIER || m % 256 == 128 || m % 256 == -128) return false;
  }
  return true;
}

// Finds the largest shift with which multipliers and sums fit. Returns false if there is none.
static bool find_shift(const struct task *task, int32_t *shift) {
  const struct tvmq_add_args *sum = task->sum;
  const double *ratio = task->ratio;
  const double bias = sum->out_zero_point + 0.5 - sum->in_zero_point[0] * ratio[0] - sum->in_zero_point[1] * ratio[1];
  const double most = fabs(bias) + 128 * (fabs(ratio[0]) + fabs(ratio[1]));
  // An estimate: 2^16 is left for the errors of multipliers, times inputs and zero points. fits_int32() checks exactly.
  const double limit = 0x1p31 - 0x1p16;
  for (*shift = TVMQ_PLANE_MAX_SHIFT; *shift >= TVMQ_PLANE_MIN_SHIFT; --*shift) {
    const double unit = ldexp(1, *shift);
    if (fmax(fabs(ratio[0]), fabs(ratio[1])) * unit + REACH <= TVMQ_PLANE_MAX_MULTIPLIER && most * unit < limit) return true;
  }
  return false;
}

// Tries `find` on multipliers around the rounded real numbers.
static bool find_multipliers(struct task *task, struct tvmq_plane *plane, bool (*find)(struct task *, struct tvmq_plane *)) {
  for (int far = 0; far <= REACH; far++) {
    for (int i = -far; i <= far; i++) {
      for (int j = -far; j <= far; j++) {
        if (i > -far && i < far && j > -far && j < far) continue;  // has been tried
        plane->multiplier[0] = (int32_t)lrint(ldexp(task->ratio[0], plane->shift)) + i;
        plane->multiplier[1] = (int32_t)lrint(ldexp(task->ratio[1], plane->shift)) + j;
        if (allowed(plane) && find(task, plane)) return true;
      }
    }
  }
  return false;
}

// Result in the memo: a plane, or the fact that there is none.
struct answer {
  bool found;
  struct tvmq_plane plane;
};

TVMQ_MEMO(planes, struct tvmq_add_args, struct answer, 1024);

// Checks a plane that was read from a file and may contain anything. A kernel must not read exceptions beyond the end
// of the array.
static bool is_sound(const void *value) {
  const uint8_t *found = value;
  struct tvmq_plane plane;
  if (*found > 1) return false;
  memcpy(&plane, found + offsetof(struct answer, plane), sizeof plane);
  if (*found == 0) return true;
  return allowed(&plane) && plane.shift >= TVMQ_PLANE_MIN_SHIFT && plane.shift <= TVMQ_PLANE_MAX_SHIFT && plane.n_exceptions >= 0 &&
         plane.n_exceptions <= TVMQ_PLANE_MAX_EXCEPTIONS && (plane.drop == 0 || plane.n_exceptions == 0) && fits_int32(&plane);
}

const struct tvmq_proofs tvmq_plane_proofs = {"planes", &planes, is_sound};

static bool fit(const struct tvmq_add_args *sum, struct task *task, struct tvmq_plane *plane) {
  set_task(sum, task);
  *plane = (struct tvmq_plane){0};
  if (!find_shift(task, &plane->shift)) return false;
  if (find_multipliers(task, plane, find_bias) || find_multipliers(task, plane, find_exceptions)) return true;
  plane->n_exceptions = 0;
  return find_multipliers(task, plane, find_drop);
}

bool tvmq_fit_plane(const struct tvmq_add_args *sum, struct tvmq_plane *plane) {
  struct answer answer = {0};
  if (!tvmq_memo_find(&planes, sum, &answer)) {
    struct task *task = tvmq_alloc_unset(sizeof *task);  // too large for a small stack
    if (task == NULL) return false;
    answer.found = fit(sum, task, &answer.plane);
    tvmq_free(task);
    tvmq_memo_keep(&planes, sum, &answer);
  }
  *plane = answer.plane;
  return answer.found;
}
