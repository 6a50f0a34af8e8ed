// Text written piece by piece into room that is given; what does not fit is cut off.
#pragma once

#include <stddef.h>

struct tvmq_text {
  char *at;  // room of `size` bytes, at least 1; what is written ends with a NUL
  size_t size, length;
};

__attribute__((format(printf, 2, 3))) void tvmq_say(struct tvmq_text *text, const char *format, ...);

// Appends a string of unknown origin as printable ASCII: other bytes and backslashes become \xNN, of which none is cut apart.
void tvmq_say_escaped(struct tvmq_text *text, const char *string);

// Appends `what`, and of names separated by '|' the one with that index.
void tvmq_say_name(struct tvmq_text *text, const char *what, const char *names, size_t index);
