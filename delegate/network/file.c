#define _GNU_SOURCE
#include "network/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

static bool map(struct tvmq_model_file *file, int descriptor, struct tvmq_text *why) {
  struct stat about;
  if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode)) {
    tvmq_say(why, "it is not a regular file");
    return false;
  }
  if (about.st_size <= 0 || (uint64_t)about.st_size > PTRDIFF_MAX) {
    tvmq_say(why, "it is empty");
    return false;
  }
  void *memory = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (memory == MAP_FAILED) {
    tvmq_say(why, "it cannot be mapped: %s", strerror(errno));
    return false;
  }
  *file = (struct tvmq_model_file){.bytes = memory, .size = (size_t)about.st_size, .mapped = memory};
  return true;
}

bool tvmq_model_file_open(struct tvmq_model_file *file, const char *path, struct tvmq_text *why) {
  tvmq_say(why, "%.200s: ", path);
  // Opening never blocks, even if the file is a FIFO or a device.
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) {
    tvmq_say(why, "%s", strerror(errno));
    return false;
  }
  const bool mapped = map(file, descriptor, why);
  close(descriptor);
  return mapped;
}

bool tvmq_model_file_take(struct tvmq_model_file *file, const void *bytes, size_t size, struct tvmq_text *why) {
  *file = (struct tvmq_model_file){.bytes = bytes, .size = size};
  if ((uintptr_t)bytes % TVMQ_MODEL_ALIGNMENT == 0) return true;
  file->bytes = file->copy = tvmq_alloc_unset(size);
  if (file->copy == NULL) {
    tvmq_say(why, "out of memory");
    return false;
  }
  memcpy(file->copy, bytes, size);
  return true;
}

void tvmq_model_file_release(struct tvmq_model_file *file) {
  if (file->mapped != NULL) munmap(file->mapped, file->size);
  tvmq_free(file->copy);
}
