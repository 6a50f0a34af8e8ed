// A record of the blocks that a thread has allocated and not freed. A network that is planned while a recording is on can
// be copied as a whole (network/freeze.h).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Kinds of blocks, by what a compiled network needs of them.
enum tvmq_memory_kind {
  TVMQ_MEMORY_PLAN,      // a copy for each network: the block may have pointers, and may be written to
  TVMQ_MEMORY_CONSTANT,  // one copy that all share: the block has no pointers, and is never written to after planning
  TVMQ_MEMORY_ROOM,      // only its size: its contents mean nothing between inferences
  TVMQ_MEMORY_FOREIGN    // nothing: no plan may point to it
};

struct tvmq_memory_block {
  uintptr_t start;
  size_t size;
  enum tvmq_memory_kind kind;
};

struct tvmq_recording {
  struct tvmq_memory_block *blocks;
  size_t n, room;
  uintptr_t *unread;  // addresses of pointers that only planning reads
  size_t n_unread, unread_room;
  bool complete;  // no memory for the record itself was missing
};

// Start and stop the recording of this thread's blocks. While it is on, blocks that are not set are filled with zeros.
void tvmq_recording_start(struct tvmq_recording *recording);
void tvmq_recording_stop(void);
void tvmq_recording_free(struct tvmq_recording *recording);

bool tvmq_recording_is_on(void);  // returns whether a recording of this thread is on

// Add a block that is not the allocator's, or a part of one, and change the kind of the block that begins at `start`.
void tvmq_recording_add(struct tvmq_recording *recording, const void *start, size_t size, enum tvmq_memory_kind kind);
void tvmq_recording_set_kind(struct tvmq_recording *recording, const void *start, enum tvmq_memory_kind kind);

// Note things about memory of this thread's recording; do nothing while none is on. `unread`: only planning reads the
// pointer at this address. `forget`: the block that begins at `start` is about to be freed.
void tvmq_recording_note(const void *start, size_t size);
void tvmq_recording_note_constant(const void *start);
void tvmq_recording_note_unread(const void *address);
void tvmq_recording_forget(const void *start);
