// ADD.
#include <math.h>

#include "claim.h"
#include "claim_rules.h"
#include "quant_params.h"

// What the runtime's logarithm, rounded to float32, may take for a power of two (within 0.001), and some more: what lies between is nobody's.
static bool near_power_of_two(float scale) {
  const double exponent = log2(scale);
  return fabs(exponent - round(exponent)) < 0.002;
}

static const char *add_types(const struct tvmq_add_desc *desc) {
  if (desc->type == TVMQ_TYPE_F32) return "float32: not quantized";
  if (desc->type != TVMQ_TYPE_S8 && desc->type != TVMQ_TYPE_U8 && desc->type != TVMQ_TYPE_S16) return "tensors are not int8, uint8 or int16";
  if (desc->n == 0) return "empty tensor";
  return desc->n > INT32_MAX ? "tensor has more than 2^31 - 1 elements" : NULL;
}

static const char *add_quantization(const struct tvmq_add_desc *desc) {
  const struct tvmq_quant quants[] = {desc->in[0], desc->in[1], desc->out};
  for (int i = 0; i < 3; i++) {
    if (!good_scale(quants[i].scale)) return i < 2 ? "input scale is not positive and finite" : "output scale is not positive and finite";
    if (!fits_type(quants[i].zero_point, desc->type)) return i < 2 ? "input zero point is outside its type" : "output zero point is outside its type";
    if (desc->type == TVMQ_TYPE_S16 && quants[i].zero_point != 0) return "int16 with a zero point";
  }
  // The reference then shifts one input and adds, without rescaling.
  if (desc->type == TVMQ_TYPE_S16 && desc->powers_of_two && near_power_of_two(desc->in[0].scale) && near_power_of_two(desc->in[1].scale) &&
      near_power_of_two(desc->out.scale))
    return "int16 scales that are powers of two";
  return NULL;
}

// The runtime ends the process where a multiplier is not below 1, or not above 0.
static const char *add_scales(const struct tvmq_add_desc *desc) {
  double in[2], out;
  tvmq_add_ratios(desc, in, &out);
  for (int i = 0; i < 2; i++) {
    if (!(in[i] > 0 && in[i] < 1)) return "input scales are too far apart";
  }
  return out > 0 && out < 1 ? NULL : "input scale / output scale is out of range";
}

const char *tvmq_claim_add(const struct tvmq_add_desc *desc) {
  const char *reason = add_types(desc);
  if (reason == NULL) reason = activation_rule(desc->activation);
  if (reason == NULL) reason = add_quantization(desc);
  if (reason == NULL) reason = add_scales(desc);
  return reason != NULL ? reason : activation_range_rule(desc->activation, desc->out);
}
