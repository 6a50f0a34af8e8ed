// Operators that no rule refuses: those for which nothing runs at an inference, and functions of a byte, as which nodes are computed but not read.
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
