#pragma once
#include <stddef.h>
#include <stdint.h>

#define ElfW(name) Elf64_##name
enum { PT_LOAD = 1, PT_NOTE = 4, PF_X = 1, PF_R = 4, NT_GNU_BUILD_ID = 3 };
typedef struct {
  uint32_t p_type, p_flags;
  uint64_t p_offset, p_vaddr, p_paddr, p_filesz, p_memsz, p_align;
} Elf64_Phdr;
typedef struct {
  uint32_t n_namesz, n_descsz, n_type;
} Elf64_Nhdr;
struct dl_phdr_info {
  uint64_t dlpi_addr;
  const char *dlpi_name;
  const Elf64_Phdr *dlpi_phdr;
  uint16_t dlpi_phnum;
  unsigned long long dlpi_adds, dlpi_subs;  // from API level 30 on
};
int dl_iterate_phdr(int (*visit)(struct dl_phdr_info *file, size_t size, void *context), void *context);
