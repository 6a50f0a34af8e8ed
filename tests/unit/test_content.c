// Names of contents: equal bytes have equal names wherever they lie, and any change gives another, as does another seed.
#include <stdlib.h>

#include "base/build_id.h"
#include "base/content.h"
#include "unit.h"

static struct tvmq_hasher hasher, other;

static bool same(const void *a, size_t n_a, const void *b, size_t n_b) {
  const struct tvmq_key x = tvmq_content(&hasher, a, n_a), y = tvmq_content(&hasher, b, n_b);
  return tvmq_key_equal(&x, &y);
}

static void check_changes(uint8_t *bytes, size_t n) {
  uint8_t *const copy = malloc(n + 1);  // off any alignment
  memcpy(copy + 1, bytes, n);
  CHECK(same(bytes, n, copy + 1, n), "%zu bytes elsewhere", n);
  CHECK(n == 0 || !same(bytes, n, bytes, n - 1), "%zu bytes and one less", n);
  const size_t step = n > 300 ? 37 : 1;
  for (size_t bit = 0; bit < 8 * n; bit += step) {
    copy[1 + bit / 8] ^= (uint8_t)(1 << bit % 8);
    const bool unseen = same(bytes, n, copy + 1, n);
    copy[1 + bit / 8] ^= (uint8_t)(1 << bit % 8);
    if (!CHECK(!unseen, "bit %zu of %zu bytes", bit, n)) break;
  }
  for (size_t i = 0; i + 16 <= n; i += 8 * step) {
    if (memcmp(bytes + i, bytes + i + 8, 8) == 0) continue;
    memcpy(copy + 1 + i, bytes + i + 8, 8);
    memcpy(copy + 1 + i + 8, bytes + i, 8);
    CHECK(!same(bytes, n, copy + 1, n), "words %zu of %zu bytes change places", i / 8, n);
    memcpy(copy + 1 + i, bytes + i, 16);
  }
  free(copy);
}

int main(void) {
  enum { MOST = 9000 };
  static uint8_t bytes[MOST];
  static const uint8_t zeros[MOST];
  unsigned long long state = 1;
  for (size_t i = 0; i < MOST; i++) bytes[i] = (uint8_t)(unit_random(&state) >> 56);
  tvmq_hasher_init(&hasher, (uint64_t[]){1, 2});
  tvmq_hasher_init(&other, (uint64_t[]){1, 3});
  for (size_t n = 0; n < 100; n++) check_changes(bytes, n);
  static const size_t sizes[] = {2047, 2048, 2049, 2080, 4096, 4097, MOST};
  for (size_t i = 0; i < N_ELEMENTS(sizes); i++) check_changes(bytes, sizes[i]);
  for (size_t n = 1; n < MOST; n += 13) CHECK(!same(zeros, n, zeros, n - 1), "%zu zeros", n);
  for (size_t n = 0; n < MOST; n += 613) {
    const struct tvmq_key a = tvmq_content(&hasher, bytes, n), b = tvmq_content(&other, bytes, n);
    CHECK(!tvmq_key_equal(&a, &b), "%zu bytes, another seed", n);
  }
  uint64_t seed[2], again[2];
  tvmq_process_seed(seed);
  tvmq_process_seed(again);
  CHECK(memcmp(seed, again, sizeof seed) == 0 && (seed[0] | seed[1]) != 0, "one seed for a process");
  uint8_t id[TVMQ_BUILD_ID_BYTES], second[TVMQ_BUILD_ID_BYTES];
  CHECK(tvmq_build_id(id) && tvmq_build_id(second) && memcmp(id, second, sizeof id) == 0, "one build ID");
  return unit_report();
}
