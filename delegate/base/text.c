#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

void tvmq_say(struct tvmq_text *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(text->at + text->length, text->size - text->length, format, args);
  va_end(args);
  if (n < 0) return;
  const size_t left = text->size - text->length;
  text->length += (size_t)n < left ? (size_t)n : left - 1;
}
