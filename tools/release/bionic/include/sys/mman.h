#pragma once
#include <stddef.h>
#define PROT_READ 1
#define MAP_PRIVATE 2
#define MAP_FAILED ((void *)-1)
#define MADV_DONTNEED 4
#define MADV_HUGEPAGE 14
#define MADV_NOHUGEPAGE 15
int madvise(void *p, size_t size, int advice);
void *mmap(void *address, size_t size, int protection, int flags, int file, long offset);
int munmap(void *address, size_t size);
