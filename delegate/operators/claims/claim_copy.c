// Operators that copy elements.
#include <string.h>

#include "operators/claims/claim.h"
#include "operators/claims/claim_rules.h"
#include "operators/copy.h"
#include "operators/operator.h"

static const char *elements(const struct tvmq_copy_desc *desc) {
  size_t n = 1;
  for (int d = 0; d < desc->rank; d++) {
    if (desc->axes[d].n == 0) return "empty tensor";
    if (__builtin_mul_overflow(n, desc->axes[d].n, &n)) return "tensor has more than 2^31 - 1 elements";
  }
  return elements_rule(n);
}

// Refuses different scales or zero points where the reference requires equal ones. Copying itself needs no scale.
static const char *same_quant(const struct tvmq_copy_desc *desc) {
  return desc->wants_same_quant && !desc->same_quant ? "input and output scales or zero points differ" : NULL;
}

static const char *padding(const struct tvmq_copy_desc *desc) {
  const char *reason = desc->in_type == TVMQ_TYPE_F32 ? NULL : type_rule(desc->in_type);
  return reason ?: fits_type(desc->value, desc->out_type) ? NULL : "the padding value is out of range for its type";
}

static const char *places(const struct tvmq_copy_desc *desc) {
  for (int d = 0; d < desc->rank; d++) {
    if (!tvmq_copy_fits(&desc->axes[d])) return "an index is outside the input";
    const char *reason = desc->axes[d].kind == TVMQ_COPY_PADDED ? padding(desc) : NULL;
    if (reason != NULL) return reason;
    if (desc->axes[d].phases > 1 && desc->axes[d].n % desc->axes[d].phases != 0) return "a dimension is not a multiple of its phases";
  }
  return NULL;
}

const char *tvmq_claim_copy(const struct tvmq_copy_desc *desc) {
  return moved_type_rule(desc->in_type) ?: same_type_rule(desc->in_type, desc->out_type) ?: elements(desc) ?: same_quant(desc) ?: places(desc);
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_copy(&desc->copy); }

static uint32_t moves(const union tvmq_desc *desc, size_t offsets[]) {
  const struct tvmq_copy_desc *d = &desc->copy;
  if (tvmq_copy_parts(d) != (size_t)d->n_out) return 0;
  for (int k = 0; k < d->n_out; k++) {
    const struct tvmq_merged_copy merged = tvmq_merge_copy(d, (size_t)k);
    if (merged.bytes > 0 && merged.rank > 0) return 0;
    offsets[k] = merged.begin;
  }
  return d->n_out == 1 && tvmq_merge_copy(d, 0).bytes == d->in_bytes ? TVMQ_MOVES_OUT_OF_IN | TVMQ_MOVES_INTO_OUT : TVMQ_MOVES_OUT_OF_IN;
}

static bool pads_or_cuts(const struct tvmq_copy_desc *desc) {
  bool does = false;
  for (int d = 0; d < desc->rank; d++) does |= desc->axes[d].kind == TVMQ_COPY_PADDED || desc->axes[d].phases > 1;
  return does;
}

// Copies element by element. What pads or cuts into phases is no part of the shapes that graphs compute.
static bool evaluate(const union tvmq_desc *desc, const void *const in[], void *const outs[]) {
  const struct tvmq_copy_desc *d = &desc->copy;
  const size_t bytes = tvmq_type_bytes(d->in_type);
  size_t before = 0;
  if (pads_or_cuts(d)) return false;
  for (int k = 0; in[0] != NULL && k < d->n_out; before += d->pieces[k++]) {
    size_t n = 1, dims[TVMQ_COPY_AXES];
    for (int axis = 0; axis < d->rank; axis++) n *= dims[axis] = d->n_out > 1 && axis == d->piece_axis ? d->pieces[k] : d->axes[axis].n;
    for (size_t i = 0; i < n; i++) {
      size_t rest = i, from = 0;
      for (int axis = d->rank; axis-- > 0; rest /= dims[axis]) {
        const size_t index = rest % dims[axis] + (d->n_out > 1 && axis == d->piece_axis ? before : 0);
        from += (size_t)tvmq_copy_index(&d->axes[axis], index) * d->axes[axis].stride;
      }
      memcpy((uint8_t *)outs[k] + i * bytes, (const uint8_t *)in[0] + from, bytes);
    }
  }
  return in[0] != NULL;
}

static enum tvmq_turning turn(union tvmq_desc *desc, bool in, bool out) {
  struct tvmq_copy_desc *d = &desc->copy;
  if (in || out) {
    tvmq_turn_value(d->in_type, &d->value);
    tvmq_turn_type(&d->in_type);
    tvmq_turn_tensor(&d->out_type, &d->zero_point);
  }
  return TVMQ_TURNS_ALL;
}

static bool leavable(const union tvmq_desc *desc) {
  (void)desc;
  return true;
}

#define COPY .claim = claim, .turn = turn, .moves = moves, .light_if_wide = TVMQ_LIGHT("moves elements of 32 or 64 bits")

const struct tvmq_operator tvmq_operator_copy = {COPY, .leavable = leavable, .evaluate = evaluate};
const struct tvmq_operator tvmq_operator_pad = {COPY, .leavable = leavable};
const struct tvmq_operator tvmq_operator_variable = {COPY, .light = TVMQ_LIGHT("copies a variable")};
