#include "litert/settings.h"

#include <string.h>

static size_t find_setting(const struct tvmq_settings *settings, const char *name) {
  size_t i = 0;
  while (i < settings->n && strcmp(settings->names[i], name) != 0) i++;
  return i;
}

// Copies `size` characters without surrounding spaces. Returns the copy, or NULL if there is no room left.
static const char *copy_trimmed(struct tvmq_settings *settings, const char *text, size_t size) {
  while (size > 0 && strchr(" \t\r", text[0])) text++, size--;
  while (size > 0 && strchr(" \t\r", text[size - 1])) size--;
  if (size >= sizeof settings->text - settings->used) return NULL;
  char *copy = settings->text + settings->used;
  memcpy(copy, text, size);
  copy[size] = '\0';
  settings->used += size + 1;
  return copy;
}

static bool put_setting(struct tvmq_settings *settings, const char *name, size_t name_size, const char *value, size_t value_size) {
  const char *kept_name = copy_trimmed(settings, name, name_size), *kept_value = copy_trimmed(settings, value, value_size);
  if (kept_name == NULL || kept_value == NULL || kept_name[0] == '\0') return false;
  const size_t i = find_setting(settings, kept_name);
  if (i == TVMQ_SETTINGS) return false;
  settings->names[i] = kept_name;
  settings->values[i] = kept_value;
  if (i == settings->n) settings->n++;
  return true;
}

bool tvmq_settings_put(struct tvmq_settings *settings, const char *name, const char *value) {
  return put_setting(settings, name, strlen(name), value, strlen(value));
}

bool tvmq_settings_read(struct tvmq_settings *settings, const char *text, char separator) {
  const char ends[] = {'\n', separator, '\0'};
  while (*text != '\0') {
    const char *end = text + strcspn(text, ends);
    while (text < end && strchr(" \t\r", *text)) text++;
    if (text < end && *text != '#') {
      const char *equals = memchr(text, '=', (size_t)(end - text));
      if (equals == NULL || !put_setting(settings, text, (size_t)(equals - text), equals + 1, (size_t)(end - equals - 1))) return false;
    }
    text = *end != '\0' ? end + 1 : end;
  }
  return true;
}

const char *tvmq_settings_get(const struct tvmq_settings *settings, const char *name) {
  const size_t i = find_setting(settings, name);
  return i < settings->n ? settings->values[i] : NULL;
}

const char *tvmq_settings_take(struct tvmq_settings *settings, const char *name) {
  const size_t i = find_setting(settings, name);
  if (i == settings->n) return NULL;
  const char *value = settings->values[i];
  settings->n--;
  for (size_t j = i; j < settings->n; j++) {
    settings->names[j] = settings->names[j + 1];
    settings->values[j] = settings->values[j + 1];
  }
  return value;
}
