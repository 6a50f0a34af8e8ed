// The functions that a runtime calls to make and destroy a delegate.
#include <stdio.h>
#include <string.h>

#include "host/apply.h"
#include "host/options.h"

#pragma GCC visibility push(default)
TfLiteDelegate *tflite_plugin_create_delegate(const char *const *keys, const char *const *values, size_t n, void (*report_error)(const char *));
void tflite_plugin_destroy_delegate(TfLiteDelegate *delegate);
#pragma GCC visibility pop

TfLiteDelegate *tflite_plugin_create_delegate(const char *const *keys, const char *const *values, size_t n, void (*report_error)(const char *)) {
  static const char name[] = "tvmq-delegate: ";
  struct tvmq_options options;
  char message[sizeof name + TVMQ_OPTIONS_MESSAGE], *const why = message + sizeof name - 1;
  memcpy(message, name, sizeof name);
  if (tvmq_options_parse(keys, values, n, &options, why)) {
    struct tvmq_delegate *delegate = tvmq_delegate_create(&options, tvmq_apply);
    if (delegate != NULL) return &delegate->base;
    snprintf(why, TVMQ_OPTIONS_MESSAGE, "out of memory");
  }
  if (report_error != NULL) report_error(message);
  return NULL;
}

void tflite_plugin_destroy_delegate(TfLiteDelegate *base) {
  struct tvmq_delegate *delegate = tvmq_delegate_of(base);
  if (delegate != NULL) tvmq_delegate_destroy(delegate);
}
