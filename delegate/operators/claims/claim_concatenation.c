// CONCATENATION.
#include <string.h>

#include "exact/rescaled_bytes.h"
#include "operators/claims/claim.h"
#include "operators/claims/claim_rules.h"
#include "operators/operator.h"

// Refuses fused activations, which the reference does not support.
static const char *no_activation(enum tvmq_activation activation) {
  return activation == TVMQ_ACTIVATION_NONE ? NULL : "fused_activation_function is not NONE";
}

static const char *elements(const struct tvmq_concatenation_desc *desc) {
  size_t bytes = 0;
  for (int i = 0; i < desc->n_in; i++) bytes += desc->row_bytes[i];
  return elements_rule(desc->rows * bytes / tvmq_type_bytes(desc->type));
}

// Checks an input that is rescaled: the reference rescales uint8 in float32.
static const char *rescaled(const struct tvmq_concatenation_desc *desc, int input) {
  uint8_t table[UINT8_MAX + 1];
  const char *reason = in_quant_rule(desc->in[input], desc->type) ?: out_quant_rule(desc->out, desc->type);
  if (reason != NULL) return reason;
  const struct tvmq_byte_scale in = {desc->in[input].scale, desc->in[input].zero_point}, out = {desc->out.scale, desc->out.zero_point};
  return tvmq_rescaled_table(in, out, table) ? NULL : "the result of rescaling an input depends on how the runtime was compiled";
}

// Checks scales and zero points. int16 is copied even if scales differ; runtimes refuse int8 with different scales.
static const char *scales(const struct tvmq_concatenation_desc *desc) {
  const bool wide = desc->type == TVMQ_TYPE_S16;
  if (wide && desc->out.zero_point != 0) return "int16 with a zero point other than 0";
  for (int i = 0; i < desc->n_in; i++) {
    if (tvmq_concatenation_rescales(desc, i)) {
      const char *reason = rescaled(desc, i);
      if (reason != NULL) return reason;
      continue;
    }
    if (desc->in[i].zero_point != desc->out.zero_point) return "input and output zero points differ";
    if (!wide && desc->in[i].scale != desc->out.scale) return "input and output scales differ";
  }
  return NULL;
}

const char *tvmq_claim_concatenation(const struct tvmq_concatenation_desc *desc) {
  const bool quantized = type_rule(desc->type) == NULL;
  return moved_type_rule(desc->type) ?: no_activation(desc->activation) ?: elements(desc) ?: (quantized ? scales(desc) : NULL);
}

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_concatenation(&desc->concatenation); }

static bool leavable(const union tvmq_desc *desc) {
  const struct tvmq_concatenation_desc *d = &desc->concatenation;
  for (int i = 0; i < d->n_in; i++) {
    if (tvmq_concatenation_rescales(d, i)) return false;
  }
  return true;
}

// Allows turns if all inputs are copied, because copying does not depend on the sign of bytes.
static enum tvmq_turning turn(union tvmq_desc *desc, bool in, bool out) {
  (void)in, (void)out;
  return leavable(desc) ? TVMQ_TURNS_ALL : TVMQ_TURNS_NONE;
}

// For a single row, the inputs are consecutive in the output.
static uint32_t moves(const union tvmq_desc *desc, size_t offsets[]) {
  const struct tvmq_concatenation_desc *d = &desc->concatenation;
  if (d->rows != 1 || !leavable(desc)) return 0;
  size_t at = 0;
  for (int i = 0; i < d->n_in; at += d->row_bytes[i++]) offsets[i] = at;
  return d->n_in == 1 ? TVMQ_MOVES_INTO_OUT | TVMQ_MOVES_OUT_OF_IN : TVMQ_MOVES_INTO_OUT;
}

static bool evaluate(const union tvmq_desc *desc, const void *const in[], void *const outs[]) {
  const struct tvmq_concatenation_desc *d = &desc->concatenation;
  uint8_t *out = outs[0];
  for (int i = 0; i < d->n_in; i++) {
    if (in[i] == NULL) return false;
  }
  for (size_t row = 0; row < d->rows; row++) {
    for (int i = 0; i < d->n_in; out += d->row_bytes[i++]) memcpy(out, (const uint8_t *)in[i] + row * d->row_bytes[i], d->row_bytes[i]);
  }
  return true;
}

const struct tvmq_operator tvmq_operator_concatenation = {
    .claim = claim,
    .leavable = leavable,
    .turn = turn,
    .moves = moves,
    .evaluate = evaluate,
    .light_if_wide = TVMQ_LIGHT("moves elements of 32 or 64 bits"),
};
