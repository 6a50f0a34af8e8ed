#pragma once
#include <stddef.h>
void *memchr(const void *p, int byte, size_t n);
int memcmp(const void *a, const void *b, size_t n);
void *memcpy(void *to, const void *from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *p, int byte, size_t n);
char *strpbrk(const char *text, const char *bytes);
char *strchr(const char *text, int byte);
int strcmp(const char *a, const char *b);
size_t strcspn(const char *text, const char *any);
char *strerror(int error);
size_t strlen(const char *text);
int strncmp(const char *a, const char *b, size_t n);
char *strrchr(const char *text, int byte);
size_t strspn(const char *text, const char *any);
char *strstr(const char *text, const char *part);
char *strcpy(char *to, const char *from);
char *strdup(const char *text);
