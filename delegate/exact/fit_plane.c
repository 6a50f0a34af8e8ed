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

// How far from the rounded real numbers multipliers are tried.
enum { REACH = 2 };

// The sum to fit, and the function of each input before they are added.
struct task {
  const struct tvmq_add_args *sum;
  double ratio[2];  // of each input to the output, in real numbers; negative if it is subtracted
  int32_t a[TVMQ_N_BYTES], b[TVMQ_N_BYTES];
  struct tvmq_near_pairs pairs;  // at hand
};

// Biases that serve.
struct range {
  int64_t least, most;
};

// The pairs that may decide on a plane: with a bias that is at most `reach` from `centre` it is right for all others.
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

// The reference's result for inputs a and b, both less INT8_MIN.
static int32_t wanted_at(const struct task *task, int32_t a, int32_t b) {
  const struct tvmq_add_args *sum = task->sum;
  const int32_t value = tvmq_rescale(sum->rounding, task->a[a] + task->b[b], sum->out_scale.multiplier, sum->out_scale.shift);
  return tvmq_clamp(tvmq_add_wrap(value, sum->out_zero_point), sum->min, sum->max);
}

// The reference is the real sum and a half, rounded down, but for its own roundings: each input's by up to a place before it is scaled to the output, the
// product's by half of the last place that is then shifted out. The plane is off by what its multipliers are. Pairs farther than that from the next value are
// sure, as long as nothing is shifted to the left, where it might wrap. The bias may move no farther than the reach, which
// is therefore at least a share of all.
static struct doubt find_doubt(const struct task *task, const struct tvmq_plane *plane) {
  enum { SHARE = 512 };
  const struct tvmq_add_args *sum = task->sum;
  const double unit = ldexp(1, plane->shift);
  double centre = (sum->out_zero_point + 0.5) * unit, off = ldexp(2.5, sum->out_scale.shift) * unit + 2;  // 2 for the roundings here
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

// The sum of products from which on the inputs' real sum is not negative.
static int64_t zero_of(const struct task *task, const struct tvmq_plane *plane) {
  const struct tvmq_add_args *sum = task->sum;
  return (int64_t)sum->in_zero_point[0] * plane->multiplier[0] + (int64_t)sum->in_zero_point[1] * plane->multiplier[1];
}

// Every pair narrows a range, the first where the sum is not negative, the second where it is: a value inside the clamp bounds it on both sides, a value at an
// end on one.
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

// The biases that serve every pair; where there are none, the greatest that is the least for one and the least that is the most for one. The pairs that are not
// near allow all biases within reach. Where the near ones allow others too, the reach grows.
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

// The least and the greatest sum of any pair, with the drop and without.
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

// A bias for sums that are not negative, and another for those that are, both within reach of the centre.
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

// Lists the pairs for which the plane is wrong, in order. False: there are too many.
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

// Where the pairs contradict each other, the bias that all with an upper bound agree on, or all with a lower one.
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

// The largest shift with which multipliers and sums fit. False: none does.
static bool find_shift(const struct task *task, int32_t *shift) {
  const struct tvmq_add_args *sum = task->sum;
  const double *ratio = task->ratio;
  const double bias = sum->out_zero_point + 0.5 - sum->in_zero_point[0] * ratio[0] - sum->in_zero_point[1] * ratio[1];
  const double most = fabs(bias) + 128 * (fabs(ratio[0]) + fabs(ratio[1]));
  // An estimate: 2^16 are left for inputs and zero points times what multipliers are off by; fits_int32() decides.
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

// An answer may be that there is no plane.
struct answer {
  bool found;
  struct tvmq_plane plane;
};

TVMQ_MEMO(planes, struct tvmq_add_args, struct answer, 1024);

// A plane of a file may be anything: a kernel must not read an exception that is not there.
static bool is_sound(const void *value) {
  const uint8_t *found = value;
  struct tvmq_plane plane;
  if (*found > 1) return false;
  memcpy(&plane, found + offsetof(struct answer, plane), sizeof plane);
  if (*found == 0) return true;
  return allowed(&plane) && plane.shift >= TVMQ_PLANE_MIN_SHIFT && plane.shift <= TVMQ_PLANE_MAX_SHIFT && plane.n_exceptions >= 0 &&
         plane.n_exceptions <= TVMQ_PLANE_MAX_EXCEPTIONS && fits_int32(&plane);
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
    struct task *task = tvmq_alloc_unset(sizeof *task);  // more than a small stack has room for
    if (task == NULL) return false;
    answer.found = fit(sum, task, &answer.plane);
    tvmq_free(task);
    tvmq_memo_keep(&planes, sum, &answer);
  }
  *plane = answer.plane;
  return answer.found;
}
