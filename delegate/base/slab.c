#define _GNU_SOURCE
#include "base/slab.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/memory.h"
#include "base/recording.h"

enum { HUGE_PAGE = 2 << 20, MOST = 16 << 20 };  // MOST: bytes of a slab of several blocks

struct tvmq_slab {
  _Atomic size_t users;  // blocks, and the slabs in which this one is open
  size_t size, used;
  uint8_t *memory;
};

static void leave(struct tvmq_slab *slab) {
  if (atomic_fetch_sub_explicit(&slab->users, 1, memory_order_acq_rel) > 1) return;
  tvmq_free(slab->memory);
  tvmq_free(slab);
}

// Returns a slab with room for a block, and for others if more bytes are expected, or NULL if out of memory. tvmq_alloc_unset() requests huge pages for it. The
// kernel provides each page only when it is first written.
static struct tvmq_slab *open_slab(size_t bytes, size_t expected) {
  size_t size;
  if (!tvmq_round_up_size(tvmq_max(bytes, tvmq_min(expected, MOST)), HUGE_PAGE, &size)) return NULL;
  struct tvmq_slab *slab = tvmq_alloc(sizeof *slab);
  uint8_t *memory = slab != NULL ? tvmq_alloc_unset(size) : NULL;
  if (memory == NULL) {
    tvmq_free(slab);
    return NULL;
  }
  *slab = (struct tvmq_slab){.users = 1, .size = size, .memory = memory};
  return slab;
}

// Returns the whole small pages behind the last block, and prevents the kernel from replacing them by a huge page
// again.
static void trim(const struct tvmq_slab *slab) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), end = slab->size / page * page, used = tvmq_round_up(slab->used, page);
  if (used >= end) return;
  madvise(slab->memory + used, end - used, MADV_DONTNEED);  // both are only hints, so errors are ignored
  madvise(slab->memory + used, end - used, MADV_NOHUGEPAGE);
}

void tvmq_slabs_close(struct tvmq_slabs *slabs) {
  if (slabs->open == NULL) return;
  trim(slabs->open);
  leave(slabs->open);
  slabs->open = NULL;
}

void *tvmq_slabs_take(struct tvmq_slabs *slabs, size_t bytes, struct tvmq_slab **slab) {
  size_t size;
  *slab = NULL;
  if (tvmq_recording_is_on()) return tvmq_alloc_unset(bytes);  // a record lists blocks, of which a slab would be one
  if (!tvmq_round_up_size(bytes, TVMQ_ALIGNMENT, &size)) return NULL;
  if (slabs->open != NULL && size > slabs->open->size - slabs->open->used) tvmq_slabs_close(slabs);
  if (slabs->open == NULL) slabs->open = open_slab(size, slabs->expected);
  if (slabs->open == NULL) return tvmq_alloc_unset(bytes);
  struct tvmq_slab *from = slabs->open;
  void *block = from->memory + from->used;
  from->used += size;
  atomic_fetch_add_explicit(&from->users, 1, memory_order_relaxed);
  *slab = from;
  return block;
}

void tvmq_slab_free(struct tvmq_slab *slab, void *block) {
  if (slab != NULL)
    leave(slab);
  else
    tvmq_free(block);
}
