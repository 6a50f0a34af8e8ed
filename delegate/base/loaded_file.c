#define _GNU_SOURCE
#include "base/loaded_file.h"

#include <link.h>
#include <pthread.h>

static bool is_of(const ElfW(Phdr) * header, enum tvmq_segment_kind kind) {
  if (kind == TVMQ_SEGMENT_NOTES) return header->p_type == PT_NOTE;
  const uint32_t code = PF_R | PF_X;
  return header->p_type == PT_LOAD && (kind == TVMQ_SEGMENT_ANY || (header->p_flags & code) == code);
}

struct tvmq_segment tvmq_loaded_file_segment(const struct tvmq_loaded_file *file, enum tvmq_segment_kind kind, int index) {
  const ElfW(Phdr) *headers = file->headers;
  for (int i = 0; i < file->n_headers; i++) {
    if (is_of(&headers[i], kind) && index-- == 0)
      return (struct tvmq_segment){.start = (const uint8_t *)(file->base + headers[i].p_vaddr), .bytes = headers[i].p_memsz};
  }
  return (struct tvmq_segment){0};
}

bool tvmq_loaded_file_contains(const struct tvmq_loaded_file *file, const void *address) {
  struct tvmq_segment segment;
  for (int i = 0; (segment = tvmq_loaded_file_segment(file, TVMQ_SEGMENT_ANY, i)).bytes > 0; i++) {
    if ((uintptr_t)address - (uintptr_t)segment.start < segment.bytes) return true;
  }
  return false;
}

struct search {
  const void *address;
  struct tvmq_loaded_file *file;
};

static int compare(struct dl_phdr_info *info, size_t size, void *context) {
  const struct search *search = context;
  *search->file = (struct tvmq_loaded_file){
      .base = info->dlpi_addr,
      .headers = info->dlpi_phdr,
      .n_headers = info->dlpi_phnum,
      .path = info->dlpi_name != NULL ? info->dlpi_name : "",
      .unloads = size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs ? info->dlpi_subs : TVMQ_UNLOADS_UNKNOWN,
  };
  return tvmq_loaded_file_contains(search->file, search->address);
}

// The C library has a lock in dl_iterate_phdr(), which stays locked in a child that is forked while another thread is in
// it. So threads call it with this mutex, which fork() waits for.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void lock(void) { pthread_mutex_lock(&mutex); }
static void unlock(void) { pthread_mutex_unlock(&mutex); }
static void watch_forks(void) { pthread_atfork(lock, unlock, unlock); }

bool tvmq_loaded_file_find(const void *address, struct tvmq_loaded_file *file) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  struct search search = {.address = address, .file = file};
  pthread_once(&once, watch_forks);
  lock();
  const bool found = dl_iterate_phdr(compare, &search) != 0;
  unlock();
  return found;
}
