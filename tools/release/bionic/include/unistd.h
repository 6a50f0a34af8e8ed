#pragma once
#include <stddef.h>
typedef long off_t, ssize_t;
enum { _SC_PAGESIZE = 39, _SC_NPROCESSORS_ONLN = 97 };
long sysconf(int name);
long syscall(long number, ...);
int close(int file);
ssize_t read(int file, void *to, size_t size);
ssize_t write(int file, const void *from, size_t size);
int unlink(const char *path);
int getpid(void);
unsigned int geteuid(void);
