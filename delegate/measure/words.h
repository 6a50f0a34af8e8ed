// The words of a signature (graph/signature.h): an operator's name, then NAME=VALUE or NAME, with single blanks between them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/types.h"

enum { TVMQ_MOST_NUMBERS = 4 };  // in a value

// Whether there is a word of that name, with a value or without.
bool tvmq_word_there(const char *signature, const char *name);

// The numbers of NAME=a,b,... : exactly n of them, in decimal, none negative, all at most INT32_MAX. False: there are none such.
bool tvmq_word_numbers(const char *signature, const char *name, int n, int32_t *numbers);

// The type of NAME=type or of NAME=type[a,b,...], with exactly n numbers.
bool tvmq_word_tensor(const char *signature, const char *name, enum tvmq_type *type, int n, int32_t *numbers);

// Copies the text of NAME=text. False: there is none, or it does not fit.
bool tvmq_word_text(const char *signature, const char *name, char *text, size_t size);

// Whether two signatures say the same but for words that depend on the machine and on the options of a delegate: cpu, threads, rounding, winograd.
bool tvmq_same_operator(const char *a, const char *b);
