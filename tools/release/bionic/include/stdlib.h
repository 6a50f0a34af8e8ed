#pragma once
#include <stddef.h>
void *malloc(size_t size);
void *calloc(size_t n, size_t size);
void *realloc(void *p, size_t size);
void free(void *p);
int posix_memalign(void **p, size_t alignment, size_t size);
char *getenv(const char *name);
long strtol(const char *text, char **end, int base);
long long atoll(const char *text);
long long strtoll(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
static inline int abs(int x) { return __builtin_abs(x); }
void *bsearch(const void *key, const void *items, size_t n, size_t size, int (*compare)(const void *, const void *));
void qsort(void *items, size_t n, size_t size, int (*compare)(const void *, const void *));
int mkostemp(char *name, int flags);
