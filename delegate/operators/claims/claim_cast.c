// CAST.
#include "operators/cast.h"
#include "operators/claims/claim.h"
#include "operators/claims/claim_rules.h"
#include "operators/operator.h"

// Checks the types. Conversions to narrower integers keep the low bits in every runtime. Conversions from float32 to
// integers differ between runtimes for values outside the integer type.
static const char *types(const struct tvmq_cast_desc *desc) {
  static const enum tvmq_type integers[] = {TVMQ_TYPE_S8, TVMQ_TYPE_U8, TVMQ_TYPE_S16, TVMQ_TYPE_S32, TVMQ_TYPE_S64};
  bool from = false, to = desc->out_type == TVMQ_TYPE_F32;
  for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++) {
    from |= desc->in_type == integers[i];
    to |= desc->out_type == integers[i];
  }
  if (desc->in_type == TVMQ_TYPE_F32) return "float32 to integer: out-of-range values differ between runtimes";
  return from && to ? NULL : "conversion between these types is not supported";
}

const char *tvmq_claim_cast(const struct tvmq_cast_desc *desc) { return types(desc) ?: elements_rule(desc->n); }

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_cast(&desc->cast); }

// Sets the output byte to the same bits as the input byte.
static bool byte_function(const union tvmq_desc *desc, enum tvmq_rounding rounding, const uint8_t *const in[], uint8_t out[TVMQ_N_BYTES]) {
  (void)desc, (void)rounding;
  for (int x = 0; x < TVMQ_N_BYTES; x++) out[x] = in[0][x];
  return true;
}

static bool evaluate(const union tvmq_desc *desc, const void *const in[], void *const outs[]) {
  if (in[0] != NULL) tvmq_cast(&desc->cast, in[0], outs[0], 0, desc->cast.n);
  return in[0] != NULL;
}

const struct tvmq_operator tvmq_operator_cast = {
    .claim = claim,
    .byte_function = byte_function,
    .evaluate = evaluate,
    .light = TVMQ_LIGHT("converts elements"),
};
