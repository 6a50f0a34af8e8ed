// Operators that copy elements: any kind in each dimension, in any order, one output or several pieces.
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "support/random.h"

enum { MOST_LISTED = 64, MAX_OUT = 4 };

// A dimension of the output that reads one of `size` elements, `stride` bytes apart.
static struct tvmq_copy_axis pick_axis(struct fuzz_bytes *b, size_t size, size_t stride, int32_t list[MOST_LISTED]) {
  struct tvmq_copy_axis axis = tvmq_copy_whole(size, stride);
  const int64_t n = (int64_t)size;
  if (fuzz_pick(b, 0, 1)) return axis;
  axis.kind = (enum tvmq_copy_kind)fuzz_pick(b, TVMQ_COPY_STEPS, TVMQ_COPY_LISTED);
  switch (axis.kind) {
    case TVMQ_COPY_STEPS:
      axis.first = fuzz_pick(b, fuzz_pick(b, 0, 15) ? 0 : -1, n - 1);
      axis.step = fuzz_pick(b, -2, 3);
      const int64_t room = axis.step > 0 ? n - 1 - axis.first : axis.first, stride_of = axis.step > 0 ? axis.step : -axis.step;
      axis.n = stride_of == 0 || room < 0 ? 1 : (size_t)(room / stride_of + 1);
      break;
    case TVMQ_COPY_WRAPPED:
      axis.n = size * (size_t)fuzz_pick(b, 1, 4);
      break;
    case TVMQ_COPY_PADDED:
      axis.first = fuzz_pick(b, 0, 5);
      axis.n = size + (size_t)axis.first + (size_t)fuzz_pick(b, 0, 5);
      break;
    case TVMQ_COPY_MIRRORED:
      axis.step = fuzz_pick(b, 0, 1);
      axis.first = fuzz_pick(b, 0, n);
      axis.n = size + (size_t)axis.first + (size_t)fuzz_pick(b, 0, n);
      break;
    case TVMQ_COPY_NEAREST:
      axis.n = (size_t)fuzz_pick(b, 1, 50);
      axis.align_corners = (int32_t)fuzz_pick(b, 0, 1);
      axis.half_pixel_centers = (int32_t)fuzz_pick(b, 0, 1);
      break;
    case TVMQ_COPY_LISTED:
      axis.n = (size_t)fuzz_pick(b, 1, MOST_LISTED);
      for (size_t i = 0; i < axis.n; i++) list[i] = (int32_t)fuzz_pick(b, fuzz_pick(b, 0, 63) ? 0 : -1, fuzz_pick(b, 0, 63) ? n - 1 : n);
      axis.list_type = TVMQ_TYPE_S32;
      axis.list = list;
      break;
    case TVMQ_COPY_WOVEN:
      break;  // weave_and_cut() makes it
  }
  return axis;
}

// Makes a dimension that reads its input unchanged a woven one, and cuts an output dimension into phases.
static void weave_and_cut(struct fuzz_bytes *b, struct tvmq_copy_axis *axis, bool single) {
  const size_t parts = (size_t)fuzz_pick(b, 0, 4);
  if (parts > 1 && axis->kind == TVMQ_COPY_STEPS && axis->n == axis->size && axis->step == 1 && axis->size % parts == 0) {
    axis->kind = TVMQ_COPY_WOVEN;
    axis->step = (int64_t)parts;
    axis->apart = axis->size / parts;
    axis->first = fuzz_pick(b, fuzz_pick(b, 0, 15) ? 0 : -1, (int64_t)axis->size - 1);
    axis->n -= (size_t)(axis->first > 0 && fuzz_pick(b, 0, 15) ? axis->first : 0);
  }
  const size_t phases = (size_t)fuzz_pick(b, 0, 7);
  if (single && phases < 5) axis->phases = phases;
  if (axis->phases > 1 && axis->n % axis->phases != 0 && fuzz_pick(b, 0, 15)) axis->n -= axis->n % axis->phases;
}

static size_t phases_of(const struct tvmq_copy_axis *axis) { return axis->phases > 1 ? axis->phases : 1; }

// Writes one output byte by byte, element by element; returns its bytes.
static size_t expect(const struct tvmq_copy_desc *d, int output, size_t element, const uint8_t *in, uint8_t *out) {
  size_t n = 1, first = 0, at = 0, sizes[TVMQ_COPY_AXES];
  for (int k = 0; k < output; k++) first += d->pieces[k];
  for (int a = 0; a < d->rank; a++) n *= sizes[a] = d->n_out > 1 && a == d->piece_axis ? d->pieces[output] : d->axes[a].n;
  for (size_t i = 0; i < n; i++) {
    size_t rest = i, from = 0, indices[TVMQ_COPY_AXES];
    bool padded = false;
    for (int a = d->rank; a-- > 0; rest /= sizes[a] / phases_of(&d->axes[a])) indices[a] = rest % (sizes[a] / phases_of(&d->axes[a])) * phases_of(&d->axes[a]);
    for (int a = d->rank; a-- > 0; rest /= phases_of(&d->axes[a])) {
      const size_t place = indices[a] + rest % phases_of(&d->axes[a]) + (d->n_out > 1 && a == d->piece_axis ? first : 0);
      const int64_t index = tvmq_copy_index(&d->axes[a], place);
      padded |= index < 0;
      from += (size_t)(index < 0 ? 0 : index) * d->axes[a].stride;
    }
    for (size_t byte = 0; byte < element; byte++) out[at++] = padded ? (uint8_t)((uint32_t)d->value >> (8 * byte)) : in[from + byte];
  }
  return n * element;
}

void fuzz_copy(struct fuzz_bytes *b, const struct tvmq_env *env) {
  static uint8_t expected[FUZZ_MAX_BYTES], others[MAX_OUT][FUZZ_MAX_BYTES];  // threads write the outputs at once
  static int32_t lists[TVMQ_COPY_AXES][MOST_LISTED];
  const enum guard_side side = fuzz_pick(b, 0, 1) ? GUARD_START : GUARD_END;
  struct tvmq_copy_desc d = {.rank = (int)fuzz_pick(b, 0, fuzz_pick(b, 0, 1) ? 4 : TVMQ_COPY_AXES), .n_out = 1};
  d.in_type = fuzz_pick(b, 0, 31) ? (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_S8, TVMQ_TYPE_S16) : (enum tvmq_type)fuzz_pick(b, TVMQ_TYPE_OTHER, TVMQ_TYPE_S4);
  d.out_type = fuzz_pick(b, 0, 31) ? d.in_type : TVMQ_TYPE_U8;
  d.value = (int32_t)(fuzz_pick(b, 0, 3) ? fuzz_pick(b, -130, 256) : fuzz_pick(b, INT32_MIN, INT32_MAX));
  const size_t element = tvmq_type_bytes(d.in_type);
  size_t stride = element;
  for (int a = d.rank; a-- > 0;) {
    const size_t size = (size_t)fuzz_pick(b, 1, fuzz_pick(b, 0, 1) ? 4 : 70);
    d.axes[a] = pick_axis(b, size, stride, lists[a]);
    stride *= size;
    if (stride > FUZZ_MAX_BYTES) return;
  }
  d.in_bytes = stride;
  for (int a = d.rank; a > 1; a--) {  // in any order
    const int other = (int)fuzz_pick(b, 0, fuzz_pick(b, 0, 1) ? a - 1 : 0);
    const struct tvmq_copy_axis axis = d.axes[a - 1];
    if (fuzz_pick(b, 0, 1)) continue;
    d.axes[a - 1] = d.axes[other];
    d.axes[other] = axis;
  }
  int output = 0;
  if (d.rank > 0 && fuzz_pick(b, 0, 3) == 0) {
    d.piece_axis = (int)fuzz_pick(b, 0, d.rank - 1);
    size_t left = d.axes[d.piece_axis].n;
    if (d.axes[d.piece_axis].kind != TVMQ_COPY_STEPS) return;
    for (d.n_out = 0; d.n_out < MAX_OUT - 1; d.n_out++) left -= d.pieces[d.n_out] = (size_t)fuzz_pick(b, 0, (int64_t)left);
    d.pieces[d.n_out++] = left;
    output = (int)fuzz_pick(b, 0, d.n_out - 1);
  }
  for (int a = 0; a < d.rank; a++) {
    if (d.n_out == 1 || a != d.piece_axis) weave_and_cut(b, &d.axes[a], d.n_out == 1);
  }

  char text[200];
  snprintf(text, sizeof text, "copy of type %d, rank %d, %zu bytes, output %d of %d, cpu %#x", d.in_type, d.rank, d.in_bytes, output, d.n_out, env->cpu);
  fuzz_about(text);
  const union tvmq_desc desc = {.copy = d};
  const char *why = fuzz_claim(&tvmq_operator_copy, &desc);
  size_t total = element;
  for (int a = 0; a < d.rank; a++) total *= d.axes[a].n;
  if (why || total > FUZZ_MAX_BYTES) return;
  const struct fuzz_tensor tensor = fuzz_tensor(FUZZ_IN, d.in_bytes, side);
  check_random_bytes(tensor.write, d.in_bytes);
  struct tvmq_op *op = NULL;
  void *outs[TVMQ_MAX_OUT];
  for (int k = 0; k < d.n_out; k++) outs[k] = others[k];
  const size_t n = expect(&d, output, element, tensor.read, expected);
  fuzz_run_output(&tvmq_op_copy, &op, &desc, env, &tensor.read, expected, n, side, output, outs);
  tvmq_op_release(&tvmq_op_copy, op);
}
