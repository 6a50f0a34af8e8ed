// The functions that a runtime calls to create and destroy a delegate.
#include <string.h>

#include "base/memory.h"
#include "host/apply.h"
#include "host/options.h"

#pragma GCC visibility push(default)
TfLiteDelegate *tflite_plugin_create_delegate(const char *const *keys, const char *const *values, size_t n, void (*report_error)(const char *));
void tflite_plugin_destroy_delegate(TfLiteDelegate *delegate);
#pragma GCC visibility pop

TfLiteDelegate *tflite_plugin_create_delegate(const char *const *keys, const char *const *values, size_t n, void (*report_error)(const char *)) {
  static const char name[] = "tvmq-delegate: ";
  char message[sizeof name + TVMQ_OPTIONS_MESSAGE], *const why = message + sizeof name - 1;
  struct tvmq_text text = {.at = why, .size = TVMQ_OPTIONS_MESSAGE};
  struct tvmq_options *options = tvmq_alloc(sizeof *options);  // too large for a small stack
  struct tvmq_delegate *delegate = NULL;
  memcpy(message, name, sizeof name);
  if (options == NULL) {
    tvmq_say(&text, "out of memory");
  } else if (tvmq_options_parse(keys, values, n, options, why)) {
    delegate = tvmq_delegate_create(options, tvmq_apply, &text);
  }
  tvmq_free(options);
  if (delegate != NULL) return &delegate->base;
  if (report_error != NULL) report_error(message);
  return NULL;
}

void tflite_plugin_destroy_delegate(TfLiteDelegate *base) {
  struct tvmq_delegate *delegate = tvmq_delegate_of(base);
  if (delegate != NULL) tvmq_delegate_destroy(delegate);
}
