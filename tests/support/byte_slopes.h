// Computes what a byte becomes by slopes (kernels/byte_map.h), from one to the next in its group.
#pragma once

#include "arithmetic/byte_map.h"

static inline uint8_t slopes_value(const struct tvmq_byte_slopes *slopes, int x) {
  const int moved = (int8_t)(x ^ slopes->flip) + slopes->offset;
  const uint8_t index = (uint8_t)(moved > INT8_MAX ? INT8_MAX : moved < INT8_MIN ? INT8_MIN : moved);
  const int group = index / TVMQ_BYTE_GROUP;
  uint8_t value = (uint8_t)(slopes->base[group] - TVMQ_BYTE_GROUP * slopes->slope[group]);
  for (int i = 0; i < index % TVMQ_BYTE_GROUP; i++) {
    value = (uint8_t)(value + slopes->slope[group]);
    for (int k = 0; k < slopes->n; k++) value = (uint8_t)(value + (slopes->extra[k][group] >> (TVMQ_BYTE_GROUP - 1 - i) & 1));
  }
  return value;
}
