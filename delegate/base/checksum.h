// Checksums that detect changes of constants but do not withstand attacks. Any change of up to eight neighbouring bytes
// changes the sum.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t tvmq_checksum_word(uint64_t sum, uint64_t word) {
  sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return sum ^ sum >> 29;
}

// Returns the checksum of `data`, continued from `sum`, the checksum of the preceding data. Uses four independent sums,
// because each sum has to wait for its previous product.
static inline uint64_t tvmq_checksum(uint64_t sum, const void *data, size_t bytes) {
  const uint8_t *at = data;
  uint64_t lanes[4] = {sum, 1, 2, 3}, word;
  size_t left = bytes;
  for (; left >= sizeof lanes; left -= sizeof lanes, at += sizeof lanes) {
    for (int i = 0; i < 4; i++) {
      memcpy(&word, at + 8 * i, sizeof word);
      lanes[i] = tvmq_checksum_word(lanes[i], word);
    }
  }
  for (; left > 0; left -= left < 8 ? left : 8, at += 8) {
    word = 0;
    memcpy(&word, at, left < 8 ? left : 8);
    lanes[0] = tvmq_checksum_word(lanes[0], word);
  }
  for (int i = 1; i < 4; i++) lanes[0] = tvmq_checksum_word(lanes[0], lanes[i]);
  return tvmq_checksum_word(lanes[0], bytes);
}
