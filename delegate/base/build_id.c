#define _GNU_SOURCE
#include "base/build_id.h"

#include <link.h>
#include <string.h>

#include "base/loaded_file.h"

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

bool tvmq_build_id(uint8_t id[TVMQ_BUILD_ID_BYTES]) {
  struct tvmq_loaded_file file;
  struct tvmq_segment notes;
  if (!tvmq_loaded_file_find((const void *)(uintptr_t)tvmq_build_id, &file)) return false;
  for (int i = 0; (notes = tvmq_loaded_file_segment(&file, TVMQ_SEGMENT_NOTES, i)).bytes > 0; i++) {
    if (read_notes(notes.start, notes.bytes, id)) return true;
  }
  return false;
}
