// Functions of int16 by linear interpolation in a table of up to 512 entries: the one definition for kernels and for the functions that fill the tables.
//
// An element becomes a number of steps. A step is 2^-bits of the distance between entries. With a folded table, entries are for absolute numbers of steps, and
// a negative number changes the sign of the interpolated value.
//
//   steps = floor((x * multiplier + 2^(shift - 1)) / 2^shift)     steps = x unless the table is folded
//   p     = 2^bits * base + rest * slope                          entry steps >> bits, rest: the lowest bits
//   out   = offset + floor((p or -p - 1, + 2^(out_bits - 1)) / 2^out_bits), its lowest 16 bits
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/inline.h"

enum { TVMQ_WORD_MAP_ENTRIES = 512, TVMQ_WORD_MAP_MIDDLE = TVMQ_WORD_MAP_ENTRIES / 2 };

struct tvmq_word_map {
  bool is_folded;             // the table begins in the middle, and its last entry also serves all steps beyond it
  int32_t multiplier, shift;  // folded: |x * multiplier| + 2^(shift - 1) < 2^31
  int32_t bits, out_bits, offset;
  int32_t entries[TVMQ_WORD_MAP_ENTRIES];  // lower 16 bits: base; upper 16 bits: slope; entry 0 is in the middle
};

TVMQ_INLINE int32_t tvmq_word_map_entry(int32_t base, int32_t slope) { return (int32_t)((uint32_t)(uint16_t)base | (uint32_t)slope << 16); }

// Sets *map to the reference's interpolation in a table whose 513 entries are 2^7 elements apart. Slopes wrap as there.
TVMQ_INLINE void tvmq_word_map_of_table(const int16_t table[TVMQ_WORD_MAP_ENTRIES + 1], struct tvmq_word_map *map) {
  *map = (struct tvmq_word_map){.bits = 7, .out_bits = 7};
  for (int i = 0; i < TVMQ_WORD_MAP_ENTRIES; i++) map->entries[i] = tvmq_word_map_entry(table[i], table[i + 1] - table[i]);
}

// Returns the term that makes steps round.
TVMQ_INLINE int32_t tvmq_word_map_half(const struct tvmq_word_map *map) { return map->shift > 0 ? 1 << (map->shift - 1) : 0; }

// Returns the term that makes results round, with the offset.
TVMQ_INLINE int32_t tvmq_word_map_round(const struct tvmq_word_map *map) { return map->offset * (1 << map->out_bits) + (1 << (map->out_bits - 1)); }

TVMQ_INLINE int16_t tvmq_word_map_value(const struct tvmq_word_map *map, int16_t x) {
  int32_t steps = x, sign = 0;
  if (map->is_folded) {
    steps = (x * map->multiplier + tvmq_word_map_half(map)) >> map->shift;
    sign = steps >> 31;
    steps = (steps ^ sign) - sign;
    const int32_t most = (TVMQ_WORD_MAP_MIDDLE - 1) << map->bits;
    if (steps > most) steps = most;
  }
  const int32_t entry = map->entries[TVMQ_WORD_MAP_MIDDLE + (steps >> map->bits)], rest = steps & ((1 << map->bits) - 1);
  const int32_t p = (int16_t)entry * (1 << map->bits) + (entry >> 16) * rest;
  return (int16_t)(((p ^ sign) + tvmq_word_map_round(map)) >> map->out_bits);
}
