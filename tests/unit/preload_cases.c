// A library that uses TFLite's C library, as a program or a plugin does.
#define _GNU_SOURCE  // RTLD_DEFAULT, dladdr
#include "unit/preload_cases.h"

#include <dlfcn.h>
#include <string.h>

#include "unit/fake_c_library.h"
#include "unit/unit.h"

static const TfLiteModel model = {.refuses_delegates = false}, refusing = {.refuses_delegates = true};
static int program_delegate;

// n: the delegates that the interpreter is to have.
static void check_created(TfLiteInterpreter *interpreter, int n, int num_threads, const char *what) {
  if (!CHECK(interpreter != NULL, "%s", what)) return;
  const TfLiteInterpreterOptions *options = &interpreter->options;
  CHECK(options->n == n && options->num_threads == num_threads, "%s: %d delegates, %d threads", what, options->n, options->num_threads);
  for (int i = 0; i < options->n; i++) CHECK(options->delegates[i] != NULL, "%s", what);
  TfLiteInterpreterDelete(interpreter);
}

static void test_options(int n, const char *what) {
  TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
  options->num_threads = 3;
  check_created(TfLiteInterpreterCreate(&model, options), n, 3, what);
  check_created(TfLiteInterpreterCreate(&model, options), n, 3, what);  // a delegate serves one interpreter
  CHECK(options->n == 0, "%s", what);
  TfLiteInterpreterOptionsDelete(options);
}

static void test_delegates_of_its_own(void) {
  TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreterOptionsAddDelegate(options, &program_delegate);
  TfLiteInterpreterOptions *copy = TfLiteInterpreterOptionsCopy(options);
  const TfLiteInterpreterOptions *const both[] = {options, copy};
  for (int i = 0; i < 2; i++) {
    TfLiteInterpreter *interpreter = TfLiteInterpreterCreate(&model, both[i]);
    CHECK(interpreter->options.delegates[0] == &program_delegate, "%d", i);
    check_created(interpreter, 1, 0, "delegates of its own");
  }
  TfLiteInterpreterOptionsDelete(options);
  TfLiteInterpreterOptionsDelete(copy);
}

// The program opens the C library itself.
static void test_symbols(int n) {
  Dl_info info;
  void *found = dlsym(RTLD_DEFAULT, "fake_alive");  // found only where the C library sees who calls
  void *library = found != NULL && dladdr(found, &info) != 0 ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  if (!CHECK(library != NULL, "fake_alive")) return;
  TfLiteInterpreter *(*create)(const TfLiteModel *, const TfLiteInterpreterOptions *);
  found = dlsym(library, "TfLiteInterpreterCreate");
  memcpy(&create, &found, sizeof found);
  if (CHECK(found != NULL, "TfLiteInterpreterCreate")) check_created(create(&model, NULL), n, 0, "a symbol");
  CHECK(dlsym(library, "TfLiteInterpreterNoSuch") == NULL && dlerror() != NULL, "no such symbol");
  dlclose(library);
}

int run_preload_cases(bool preloaded) {
  const int n = preloaded ? 1 : 0;
  check_created(TfLiteInterpreterCreate(&model, NULL), n, 0, "no options");
  check_created(TfLiteInterpreterCreateWithSelectedOps(&model, NULL), n, 0, "selected operators");
  check_created(TfLiteInterpreterCreate(&refusing, NULL), 0, 0, "no delegate accepted");
  test_options(n, "options");
  test_delegates_of_its_own();
  test_options(n, "options in the place of others with delegates");
  test_symbols(n);
  CHECK(fake_alive() == 0, "%d options and interpreters are left", fake_alive());
  return unit_report();
}
