// The words of a signature (graph/signature.h): an operator's name, then NAME=VALUE or NAME, with single blanks between them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/types.h"

enum { TVMQ_MOST_NUMBERS = 4 };  // numbers in a value

// Returns whether there is a word of this name, with or without a value.
bool tvmq_word_there(const char *signature, const char *name);

// Reads the numbers of NAME=a,b,...: exactly n decimal numbers from 0 to INT32_MAX. Returns false if the word is
// missing or has another form.
bool tvmq_word_numbers(const char *signature, const char *name, int n, int32_t *numbers);

// Reads NAME=type if n is 0, otherwise NAME=type[a,b,...] with exactly n numbers. Returns false if the word is missing
// or has another form.
bool tvmq_word_tensor(const char *signature, const char *name, enum tvmq_type *type, int n, int32_t *numbers);

// Copies the text of NAME=text. Returns false if there is none or it does not fit.
bool tvmq_word_text(const char *signature, const char *name, char *text, size_t size);

// Returns whether two signatures are equal except for words that depend on the machine or the delegate's options: cpu,
// threads, rounding, winograd.
bool tvmq_same_operator(const char *a, const char *b);
