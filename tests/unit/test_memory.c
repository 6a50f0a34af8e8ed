#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arith.h"
#include "base/memory.h"
#include "packing/layout.h"
#include "unit.h"

static void check_blocks(void) {
  static const size_t sizes[] = {0, 1, 63, 64, 65, 4096, 1000003};
  const size_t live = tvmq_alloc_fail_at(0);
  for (size_t i = 0; i < N_ELEMENTS(sizes); i++) {
    unsigned char *block = tvmq_alloc(sizes[i]);
    if (!CHECK(block != NULL, "size %zu", sizes[i])) continue;
    CHECK((uintptr_t)block % TVMQ_ALIGNMENT == 0, "size %zu", sizes[i]);
    size_t not_zero = 0;
    for (size_t j = 0; j < sizes[i]; j++) not_zero += block[j] != 0;
    CHECK(not_zero == 0, "size %zu: %zu bytes", sizes[i], not_zero);
    memset(block, 0xa5, sizes[i]);  // so that a block that is handed out again must be cleared
    CHECK(tvmq_alloc_fail_at(0) == live + 1, "size %zu", sizes[i]);
    tvmq_free(block);
    CHECK(tvmq_alloc_fail_at(0) == live, "size %zu", sizes[i]);
    block = tvmq_alloc_unset(sizes[i]);
    CHECK(block != NULL && (uintptr_t)block % TVMQ_ALIGNMENT == 0 && tvmq_alloc_live() == live + 1, "size %zu, not filled", sizes[i]);
    tvmq_free(block);
  }
  tvmq_free(NULL);
  CHECK(tvmq_alloc_fail_at(0) == live, "after freeing NULL");
  CHECK(tvmq_alloc(SIZE_MAX) == NULL && tvmq_alloc_unset(SIZE_MAX) == NULL, "SIZE_MAX");
  CHECK(tvmq_alloc(SIZE_MAX - 64) == NULL, "SIZE_MAX - 64");
  CHECK(tvmq_alloc((size_t)PTRDIFF_MAX + 1) == NULL, "PTRDIFF_MAX + 1");
  CHECK(tvmq_alloc_fail_at(0) == live, "after failures");
}

static void check_failure(size_t n, bool once) {
  void *blocks[6];
  const size_t live = once ? tvmq_alloc_fail_once(n) : tvmq_alloc_fail_at(n);
  size_t n_failed = 0;
  for (size_t i = 0; i < N_ELEMENTS(blocks); i++) {
    blocks[i] = tvmq_alloc(16);
    CHECK((blocks[i] == NULL) == (once ? i + 1 == n : i + 1 >= n), "failure from %zu on, once %d, allocation %zu", n, once, i + 1);
    n_failed += blocks[i] == NULL;
  }
  CHECK(tvmq_alloc_fail_at(0) == live + N_ELEMENTS(blocks) - n_failed, "failure from %zu on, once %d", n, once);
  for (size_t i = 0; i < N_ELEMENTS(blocks); i++) tvmq_free(blocks[i]);
  void *block = tvmq_alloc(16);
  CHECK(block != NULL, "turned off again");
  tvmq_free(block);
}

static void check_failures(void) {
  for (size_t n = 1; n <= 4; n++) {
    check_failure(n, false);
    check_failure(n, true);
  }
}

// Counted down with the others, but another's to release.
static void check_foreign(void) {
  const size_t live = tvmq_alloc_fail_at(2);
  void *first = tvmq_alloc_foreign(10), *second = tvmq_alloc_foreign(10);
  CHECK(first != NULL && second == NULL, "the second fails");
  CHECK(tvmq_alloc_live() == live, "not counted");
  free(first);
  tvmq_alloc_fail_at(0);
}

static void *allocate_often(void *failures) {
  for (int i = 0; i < 2000; i++) {
    void *block = tvmq_alloc(100);
    if (block == NULL) ++*(size_t *)failures;
    tvmq_free(block);
  }
  return NULL;
}

// Threads share the countdown: of all their allocations exactly n - 1 succeed.
static void check_threads(void) {
  pthread_t threads[4];
  size_t failures[4] = {0}, total = 0;
  const size_t live = tvmq_alloc_fail_at(1001);
  for (size_t i = 0; i < N_ELEMENTS(threads); i++) pthread_create(&threads[i], NULL, allocate_often, &failures[i]);
  for (size_t i = 0; i < N_ELEMENTS(threads); i++) {
    pthread_join(threads[i], NULL);
    total += failures[i];
  }
  CHECK(total == N_ELEMENTS(threads) * 2000 - 1000, "%zu failures", total);
  CHECK(tvmq_alloc_fail_at(0) == live, "nothing left");
}

static void check_arithmetic(void) {
  static const struct {
    size_t a, b;
    bool mul, add;
  } cases[] = {
      {0, SIZE_MAX, true, true},
      {1, SIZE_MAX, true, false},
      {2, SIZE_MAX, false, false},
      {SIZE_MAX, SIZE_MAX, false, false},
      {(size_t)1 << 32, ((size_t)1 << 32) - 1, true, true},
      {(size_t)1 << 32, (size_t)1 << 32, false, true},
      {3, 5, true, true},
  };
  for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
    const size_t a = cases[i].a, b = cases[i].b;
    size_t product = 77, sum = 77;
    CHECK(tvmq_mul_size(a, b, &product) == cases[i].mul, "case %zu", i);
    CHECK(product == (cases[i].mul ? a * b : 77), "case %zu", i);
    CHECK(tvmq_add_size(a, b, &sum) == cases[i].add, "case %zu", i);
    CHECK(sum == (cases[i].add ? a + b : 77), "case %zu", i);
  }
}

int main(void) {
  check_blocks();
  check_failures();
  check_foreign();
  check_threads();
  check_arithmetic();
  return unit_report();
}
