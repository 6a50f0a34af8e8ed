#define _GNU_SOURCE  // RTLD_NEXT, dladdr, dlvsym
#include "preload/program.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#if defined __GLIBC__ && (defined __x86_64__ || defined __aarch64__)
#define INTERPOSES_DLSYM 1
#else
#define INTERPOSES_DLSYM 0
#endif

#if INTERPOSES_DLSYM
#pragma GCC visibility push(default)
void *dlsym(void *restrict handle, const char *restrict name);
#pragma GCC visibility pop

typedef void *look_up_function(void *restrict handle, const char *restrict name);

// The C library's dlsym. Versions with it differ in the name's version only.
static look_up_function *real_dlsym(void) {
  static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
  static _Atomic(look_up_function *) kept;
  look_up_function *real = kept;
  for (size_t i = 0; real == NULL && i < sizeof versions / sizeof versions[0]; i++) {
    void *found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    memcpy(&real, &found, sizeof found);
  }
  kept = real;
  return real;
}

static void *look_up(void *handle, const char *name) {
  void *volatile found = real_dlsym()(handle, name);  // volatile prevents a tail call: the caller is to be this library
  return found;
}
#else
static void *look_up(void *handle, const char *name) { return dlsym(handle, name); }
#endif

static bool is_own(const void *function) {
  Dl_info info, own;
  return dladdr(function, &info) != 0 && dladdr(&is_own, &own) != 0 && info.dli_fbase == own.dli_fbase;
}

static void *in_object_of(const void *address, const char *name) {
  Dl_info info;
  void *object = dladdr(address, &info) != 0 ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  void *found = object != NULL ? look_up(object, name) : NULL;
  if (object != NULL) dlclose(object);
  return found != NULL && !is_own(found) ? found : NULL;
}

// A function of TFLite's C library that the program asked dlsym for. RTLD_NEXT does not find functions of libraries that
// were opened by dlopen. Of these, only the first that the program asks for is remembered and served.
static _Atomic(void *) asked_for;

bool tvmq_program_find(const char *name, const void *caller, void *function) {
  void *found = look_up(RTLD_NEXT, name);
  if (found == NULL) found = in_object_of(caller, name);
  if (found == NULL && asked_for != NULL) found = in_object_of(asked_for, name);
  if (found == NULL) return false;
  memcpy(function, &found, sizeof found);  // ISO C has no cast from void * to a function pointer
  return true;
}

#if INTERPOSES_DLSYM
static bool same_object(const void *one, const void *other) {
  Dl_info first, second;
  return dladdr(one, &first) != 0 && dladdr(other, &second) != 0 && first.dli_fbase == second.dli_fbase;
}

// Returns the function of this library that stands in for `found`, or `found` itself.
static void *stand_in(const char *name, void *found, const void *caller) {
  Dl_info own;
  void *ignored;
  if (found == NULL || dladdr(&is_own, &own) == 0) return found;
  if (is_own(found)) return tvmq_program_find(name, caller, &ignored) ? found : NULL;
  void *before = NULL;
  if (!atomic_compare_exchange_strong(&asked_for, &before, found) && !same_object(before, found)) return found;
  void *self = dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  void *ours = self != NULL ? look_up(self, name) : NULL;
  if (self != NULL) dlclose(self);
  return ours != NULL && is_own(ours) ? ours : found;
}

// Programs that open TFLite's C library themselves, such as Python's ctypes, get the functions that stand in. All other
// calls are passed on by a jump: the result depends on who calls.
void *dlsym(void *restrict handle, const char *restrict name) {
  static const char prefix[] = "TfLiteInterpreter";
  if (handle == RTLD_NEXT || strncmp(name, prefix, sizeof prefix - 1) != 0) return real_dlsym()(handle, name);
  return stand_in(name, look_up(handle, name), __builtin_return_address(0));
}
#endif
