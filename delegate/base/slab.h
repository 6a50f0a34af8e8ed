// Memory for many blocks that are kept about equally long, such as the packed weights of a network. The kernel takes
// longer to provide a small page than it takes to fill that page. Per byte, a huge page takes a sixth of the time. So
// the blocks lie one after the other in slabs of huge pages.
#pragma once

#include <stddef.h>

// Least bytes of all blocks for which slabs are worthwhile: small pages for as many bytes take longer than a huge page.
enum { TVMQ_SLABS_LEAST = 512 << 10 };

struct tvmq_slab;  // freed with its last block

// Where blocks are taken from.
struct tvmq_slabs {
  size_t expected;         // bytes of all blocks together, roughly
  struct tvmq_slab *open;  // slab of the next block; NULL: none yet
};

// Returns an uninitialized block aligned to TVMQ_ALIGNMENT bytes, or NULL if out of memory. Sets *slab to the slab of
// the block, or to NULL if there is memory for the block, but not for a slab, or a recording is on.
void *tvmq_slabs_take(struct tvmq_slabs *slabs, size_t bytes, struct tvmq_slab **slab);

// Returns the memory that is left in the open slab to the kernel. The next block begins another slab.
void tvmq_slabs_close(struct tvmq_slabs *slabs);

// Frees a block of this slab. Any thread may call this.
void tvmq_slab_free(struct tvmq_slab *slab, void *block);
