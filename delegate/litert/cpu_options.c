#include "litert/cpu_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool interpret(const struct tvmq_settings *settings, struct tvmq_cpu_options *options) {
  const char *mode = tvmq_settings_get(settings, "kernel_mode"), *threads = tvmq_settings_get(settings, "num_threads");
  options->delegates = mode == NULL || strcmp(mode, "\"delegate\"") == 0;
  if (threads == NULL) return true;
  if (strtol(threads, NULL, 10) < 1) threads = "1";  // XNNPACK's default
  const int size = snprintf(options->num_threads, sizeof options->num_threads, "%s", threads);
  return size < (int)sizeof options->num_threads;
}

bool tvmq_cpu_options_read(const char *text, struct tvmq_cpu_options *options) {
  *options = (struct tvmq_cpu_options){.delegates = true};
  if (text == NULL) return true;
  struct tvmq_settings *settings = calloc(1, sizeof *settings);
  const bool read = settings != NULL && tvmq_settings_read(settings, text, '\0') && interpret(settings, options);
  free(settings);
  return read;
}
