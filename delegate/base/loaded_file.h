// The executable or shared library that contains an address, as the dynamic linker knows it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TVMQ_UNLOADS_UNKNOWN UINT64_MAX

struct tvmq_loaded_file {
  uintptr_t base;       // distance of its addresses from those in the file
  const void *headers;  // its n_headers program headers
  int n_headers;
  const char *path;  // "" for the main program
  uint64_t unloads;  // files that the process has unloaded so far, or TVMQ_UNLOADS_UNKNOWN
};

// A segment: consecutive bytes of the file in memory.
struct tvmq_segment {
  const uint8_t *start;
  size_t bytes;
};

enum tvmq_segment_kind { TVMQ_SEGMENT_ANY, TVMQ_SEGMENT_CODE, TVMQ_SEGMENT_NOTES };

// Finds the file that contains `address`. Returns false if there is none. The result is valid as long as the file is
// loaded.
bool tvmq_loaded_file_find(const void *address, struct tvmq_loaded_file *file);

// Returns segment `index` of a kind, counted from 0, or one of zero bytes past the end. Code is what may be both
// executed and read.
struct tvmq_segment tvmq_loaded_file_segment(const struct tvmq_loaded_file *file, enum tvmq_segment_kind kind, int index);

bool tvmq_loaded_file_contains(const struct tvmq_loaded_file *file, const void *address);
