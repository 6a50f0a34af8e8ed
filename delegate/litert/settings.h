// Settings parsed from text: lines of name=value.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { TVMQ_SETTINGS = 32, TVMQ_SETTINGS_TEXT = 8192 };

// Names and values point into `text`, so do not copy this structure. Initialize it with zeros.
struct tvmq_settings {
  size_t n, used;
  const char *names[TVMQ_SETTINGS], *values[TVMQ_SETTINGS];
  char text[TVMQ_SETTINGS_TEXT];
};

// Adds the settings in `text`; a name that is already set gets the new value. Settings are separated by line breaks
// and, unless it is '\0', by `separator`. Empty ones and those that begin with '#' are ignored. Returns false if one is
// malformed or there are too many.
bool tvmq_settings_read(struct tvmq_settings *settings, const char *text, char separator);

// Adds one setting. Returns false if there are too many.
bool tvmq_settings_put(struct tvmq_settings *settings, const char *name, const char *value);

// Returns the value of a setting, or NULL if it is not set.
const char *tvmq_settings_get(const struct tvmq_settings *settings, const char *name);

// Removes a setting. Returns its value, or NULL if it was not set.
const char *tvmq_settings_take(struct tvmq_settings *settings, const char *name);
