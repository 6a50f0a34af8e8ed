#define _GNU_SOURCE
#include "base/build_id.h"

#include <link.h>
#include <string.h>

struct search {
  uint8_t *id;
  bool found;
};

static bool contains(const struct dl_phdr_info *file, uintptr_t address) {
  for (int i = 0; i < file->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &file->dlpi_phdr[i];
    if (part->p_type == PT_LOAD && address - (file->dlpi_addr + part->p_vaddr) < part->p_memsz) return true;
  }
  return false;
}

static bool read_notes(const uint8_t *at, size_t left, uint8_t *id) {
  ElfW(Nhdr) note;
  while (left >= sizeof note) {
    memcpy(&note, at, sizeof note);
    const size_t name = ((size_t)note.n_namesz + 3) & ~(size_t)3, bytes = ((size_t)note.n_descsz + 3) & ~(size_t)3;
    if (name > left - sizeof note || bytes > left - sizeof note - name) return false;
    const uint8_t *words = at + sizeof note;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(words, "GNU", 4) == 0 && note.n_descsz > 0) {
      memset(id, 0, TVMQ_BUILD_ID_BYTES);
      memcpy(id, words + name, note.n_descsz < TVMQ_BUILD_ID_BYTES ? note.n_descsz : TVMQ_BUILD_ID_BYTES);
      return true;
    }
    at += sizeof note + name + bytes;
    left -= sizeof note + name + bytes;
  }
  return false;
}

static int find_in_file(struct dl_phdr_info *file, size_t size, void *context) {
  (void)size;
  struct search *search = context;
  if (!contains(file, (uintptr_t)&tvmq_build_id)) return 0;
  for (int i = 0; i < file->dlpi_phnum && !search->found; i++) {
    const ElfW(Phdr) *part = &file->dlpi_phdr[i];
    if (part->p_type == PT_NOTE) search->found = read_notes((const uint8_t *)(file->dlpi_addr + part->p_vaddr), part->p_memsz, search->id);
  }
  return 1;
}

bool tvmq_build_id(uint8_t id[TVMQ_BUILD_ID_BYTES]) {
  struct search search = {.id = id};
  dl_iterate_phdr(find_in_file, &search);
  return search.found;
}
