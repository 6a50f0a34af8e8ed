#include "litert/plugin.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

void tvmq_plugin_complain(const char *whose, const char *what) {
  static const char own_name[] = "tvmq-delegate: ";  // prefix of the delegate's messages, which tvmq_log adds again
  const size_t size = sizeof own_name - 1;
  tvmq_log(TVMQ_LOG_VERBOSE, TVMQ_LOG_ERROR, "%s: %s", whose, strncmp(what, own_name, size) == 0 ? what + size : what);
}

static void *open_library(const struct tvmq_configuration *configuration) {
  static const char name[] = "libtvmq_delegate.so";
  if (configuration->library != NULL) return dlopen(configuration->library, RTLD_NOW | RTLD_LOCAL);
  static const char *const places[] = {"", "../"};  // in a Python package, in a C installation
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    char path[TVMQ_PATH + sizeof name + 4];
    snprintf(path, sizeof path, "%s%s%s", configuration->folder, places[i], name);
    void *library = configuration->folder[0] != '\0' ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library != NULL) return library;
  }
  return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

static struct {
  pthread_mutex_t mutex;
  void *(*create)(const char *const *keys, const char *const *values, size_t n, void (*report_error)(const char *));
  void (*destroy)(void *delegate);
  const struct tvmq_delegate_info *(*info)(const void *delegate);
} plugin = {.mutex = PTHREAD_MUTEX_INITIALIZER};

bool tvmq_plugin_load(const struct tvmq_configuration *configuration, void (*complain)(const char *what)) {
  pthread_mutex_lock(&plugin.mutex);
  if (plugin.destroy == NULL) {
    void *library = open_library(configuration);
    void *create = library != NULL ? dlsym(library, "tflite_plugin_create_delegate") : NULL;
    void *info = library != NULL ? dlsym(library, "tvmq_get_delegate") : NULL;
    void *destroy = library != NULL ? dlsym(library, "tflite_plugin_destroy_delegate") : NULL;
    if (create != NULL && destroy != NULL) {
      memcpy(&plugin.create, &create, sizeof create);  // ISO C has no cast from void * to a function pointer
      memcpy(&plugin.destroy, &destroy, sizeof destroy);
      memcpy(&plugin.info, &info, sizeof info);
    } else {
      const char *why = dlerror();
      complain(why != NULL ? why : "the delegate's library does not export its functions");
    }
  }
  const bool found = plugin.destroy != NULL;
  pthread_mutex_unlock(&plugin.mutex);
  return found;
}

void *tvmq_plugin_create(const struct tvmq_settings *settings, void (*complain)(const char *what)) {
  return plugin.create(settings->names, settings->values, settings->n, complain);
}

void tvmq_plugin_destroy(void *delegate) { plugin.destroy(delegate); }

const struct tvmq_delegate_info *tvmq_plugin_info(const void *delegate) { return plugin.info != NULL ? plugin.info(delegate) : NULL; }
