#pragma once
typedef struct {
  const char *dli_fname;
  void *dli_fbase;
  const char *dli_sname;
  void *dli_saddr;
} Dl_info;
enum { RTLD_LOCAL = 0, RTLD_LAZY = 1, RTLD_NOW = 2 };
void *dlopen(const char *name, int flags);
int dlclose(void *library);
void *dlsym(void *library, const char *name);
char *dlerror(void);
int dladdr(const void *address, Dl_info *info);
