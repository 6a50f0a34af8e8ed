// Function of a byte in three forms: a table, the live part of the table, and slopes if the function has them.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/types.h"

// Slopes form of a function: in a group of eight bytes, each value exceeds the previous value by the group's slope plus
// 0 to n. With
//
//   index = sat8(int8(x ^ flip) + offset) as a byte,  group = index >> 3,  left = 8 - index % 8
//   value(x) = base[group] - left * slope[group] + the sum over i < n of ones(extra[i][group] >> left)   modulo 256
//
// where sat8 clamps to int8 and ones() counts the bits that are set. Smooth functions have this form, mostly with n =
// 1. Some functions need an offset, which shifts the borders of the groups. The clamp then maps several bytes to one
// index, so the function must be constant for these bytes.
enum { TVMQ_BYTE_GROUP = 8, TVMQ_BYTE_GROUPS = TVMQ_N_BYTES / TVMQ_BYTE_GROUP };
struct tvmq_byte_slopes {
  uint8_t base[TVMQ_BYTE_GROUPS], slope[TVMQ_BYTE_GROUPS], extra[2][TVMQ_BYTE_GROUPS];
  int n;  // extras per step: 0: no slopes; 1; or 2, with offset 0 only
  int8_t offset;
  uint8_t flip;  // 0 or 0x80; 0 if the offset is 0
};

struct tvmq_byte_map {
  uint8_t table[2 * TVMQ_N_BYTES];  // result for each byte, stored twice: 256 consecutive entries begin at any byte
  uint8_t first;                    // first of the `n_live` consecutive live bytes, modulo 256; all other bytes have one common result
  size_t n_live;                    // 0 to 256
  struct tvmq_byte_slopes slopes;
};

// Finds the live bytes from the first 256 entries of the table, repeats these entries, and clears the slopes. The bytes
// that are not live are the longest run with one value, where a function saturates. SiLU, for example, saturates at its
// left end.
static inline void tvmq_find_live_bytes(struct tvmq_byte_map *map) {
  memcpy(map->table + TVMQ_N_BYTES, map->table, TVMQ_N_BYTES);
  size_t longest = 0, end = 0;
  for (size_t i = 1, run = 1; i < 2 * TVMQ_N_BYTES; i++) {
    run = map->table[i] == map->table[i - 1] ? run + 1 : 1;
    end = run > longest ? i + 1 : end;
    longest = run > longest ? run : longest;
  }
  map->first = (uint8_t)end;
  map->n_live = longest < TVMQ_N_BYTES ? TVMQ_N_BYTES - longest : 0;
  map->slopes.n = 0;
}
