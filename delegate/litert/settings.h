// Options as text: lines of name=value.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { TVMQ_SETTINGS = 32, TVMQ_SETTINGS_TEXT = 8192 };

// Names and values point into `text`. Begin with zeros. Not to be copied.
struct tvmq_settings {
  size_t n, used;
  const char *names[TVMQ_SETTINGS], *values[TVMQ_SETTINGS];
  char text[TVMQ_SETTINGS_TEXT];
};

// Adds what `text` says; a name that is known already gets the new value. Settings are separated by line breaks, and by `separator` if that is not '\0'. Empty
// ones, and those that begin with '#', say nothing. False if a piece is no setting or there are too many of them.
bool tvmq_settings_read(struct tvmq_settings *settings, const char *text, char separator);

// The same with one setting.
bool tvmq_settings_put(struct tvmq_settings *settings, const char *name, const char *value);

// NULL if it is not set.
const char *tvmq_settings_get(const struct tvmq_settings *settings, const char *name);

// Takes a setting out; its value as above.
const char *tvmq_settings_take(struct tvmq_settings *settings, const char *name);
