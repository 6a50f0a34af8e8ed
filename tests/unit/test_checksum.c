// Checksums notice whatever changes in memory.
#include <stdint.h>

#include "base/checksum.h"
#include "unit.h"

int main(void) {
  enum { N = 200 };
  static uint8_t bytes[N];
  unsigned long long state = 1;
  for (int i = 0; i < N; i++) bytes[i] = (uint8_t)(unit_random(&state) >> 56);
  for (size_t n = 0; n <= N; n++) {
    const uint64_t sum = tvmq_checksum(7, bytes, n);
    CHECK(tvmq_checksum(7, bytes, n) == sum && tvmq_checksum(8, bytes, n) != sum, "%zu bytes", n);
    CHECK(n == 0 || tvmq_checksum(7, bytes, n - 1) != sum, "%zu bytes and one less", n);
    for (size_t bit = 0; bit < 8 * n; bit++) {
      bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
      const uint64_t changed = tvmq_checksum(7, bytes, n);
      bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
      if (!CHECK(changed != sum, "bit %zu of %zu bytes", bit, n)) break;
    }
    // Words that change places.
    for (size_t i = 0; i + 16 <= n; i += 8) {
      uint8_t swapped[N];
      memcpy(swapped, bytes, sizeof swapped);
      memcpy(swapped + i, bytes + i + 8, 8);
      memcpy(swapped + i + 8, bytes + i, 8);
      CHECK(tvmq_checksum(7, swapped, n) != sum, "words %zu bytes from the start", i);
    }
  }
  static const uint8_t zeros[N];
  for (size_t n = 1; n < N; n++) CHECK(tvmq_checksum(0, zeros, n) != tvmq_checksum(0, zeros, n - 1), "%zu zeros", n);
  return unit_report();
}
