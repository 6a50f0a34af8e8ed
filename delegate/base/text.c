#include "base/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void tvmq_say(struct tvmq_text *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(text->at + text->length, text->size - text->length, format, args);
  va_end(args);
  if (n < 0) return;
  const size_t left = text->size - text->length;
  text->length += (size_t)n < left ? (size_t)n : left - 1;
}

void tvmq_say_escaped(struct tvmq_text *text, const char *string) {
  for (const unsigned char *c = (const unsigned char *)string; *c != '\0'; c++) {
    const bool plain = *c >= ' ' && *c <= '~' && *c != '\\';
    if (text->size - text->length <= (plain ? 1U : 4U)) return;
    if (!plain) {
      tvmq_say(text, "\\x%02x", *c);
      continue;
    }
    text->at[text->length++] = (char)*c;
    text->at[text->length] = '\0';
  }
}

void tvmq_say_name(struct tvmq_text *text, const char *what, const char *names, size_t index) {
  while (index-- > 0) names += strcspn(names, "|") + 1;
  tvmq_say(text, "%s%.*s", what, (int)strcspn(names, "|"), names);
}
