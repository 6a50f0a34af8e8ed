// A function of a byte, as a table and as the part of it that has to be looked up.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/types.h"

struct tvmq_byte_map {
  uint8_t table[2 * TVMQ_N_BYTES];  // what each byte becomes, twice: a kernel that counts bytes from another than 0 finds all behind it
  uint8_t first;                    // all bytes become one value but for `n_live` of them: first, first + 1, ..., where 0 comes after 255
  size_t n_live;                    // 0 to 256
};

// Makes all else from the first 256 entries of the table. The bytes that are not live are the longest run of one value: where a function saturates, as SiLU
// does on its left.
static inline void tvmq_complete_byte_map(struct tvmq_byte_map *map) {
  memcpy(map->table + TVMQ_N_BYTES, map->table, TVMQ_N_BYTES);
  size_t longest = 0, end = 0;
  for (size_t i = 1, run = 1; i < 2 * TVMQ_N_BYTES; i++) {
    run = map->table[i] == map->table[i - 1] ? run + 1 : 1;
    end = run > longest ? i + 1 : end;
    longest = run > longest ? run : longest;
  }
  map->first = (uint8_t)end;
  map->n_live = longest < TVMQ_N_BYTES ? TVMQ_N_BYTES - longest : 0;
}

// ---- byte_map: out[i] = map->table[in[i]], of bytes of either type
//
// The tensors are one or do not overlap.
struct tvmq_byte_map_args {
  const void *in;
  void *out;
  size_t n;
  const struct tvmq_byte_map *map;
};
typedef void (*tvmq_byte_map_fn)(const struct tvmq_byte_map_args *args);
