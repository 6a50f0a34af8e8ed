#pragma once
// The kernel's own structure, in 64-bit processes; of its fields those that are used have names.
struct stat {
#if defined(__x86_64__)
  unsigned long before[3];
  unsigned int st_mode, st_uid, group[2];
  long device, st_size, after[11];
#else
  unsigned long before[2];
  unsigned int st_mode, links, st_uid, group;
  long device[2], st_size, after[9];
#endif
};
#if defined(__x86_64__)
_Static_assert(sizeof(struct stat) == 144 && __builtin_offsetof(struct stat, st_uid) == 28 && __builtin_offsetof(struct stat, st_size) == 48, "the kernel's");
#else
_Static_assert(sizeof(struct stat) == 128 && __builtin_offsetof(struct stat, st_uid) == 24 && __builtin_offsetof(struct stat, st_size) == 48, "the kernel's");
#endif
#define S_IWGRP 020
#define S_IWOTH 02
#define S_ISREG(mode) (((mode) & 0170000) == 0100000)
int stat(const char *path, struct stat *about);
int fstat(int file, struct stat *about);
