// A function of a byte: as a table, as the part of it that has to be looked up, and by slopes where it has them.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/types.h"

// A function by slopes: in a group of eight bytes, each value exceeds the one before by the group's slope, or by up to n more. With
//
//   index = sat8(int8(x ^ flip) + offset) as a byte,  group = index >> 3,  left = 8 - index % 8
//   value(x) = base[group] - left * slope[group] + the sum over i < n of ones(extra[i][group] >> left)   modulo 256
//
// where sat8 clamps to int8 and ones() counts the bits that are set. Smooth functions are of this kind, mostly with n = 1. Some need an offset, which shifts
// the borders of the groups; the clamp then gives several bytes one index, so the function must be constant there.
enum { TVMQ_BYTE_GROUP = 8, TVMQ_BYTE_GROUPS = TVMQ_N_BYTES / TVMQ_BYTE_GROUP };
struct tvmq_byte_slopes {
  uint8_t base[TVMQ_BYTE_GROUPS], slope[TVMQ_BYTE_GROUPS], extra[2][TVMQ_BYTE_GROUPS];
  int n;  // 0: the function is not given in this way; 1; or 2 without an offset
  int8_t offset;
  uint8_t flip;  // 0 or 0x80; without an offset 0
};

struct tvmq_byte_map {
  uint8_t table[2 * TVMQ_N_BYTES];  // what each byte becomes, twice: a kernel that counts bytes from another than 0 finds all behind it
  uint8_t first;                    // all bytes become one value but for `n_live` of them: first, first + 1, ..., where 0 comes after 255
  size_t n_live;                    // 0 to 256
  struct tvmq_byte_slopes slopes;
};

// Finds the live bytes by the first 256 entries of the table, and repeats these; the map has no slopes then. The bytes that are not live are the longest run of
// one value: where a function saturates, as SiLU does on its left.
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
