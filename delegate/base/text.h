// Text that is appended to a fixed buffer; what does not fit is cut off.
#pragma once

#include <stddef.h>

struct tvmq_text {
  char *at;  // buffer of `size` bytes, at least 1; the text always ends with a NUL
  size_t size, length;
};

__attribute__((format(printf, 2, 3))) void tvmq_say(struct tvmq_text *text, const char *format, ...);

// Appends an untrusted string as printable ASCII. Other bytes and backslashes become \xNN; an escape that does not fit
// is dropped as a whole.
void tvmq_say_escaped(struct tvmq_text *text, const char *string);

// Appends `what`, then name number `index` of `names`, which are separated by '|'.
void tvmq_say_name(struct tvmq_text *text, const char *what, const char *names, size_t index);
