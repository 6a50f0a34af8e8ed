#pragma once
#include <stddef.h>
#define MADV_HUGEPAGE 14
int madvise(void *p, size_t size, int advice);
