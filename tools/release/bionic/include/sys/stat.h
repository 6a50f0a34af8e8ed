#pragma once
// The kernel's own structure, in 64-bit processes; of its fields those that are used have names.
struct stat {
#if defined(__x86_64__)
  unsigned long before[3];
  unsigned int st_mode, owners[3];
  long device, st_size, after[11];
#else
  unsigned long before[2];
  unsigned int st_mode, owners[3];
  long device[2], st_size, after[9];
#endif
};
#if defined(__x86_64__)
_Static_assert(sizeof(struct stat) == 144 && __builtin_offsetof(struct stat, st_mode) == 24 && __builtin_offsetof(struct stat, st_size) == 48, "the kernel's");
#else
_Static_assert(sizeof(struct stat) == 128 && __builtin_offsetof(struct stat, st_mode) == 16 && __builtin_offsetof(struct stat, st_size) == 48, "the kernel's");
#endif
#define S_ISREG(mode) (((mode) & 0170000) == 0100000)
int stat(const char *path, struct stat *about);
int fstat(int file, struct stat *about);
