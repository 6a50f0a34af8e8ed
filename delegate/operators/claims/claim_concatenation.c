// CONCATENATION.
#include "exact/rescaled_bytes.h"
#include "operators/claims/claim.h"
#include "operators/claims/claim_rules.h"

// The reference concatenates nothing else.
static const char *no_activation(enum tvmq_activation activation) {
  return activation == TVMQ_ACTIVATION_NONE ? NULL : "fused_activation_function is not NONE";
}

static const char *elements(const struct tvmq_concatenation_desc *desc) {
  size_t bytes = 0;
  for (int i = 0; i < desc->n_in; i++) bytes += desc->row_bytes[i];
  return elements_rule(desc->rows * bytes / tvmq_type_bytes(desc->type));
}

// The reference rescales uint8 in float32.
static const char *rescaled(const struct tvmq_concatenation_desc *desc, int input) {
  uint8_t table[UINT8_MAX + 1];
  const char *reason = in_quant_rule(desc->in[input], desc->type) ?: out_quant_rule(desc->out, desc->type);
  if (reason != NULL) return reason;
  const struct tvmq_byte_scale in = {desc->in[input].scale, desc->in[input].zero_point}, out = {desc->out.scale, desc->out.zero_point};
  return tvmq_rescaled_table(in, out, table) ? NULL : "the result of rescaling an input depends on how the runtime was compiled";
}

// int16 is copied whatever the scales are. Where they differ the runtimes refuse int8.
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
