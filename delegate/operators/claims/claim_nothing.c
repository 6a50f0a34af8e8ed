// Operators that no rule refuses: operators that run nothing at an inference, and functions of a byte, which the
// delegate makes from other nodes but never reads from a model.
#include "operators/operator.h"

static const char *claim(const union tvmq_desc *desc) {
  (void)desc;
  return NULL;
}

const struct tvmq_operator tvmq_operator_nothing = {
    .claim = claim,
    .light = TVMQ_LIGHT("has to do with variables"),
};

static enum tvmq_turning turn(union tvmq_desc *desc, bool in, bool out) {
  if (in) desc->byte_map.in_flip ^= TVMQ_TURN;
  if (out) desc->byte_map.out_flip ^= TVMQ_TURN;
  return TVMQ_TURNS_EACH;
}

const struct tvmq_operator tvmq_operator_byte_map = {
    .turn = turn,
};
