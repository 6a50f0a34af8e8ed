// Turned tensors: an int8 tensor kept as uint8, or the other way round. Each byte is xored with 0x80, and the zero point is 128 more or less, so that all
// values are the same (graph/turn_bytes.h).
#pragma once

#include <stdint.h>

#include "base/types.h"

enum { TVMQ_TURN = 0x80 };  // xor on each byte

// Which of an operator's 8-bit tensors may be turned.
enum tvmq_turning {
  TVMQ_TURNS_NONE,
  TVMQ_TURNS_ALL,  // all tensors together
  TVMQ_TURNS_EACH  // the first input and the first output, each as it comes
};

// Returns the type of a tensor as kernels see it: uint8 is flipped int8.
static inline enum tvmq_type tvmq_kernel_type(enum tvmq_type type) { return type == TVMQ_TYPE_U8 ? TVMQ_TYPE_S8 : type; }

// Return the xor that converts a tensor's bytes to int8, and to uint8. 0: the bytes already have that type, or the
// tensor is not 8-bit.
static inline uint8_t tvmq_flip_to_s8(enum tvmq_type type) { return type == TVMQ_TYPE_U8 ? TVMQ_TURN : 0; }
static inline uint8_t tvmq_flip_to_u8(enum tvmq_type type) { return type == TVMQ_TYPE_S8 ? TVMQ_TURN : 0; }

// Adds 128 to a value of an int8 tensor, or subtracts 128 from a value of a uint8 tensor. Wraps, because an unused zero
// point may have any value.
static inline void tvmq_turn_value(enum tvmq_type type, int32_t *value) {
  if (type == TVMQ_TYPE_S8) *value = (int32_t)((uint32_t)*value + TVMQ_TURN);
  if (type == TVMQ_TYPE_U8) *value = (int32_t)((uint32_t)*value - TVMQ_TURN);
}

static inline void tvmq_turn_type(enum tvmq_type *type) {
  if (*type == TVMQ_TYPE_S8)
    *type = TVMQ_TYPE_U8;
  else if (*type == TVMQ_TYPE_U8)
    *type = TVMQ_TYPE_S8;
}

// Turns the type and the zero point of a tensor.
static inline void tvmq_turn_tensor(enum tvmq_type *type, int32_t *zero_point) {
  tvmq_turn_value(*type, zero_point);
  tvmq_turn_type(type);
}
