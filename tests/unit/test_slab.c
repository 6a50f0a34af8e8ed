// Blocks from slabs do not overlap and keep their contents, however many there are, whoever frees them, and also while memory is short.
#define _GNU_SOURCE  // syscall
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/slab.h"
#include "unit.h"

enum { EXPECTED = 100 << 20 };  // more than fits into a slab

static size_t returned;  // bytes that the kernel may take back

// Replaces the C library's.
int madvise(void *at, size_t bytes, int advice) {
  if (advice == MADV_DONTNEED) returned += bytes;
  return (int)syscall(SYS_madvise, at, bytes, advice);
}

struct block {
  struct tvmq_slab *slab;
  uint8_t *bytes;
  size_t size;
};

static struct block take(struct tvmq_slabs *slabs, size_t size, uint8_t value) {
  struct block block = {.size = size};
  block.bytes = tvmq_slabs_take(slabs, size, &block.slab);
  if (block.bytes != NULL) memset(block.bytes, value, size);
  return block;
}

static bool holds(const struct block *block, uint8_t value) {
  size_t wrong = 0;
  for (size_t i = 0; i < block->size; i++) wrong += block->bytes[i] != value;
  return wrong == 0 && (uintptr_t)block->bytes % TVMQ_ALIGNMENT == 0;
}

static void *free_all(void *blocks) {
  for (struct block *block = blocks; block->bytes != NULL; block++) tvmq_slab_free(block->slab, block->bytes);
  return NULL;
}

// Sizes from nothing to more than a slab.
static void check_blocks(bool by_thread) {
  enum { N = 40 };
  struct block blocks[N + 1] = {{0}};
  const size_t live = tvmq_alloc_live();
  struct tvmq_slabs slabs = {.expected = EXPECTED};
  size_t sharing = 0;
  for (size_t i = 0; i < N; i++) {
    blocks[i] = take(&slabs, i == N / 2 ? 20 << 20 : i * i * 1000 + i, (uint8_t)i);
    if (!CHECK(blocks[i].bytes != NULL, "block %zu", i)) return;
    sharing += i > 0 && blocks[i].slab != NULL && blocks[i].slab == blocks[i - 1].slab;
  }
  CHECK(sharing >= N - 5, "%zu of %d share the slab of the block before", sharing, N);
  tvmq_slabs_close(&slabs);
  CHECK(slabs.open == NULL, "nothing is open");
  for (size_t i = 0; i < N; i++) CHECK(holds(&blocks[i], (uint8_t)i), "block %zu of %zu bytes", i, blocks[i].size);
  for (size_t i = 0; i < N; i += 2) memset(blocks[i].bytes, 0xff, blocks[i].size);  // also behind what was given back
  for (size_t i = 1; i < N; i += 2) CHECK(holds(&blocks[i], (uint8_t)i), "block %zu, after the others were written again", i);
  pthread_t thread;
  if (!by_thread)
    free_all(blocks);
  else if (CHECK(pthread_create(&thread, NULL, free_all, blocks) == 0, "a thread"))
    pthread_join(thread, NULL);
  CHECK(tvmq_alloc_live() == live, "nothing is left");
}

// A slab lasts as long as its last block, and as long as it is open.
static void check_order(void) {
  const size_t live = tvmq_alloc_live(), large = 1 << 20;
  struct tvmq_slabs slabs = {.expected = EXPECTED};
  struct block a = take(&slabs, large, 1), b = take(&slabs, large, 2);
  CHECK(a.slab != NULL && a.slab == b.slab, "one slab");
  tvmq_slab_free(a.slab, a.bytes);
  CHECK(holds(&b, 2), "the other block");
  tvmq_slab_free(b.slab, b.bytes);
  struct block c = take(&slabs, large, 3);
  CHECK(c.slab == a.slab, "the open slab, though it has no block");
  tvmq_slabs_close(&slabs);
  tvmq_slabs_close(&slabs);
  CHECK(holds(&c, 3), "a closed slab");
  tvmq_slab_free(c.slab, c.bytes);
  CHECK(tvmq_alloc_live() == live, "nothing is left");
}

static void check_failures(void) {
  const size_t large = 1 << 20, live = tvmq_alloc_live();
  struct tvmq_slab *slab;
  for (size_t n = 1; n <= 3; n++) {
    struct tvmq_slabs slabs = {.expected = EXPECTED};
    tvmq_alloc_fail_once(n);
    struct block block = take(&slabs, large, 1);
    tvmq_alloc_fail_at(0);
    CHECK(block.bytes != NULL && (block.slab == NULL) == (n < 3), "allocation %zu fails: a block of its own", n);
    if (block.bytes != NULL) tvmq_slab_free(block.slab, block.bytes);
    tvmq_slabs_close(&slabs);
    CHECK(tvmq_alloc_live() == live, "allocation %zu: nothing is left", n);
  }
  struct tvmq_slabs slabs = {.expected = EXPECTED};
  tvmq_alloc_fail_at(1);
  CHECK(tvmq_slabs_take(&slabs, large, &slab) == NULL && tvmq_slabs_take(&slabs, 1, &slab) == NULL && slab == NULL, "no memory at all");
  tvmq_alloc_fail_at(0);
  CHECK(tvmq_slabs_take(&slabs, SIZE_MAX, &slab) == NULL && tvmq_slabs_take(&slabs, SIZE_MAX - 63, &slab) == NULL, "beyond the address space");
  tvmq_slabs_close(&slabs);
  CHECK(tvmq_alloc_live() == live, "nothing is left");
}

// A slab is no larger than what is expected.
static void check_expected(void) {
  enum { HALF = 1 << 20 };
  struct tvmq_slabs slabs = {.expected = 2 * HALF};
  struct block blocks[4] = {{0}};
  for (size_t i = 0; i < 3; i++) blocks[i] = take(&slabs, HALF, (uint8_t)i);
  CHECK(blocks[0].slab != NULL && blocks[1].slab == blocks[0].slab && blocks[2].slab != NULL && blocks[2].slab != blocks[0].slab,
        "the third needs another slab");
  tvmq_slabs_close(&slabs);
  for (size_t i = 0; i < 3; i++) CHECK(holds(&blocks[i], (uint8_t)i), "block %zu", i);
  free_all(blocks);
}

// A closed slab returns to the kernel what no block uses, except for a part of a page.
static void check_trim(void) {
  enum { SLAB = 2 << 20, USED = 100 << 10 };
  struct tvmq_slabs slabs = {.expected = SLAB};
  struct block block = take(&slabs, USED, 7);
  returned = 0;
  tvmq_slabs_close(&slabs);
  CHECK(returned <= SLAB - USED && returned > SLAB - USED - (size_t)sysconf(_SC_PAGESIZE), "%zu of %d bytes", returned, SLAB - USED);
  CHECK(holds(&block, 7), "the block");
  tvmq_slab_free(block.slab, block.bytes);
}

int main(void) {
  check_trim();
  check_blocks(false);
  check_blocks(true);
  check_order();
  check_expected();
  check_failures();
  return unit_report();
}
