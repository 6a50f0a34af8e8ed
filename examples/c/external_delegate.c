// Loads the library as runtimes load external delegates: external_delegate PATH [NAME VALUE]... A runtime's interpreter takes the delegate that comes out
// (TfLiteInterpreterOptionsAddDelegate in TensorFlow Lite's C interface), and must end before it.
//
//   cc external_delegate.c -o external_delegate -ldl && ./external_delegate /usr/local/lib/libtvmq_delegate.so num_threads 2
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct TfLiteDelegate TfLiteDelegate;
typedef TfLiteDelegate *create_function(const char *const *names, const char *const *values, size_t n, void (*report_error)(const char *message));
typedef void destroy_function(TfLiteDelegate *delegate);

enum { MAX_OPTIONS = 16 };

static void report_error(const char *message) { fprintf(stderr, "%s\n", message); }

// A function of the library; the program ends without it.
static void find(void *library, const char *name, void *function) {
  void *found = dlsym(library, name);
  if (found == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  memcpy(function, &found, sizeof found);
}

int main(int argc, char **argv) {
  if (argc < 2 || argc % 2 != 0 || argc > 2 + 2 * MAX_OPTIONS) {
    fprintf(stderr, "usage: %s PATH [NAME VALUE]...\n", argv[0]);
    return 2;
  }
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  create_function *create;
  destroy_function *destroy;
  find(library, "tflite_plugin_create_delegate", &create);
  find(library, "tflite_plugin_destroy_delegate", &destroy);
  const char *names[MAX_OPTIONS], *values[MAX_OPTIONS];
  size_t n = 0;
  for (int i = 2; i < argc; i += 2, n++) {
    names[n] = argv[i];
    values[n] = argv[i + 1];
  }
  TfLiteDelegate *delegate = create(names, values, n, report_error);
  if (delegate == NULL) return 1;
  printf("a delegate with %zu options\n", n);
  destroy(delegate);
  return 0;
}
