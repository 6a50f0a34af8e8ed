// Which bytes of a table have to be looked up.
#include "arithmetic/byte_map.h"
#include "unit.h"

enum { ANY = -1 };

// A table of `n` entries of one value from `first` on, and others that differ from their neighbours.
static void check(int first, int n, int wanted_first, size_t wanted_live) {
  struct tvmq_byte_map map;
  for (int i = 0; i < TVMQ_N_BYTES; i++) map.table[(first + i) % TVMQ_N_BYTES] = (uint8_t)(i < n ? 7 : 8 + i % 2);
  tvmq_find_live_bytes(&map);
  CHECK(map.n_live == wanted_live, "%d alike from %d on: %zu live", n, first, map.n_live);
  CHECK(wanted_first == ANY || map.first == wanted_first, "%d alike from %d on: live from %d on", n, first, map.first);
  for (int i = 0; i < TVMQ_N_BYTES; i++) CHECK(map.table[i] == map.table[TVMQ_N_BYTES + i], "entry %d is not there twice", i);
}

int main(void) {
  for (int first = 0; first < TVMQ_N_BYTES; first++) {
    for (int n = 2; n < TVMQ_N_BYTES; n++) check(first, n, (first + n) % TVMQ_N_BYTES, (size_t)(TVMQ_N_BYTES - n));
  }
  check(0, 0, ANY, TVMQ_N_BYTES - 1);
  check(0, TVMQ_N_BYTES, ANY, 0);
  return unit_report();
}
