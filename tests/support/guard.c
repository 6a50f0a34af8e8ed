#define _GNU_SOURCE  // memfd_create
#include "guard.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// Pages that a kernel may only read are mapped twice, so that filling them for the next case costs no system call.
struct guard guard_create(size_t n_slots, size_t bytes, enum guard_access access) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  struct guard guard = {.n_slots = n_slots, .slot_bytes = (bytes + page - 1) / page * page};
  guard.pitch = guard.slot_bytes + page;
  const size_t size = n_slots * guard.pitch + page;
  const int file = memfd_create("guard", 0);
  uint8_t *seen = mmap(NULL, size, PROT_NONE, MAP_SHARED, file, 0), *written = seen;
  if (access == GUARD_READ_ONLY) written = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  bool ok = file >= 0 && ftruncate(file, (off_t)size) == 0 && seen != MAP_FAILED && written != MAP_FAILED;
  guard.first = seen + page;
  guard.writable = written - seen;
  const int protection = access == GUARD_READ_ONLY ? PROT_READ : PROT_READ | PROT_WRITE;
  for (size_t slot = 0; ok && slot < n_slots; slot++) ok = mprotect(guard_slot(&guard, slot), guard.slot_bytes, protection) == 0;
  if (!ok) {
    perror("guarded memory");
    exit(1);
  }
  close(file);
  return guard;
}

void *guard_at(const struct guard *guard, size_t slot, size_t size, enum guard_side side) {
  if (size > guard->slot_bytes || slot >= guard->n_slots) {
    fprintf(stderr, "guard: %zu bytes asked of slot %zu, which has %zu\n", size, slot, guard->slot_bytes);
    exit(1);
  }
  return guard_slot(guard, slot) + (side == GUARD_END ? guard->slot_bytes - size : 0);
}

void *guard_writable(const struct guard *guard, const void *p) { return (uint8_t *)p + guard->writable; }

uint8_t *guard_slot(const struct guard *guard, size_t slot) { return guard->first + slot * guard->pitch; }
