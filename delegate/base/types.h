// Element types of tensors.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tvmq_type { TVMQ_TYPE_OTHER, TVMQ_TYPE_S8, TVMQ_TYPE_U8, TVMQ_TYPE_S16, TVMQ_TYPE_S32, TVMQ_TYPE_S64, TVMQ_TYPE_F32, TVMQ_TYPE_S4, TVMQ_TYPE_BOOL };

// Returns the bytes of an element. int4 counts as one byte, because nodes with int4 tensors are never claimed.
static inline size_t tvmq_type_bytes(enum tvmq_type type) {
  static const uint8_t bytes[] = {[TVMQ_TYPE_S8] = 1,  [TVMQ_TYPE_U8] = 1, [TVMQ_TYPE_S16] = 2,  [TVMQ_TYPE_S32] = 4,  [TVMQ_TYPE_S64] = 8,
                                  [TVMQ_TYPE_F32] = 4, [TVMQ_TYPE_S4] = 1, [TVMQ_TYPE_BOOL] = 1, [TVMQ_TYPE_OTHER] = 1};
  return bytes[type];
}

// Returns the type's name as signatures of operators use it.
static inline const char *tvmq_type_name(enum tvmq_type type) {
  static const char *const names[] = {
      [TVMQ_TYPE_S8] = "s8",   [TVMQ_TYPE_U8] = "u8", [TVMQ_TYPE_S16] = "s16",   [TVMQ_TYPE_S32] = "s32",    [TVMQ_TYPE_S64] = "s64",
      [TVMQ_TYPE_F32] = "f32", [TVMQ_TYPE_S4] = "s4", [TVMQ_TYPE_BOOL] = "bool", [TVMQ_TYPE_OTHER] = "other"};
  return names[type];
}

enum { TVMQ_N_BYTES = 256 };  // number of values of an 8-bit element

// Returns whether elements are quantized to 8 bits.
static inline bool tvmq_type_is_byte(enum tvmq_type type) { return type == TVMQ_TYPE_S8 || type == TVMQ_TYPE_U8; }

// Returns the value of an 8-bit element.
static inline int32_t tvmq_byte_value(enum tvmq_type type, uint8_t byte) { return type == TVMQ_TYPE_S8 ? (int8_t)byte : byte; }

// Smallest and largest value of a quantized tensor's type. Types that are not quantized have the range of int32.
struct tvmq_range {
  int32_t min, max;
};
static inline struct tvmq_range tvmq_type_range(enum tvmq_type type) {
  switch (type) {
    case TVMQ_TYPE_S8:
      return (struct tvmq_range){INT8_MIN, INT8_MAX};
    case TVMQ_TYPE_U8:
      return (struct tvmq_range){0, UINT8_MAX};
    case TVMQ_TYPE_S16:
      return (struct tvmq_range){INT16_MIN, INT16_MAX};
    default:
      return (struct tvmq_range){INT32_MIN, INT32_MAX};
  }
}
