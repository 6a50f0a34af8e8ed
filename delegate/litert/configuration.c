#define _GNU_SOURCE  // dladdr
#include "litert/configuration.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char options_file[] = "tvmq_delegate.conf";

static void find_folder(struct tvmq_configuration *configuration, const void *address) {
  Dl_info info;
  if (dladdr(address, &info) == 0 || info.dli_fname == NULL) return;
  const char *slash = strrchr(info.dli_fname, '/');
  const size_t size = slash != NULL ? (size_t)(slash - info.dli_fname) + 1 : 0;
  if (size >= sizeof configuration->folder) return;
  memcpy(configuration->folder, info.dli_fname, size);
  configuration->folder[size] = '\0';
}

// Returns the whole file, to be released with free(). On failure, returns NULL and sets errno.
static char *file_contents(const char *path) {
  FILE *file = fopen(path, "re");
  if (file == NULL) return NULL;
  char *text = calloc(1, TVMQ_SETTINGS_TEXT);
  const size_t size = text != NULL ? fread(text, 1, TVMQ_SETTINGS_TEXT, file) : 0;
  const int wrong = text == NULL || ferror(file) ? errno : size == TVMQ_SETTINGS_TEXT ? EFBIG : 0;  // needs a NUL
  fclose(file);
  if (wrong == 0) return text;
  free(text);
  errno = wrong;
  return NULL;
}

static void read_options_file(struct tvmq_configuration *configuration) {
  char path[TVMQ_PATH + sizeof options_file];
  snprintf(path, sizeof path, "%s%s", configuration->folder, options_file);
  char *text = file_contents(path);
  if (text == NULL) {
    if (errno != ENOENT) snprintf(configuration->complaint, sizeof configuration->complaint, "%s: %s", path, strerror(errno));
    return;
  }
  if (!tvmq_settings_read(&configuration->settings, text, '\0')) {
    snprintf(configuration->complaint, sizeof configuration->complaint, "%s: too many lines, or not lines of name=value", path);
  }
  free(text);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *told;  // lines from tvmq_accelerator_configure, or NULL

bool tvmq_configuration_tell(const char *lines) {
  struct tvmq_settings *settings = calloc(1, sizeof *settings);
  char *copy = lines != NULL ? strdup(lines) : NULL;
  const bool taken = settings != NULL && (lines == NULL || (copy != NULL && tvmq_settings_read(settings, copy, '\0')));
  free(settings);
  if (!taken) {
    free(copy);
    return false;
  }
  pthread_mutex_lock(&mutex);
  char *before = told;
  told = copy;
  pthread_mutex_unlock(&mutex);
  free(before);
  return true;
}

static void read_told(struct tvmq_configuration *configuration) {
  pthread_mutex_lock(&mutex);
  const bool taken = told == NULL || tvmq_settings_read(&configuration->settings, told, '\0');
  pthread_mutex_unlock(&mutex);
  if (!taken) snprintf(configuration->complaint, sizeof configuration->complaint, "too many options");
}

struct tvmq_configuration *tvmq_configuration_read(const void *address) {
  struct tvmq_configuration *configuration = calloc(1, sizeof *configuration);
  if (configuration == NULL) return NULL;
  struct tvmq_settings *settings = &configuration->settings;
  find_folder(configuration, address);
  const char *variable = getenv("TVMQ_OPTIONS");
  if (variable != NULL && !tvmq_settings_read(settings, variable, ';')) {
    snprintf(configuration->complaint, sizeof configuration->complaint, "TVMQ_OPTIONS: too many options, or not name=value;name=value");
  }
  if (configuration->folder[0] != '\0') read_options_file(configuration);
  read_told(configuration);
  configuration->library = tvmq_settings_take(settings, "library");
  configuration->gpu_accelerator = tvmq_settings_take(settings, "gpu_accelerator");
  const char *enabled = tvmq_settings_take(settings, "enabled");
  configuration->enabled = enabled == NULL || (strcmp(enabled, "false") != 0 && strcmp(enabled, "0") != 0);
  return configuration;
}
