// ADD.
#include <math.h>

#include "ops/claims/claim.h"
#include "ops/claims/claim_rules.h"
#include "ops/quant_params.h"

// What the runtime's logarithm, rounded to float32, may take for a power of two (within 0.001), and some more: what lies between is nobody's.
static bool near_power_of_two(float scale) {
  const double exponent = log2(scale);
  return fabs(exponent - round(exponent)) < 0.002;
}

static const char *zero_points(const struct tvmq_add_desc *desc) {
  if (desc->type != TVMQ_TYPE_S16) return NULL;
  return desc->in[0].zero_point == 0 && desc->in[1].zero_point == 0 && desc->out.zero_point == 0 ? NULL : "int16 with a zero point";
}

// The reference then shifts one input and adds, without rescaling.
static const char *powers_of_two(const struct tvmq_add_desc *desc) {
  if (desc->type != TVMQ_TYPE_S16 || !desc->powers_of_two) return NULL;
  const bool all = near_power_of_two(desc->in[0].scale) && near_power_of_two(desc->in[1].scale) && near_power_of_two(desc->out.scale);
  return all ? "int16 scales that are powers of two" : NULL;
}

// The runtime ends the process where a multiplier is not below 1, or not above 0.
static const char *ratios(const struct tvmq_add_desc *desc) {
  double in[2], out;
  tvmq_add_ratios(desc, in, &out);
  for (int i = 0; i < 2; i++) {
    if (!(in[i] > 0 && in[i] < 1)) return "input scales are too far apart";
  }
  return out > 0 && out < 1 ? NULL : "input scale / output scale is out of range";
}

const char *tvmq_claim_add(const struct tvmq_add_desc *desc) {
  return type_rule(desc->type) ?: elements_rule(desc->n) ?: activation_rule(desc->activation) ?: in_quant_rule(desc->in[0], desc->type)
             ?: in_quant_rule(desc->in[1], desc->type) ?: out_quant_rule(desc->out, desc->type) ?: zero_points(desc) ?: powers_of_two(desc)
             ?: ratios(desc) ?: activation_range_rule(desc->activation, desc->out);
}
