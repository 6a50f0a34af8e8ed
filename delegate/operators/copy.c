#include "operators/copy.h"

#include <math.h>

#include "base/integers.h"

// Returns the nearest index. Computed in float32, as in the reference.
static int64_t nearest(const struct tvmq_copy_axis *axis, size_t i) {
  const bool aligned = axis->align_corners && axis->n > 1;
  const float scale = aligned ? (float)(axis->size - 1) / (float)(axis->n - 1) : (float)axis->size / (float)axis->n;
  const float place = (float)i + (axis->half_pixel_centers ? 0.5f : 0.0f);
  const float at = place * scale;
  const int64_t index = (int64_t)(axis->align_corners ? roundf(at) : floorf(at)), last = (int64_t)axis->size - 1;
  return index > last ? last : index;
}

static int64_t mirrored(const struct tvmq_copy_axis *axis, size_t i) {
  const int64_t at = (int64_t)i - axis->first, size = (int64_t)axis->size, edge = axis->step;
  if (at < 0) return -at - edge;
  return at < size ? at : 2 * size - 2 - at + edge;
}

int64_t tvmq_copy_index(const struct tvmq_copy_axis *axis, size_t i) {
  switch (axis->kind) {
    case TVMQ_COPY_STEPS:
      return axis->first + (int64_t)i * axis->step;
    case TVMQ_COPY_WRAPPED:
      return (int64_t)(i % axis->size);
    case TVMQ_COPY_PADDED:
      return (int64_t)i >= axis->first && (int64_t)i - axis->first < (int64_t)axis->size ? (int64_t)i - axis->first : -1;
    case TVMQ_COPY_MIRRORED:
      return mirrored(axis, i);
    case TVMQ_COPY_NEAREST:
      return nearest(axis, i);
    case TVMQ_COPY_WOVEN:
      return (axis->first + (int64_t)i) / axis->step + (axis->first + (int64_t)i) % axis->step * (int64_t)axis->apart;
    case TVMQ_COPY_LISTED:
      break;
  }
  return tvmq_load_integer(axis->list, axis->list_type, i);
}

static bool is_inside(const struct tvmq_copy_axis *axis, int64_t index) { return index >= 0 && index < (int64_t)axis->size; }

// If the function is monotonic, or reflected at its ends, only its ends need a check.
bool tvmq_copy_fits(const struct tvmq_copy_axis *axis) {
  if (axis->n == 0 || axis->kind == TVMQ_COPY_PADDED) return true;
  if (axis->size == 0) return false;  // nearest() cannot compute an index in an empty dimension
  switch (axis->kind) {
    case TVMQ_COPY_PADDED:
    case TVMQ_COPY_WRAPPED:
      return true;
    case TVMQ_COPY_LISTED: {
      bool fits = true;
      for (size_t i = 0; i < axis->n; i++) fits &= is_inside(axis, tvmq_copy_index(axis, i));
      return fits;
    }
    case TVMQ_COPY_WOVEN:
      return axis->first >= 0 && axis->step > 0 && is_inside(axis, axis->first + (int64_t)axis->n - 1);
    case TVMQ_COPY_MIRRORED:
    case TVMQ_COPY_NEAREST:
    case TVMQ_COPY_STEPS:
      break;
  }
  return is_inside(axis, tvmq_copy_index(axis, 0)) && is_inside(axis, tvmq_copy_index(axis, axis->n - 1));
}

// Appends an innermost dimension. Merges it into the previous dimension if one step size covers both.
static void append(struct tvmq_merged_copy *copy, struct tvmq_merged_axis axis) {
  struct tvmq_merged_axis *last = copy->rank > 0 ? &copy->axes[copy->rank - 1] : NULL;
  if (axis.n == 1 && axis.table == NULL) return;
  if (last != NULL && last->table == NULL && axis.table == NULL && last->step == (ptrdiff_t)axis.n * axis.step)
    *last = (struct tvmq_merged_axis){.n = last->n * axis.n, .step = axis.step};
  else
    copy->axes[copy->rank++] = axis;
}

// A part of an axis: `n` of its indices from `first` on, `every` apart.
struct indices {
  size_t first, every, n;
};

static void append_axis(struct tvmq_merged_copy *copy, const struct tvmq_copy_axis *axis, struct indices of) {
  const ptrdiff_t stride = (ptrdiff_t)axis->stride;
  if (axis->kind == TVMQ_COPY_STEPS) {
    copy->begin += (size_t)tvmq_copy_index(axis, of.first) * axis->stride;
    append(copy, (struct tvmq_merged_axis){.n = of.n, .step = (ptrdiff_t)axis->step * (ptrdiff_t)of.every * stride});
  } else if (axis->kind == TVMQ_COPY_WRAPPED && of.every == 1) {
    append(copy, (struct tvmq_merged_axis){.n = of.n / axis->size});
    append(copy, (struct tvmq_merged_axis){.n = axis->size, .step = stride});
  } else {
    append(copy, (struct tvmq_merged_axis){.n = of.n, .table = axis, .phase = of.first, .phases = of.every});
  }
}

// Returns the indices of dimension `d` that a part consists of. Takes the phase off the number of the part.
static struct indices indices_of(const struct tvmq_copy_desc *desc, int d, size_t *part) {
  const struct tvmq_copy_axis *axis = &desc->axes[d];
  struct indices of = {.every = axis->phases > 1 ? axis->phases : 1, .n = axis->n};
  if (desc->n_out > 1) {
    of.every = 1;
    for (size_t k = 0; d == desc->piece_axis && k < *part; k++) of.first += desc->pieces[k];
    if (d == desc->piece_axis) of.n = desc->pieces[*part];
    return of;
  }
  of.first = *part % of.every;
  of.n /= of.every;
  *part /= of.every;
  return of;
}

struct tvmq_merged_copy tvmq_merge_copy(const struct tvmq_copy_desc *desc, size_t part) {
  struct tvmq_merged_copy copy = {.output = desc->n_out > 1 ? (int)part : 0, .run = tvmq_type_bytes(desc->in_type)};
  struct indices of[TVMQ_COPY_AXES];
  copy.bytes = copy.run;
  size_t rest = part;
  for (int d = desc->rank; d-- > 0;) {
    of[d] = indices_of(desc, d, &rest);
    copy.bytes *= of[d].n;
  }
  copy.to = desc->n_out > 1 ? 0 : part * copy.bytes;
  if (copy.bytes == 0) return copy;
  for (int d = 0; d < desc->rank; d++) append_axis(&copy, &desc->axes[d], of[d]);
  const struct tvmq_merged_axis *last = copy.rank > 0 ? &copy.axes[copy.rank - 1] : NULL;
  if (last != NULL && last->table == NULL && last->step == (ptrdiff_t)copy.run) {
    copy.run *= last->n;
    copy.rank--;
  }
  return copy;
}

ptrdiff_t tvmq_merged_offset(const struct tvmq_merged_axis *axis, size_t i) {
  if (axis->table == NULL) return (ptrdiff_t)i * axis->step;
  const int64_t index = tvmq_copy_index(axis->table, axis->phase + i * axis->phases);
  return index < 0 ? TVMQ_COPY_NOWHERE : (ptrdiff_t)index * (ptrdiff_t)axis->table->stride;
}
