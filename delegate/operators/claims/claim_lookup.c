// EMBEDDING_LOOKUP.
#include "operators/claims/claim.h"
#include "operators/claims/claim_rules.h"
#include "operators/operator.h"

static const char *types(const struct tvmq_lookup_desc *desc) {
  if (desc->table_type == TVMQ_TYPE_S4) return "an int4 table is not supported";
  if (!tvmq_type_is_byte(desc->table_type) && desc->table_type != TVMQ_TYPE_F32) return "the table is not int8, uint8 or float32";
  if (!tvmq_lookup_converts(desc)) return NULL;
  return tvmq_type_is_byte(desc->table_type) && desc->out_type == TVMQ_TYPE_F32 ? NULL : "the output is neither float32 nor of the table's type";
}

static const char *sizes(const struct tvmq_lookup_desc *desc) {
  if (desc->n <= 0 || desc->rows <= 0 || desc->row <= 0) return "empty tensor";
  return too_many(desc->n, desc->row, 1, 1) || too_many(desc->rows, desc->row, 1, 1) ? "tensor has more than 2^31 - 1 elements" : NULL;
}

static const char *scales(const struct tvmq_lookup_desc *desc) {
  if (!tvmq_lookup_converts(desc)) return NULL;
  if (desc->scales == NULL || desc->n_scales <= 0) return "the table has no scale";
  if (desc->offset) return "a zero point of the table is not 0";
  if (desc->n_scales != 1 && desc->n_scales != desc->rows) return "number of the table's scales is neither 1 nor the number of its rows";
  if (desc->n_scales != 1 && !desc->knows_row_scales) return "some of the runtimes ignore scales of rows: see the option fully_connected";
  for (int32_t i = 0; i < desc->n_scales; i++) {
    if (!good_scale(desc->scales[i])) return "a scale of the table is not positive and finite";
  }
  return NULL;
}

const char *tvmq_claim_lookup(const struct tvmq_lookup_desc *desc) { return types(desc) ?: sizes(desc) ?: scales(desc); }

static const char *claim(const union tvmq_desc *desc) { return tvmq_claim_lookup(&desc->lookup); }

const struct tvmq_operator tvmq_operator_lookup = {.claim = claim, .light = TVMQ_LIGHT("looks up rows")};
