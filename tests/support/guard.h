// Memory whose ends are inaccessible: a kernel that reads or writes one byte too far faults instead of passing by luck.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Equal slots, each between two inaccessible pages.
struct guard {
  uint8_t *first;     // first byte of slot 0
  size_t slot_bytes;  // accessible bytes of a slot, whole pages
  size_t pitch;       // from slot to slot
  size_t n_slots;
  ptrdiff_t writable;  // from a byte to where it can be written: not 0 for slots that are read-only where the kernel sees them
};

// Where the bytes of a slot lie: their end or their start touches the inaccessible page.
enum guard_side { GUARD_END, GUARD_START };
enum guard_access { GUARD_READ_ONLY, GUARD_READ_WRITE };

// Slots of at least `bytes`, which live as long as the program. Ends the program if there is no memory.
struct guard guard_create(size_t n_slots, size_t bytes, enum guard_access access);

// `size` bytes of a slot; aligned to whatever divides `size` and the page size.
void *guard_at(const struct guard *guard, size_t slot, size_t size, enum guard_side side);

// The same byte where the test can write it.
void *guard_writable(const struct guard *guard, const void *p);

// All bytes of a slot that can be accessed.
uint8_t *guard_slot(const struct guard *guard, size_t slot);
