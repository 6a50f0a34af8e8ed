// A plugin in a program that is not linked to TFLite's C library, with the preloaded library and without it: test_preload PLUGIN.
#define _GNU_SOURCE  // RTLD_DEFAULT
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "unit/unit.h"

int main(int argc, char **argv) {
  int (*run)(bool) = NULL;
  CHECK(dlsym(RTLD_DEFAULT, "TfLiteInterpreterCreate") == NULL, "found without the library");
  void *plugin = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  void *found = plugin != NULL ? dlsym(plugin, "run_preload_cases") : NULL;
  memcpy(&run, &found, sizeof found);
  const int failed = CHECK(run != NULL, "%s", dlerror()) ? run(getenv("LD_PRELOAD") != NULL) : 1;
  return unit_report() == 0 ? failed : 1;
}
