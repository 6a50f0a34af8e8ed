// Checks that count themselves. A test ends with `return unit_report();`, which prints `N passed, N failed`.
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int unit_passed, unit_failed;

// `...` says which case it was, as for printf. A failure is printed and the test goes on; the result is whether the check held.
#define CHECK(condition, ...) unit_check((condition), __FILE__, __LINE__, #condition, __VA_ARGS__)

__attribute__((format(printf, 5, 6))) static inline bool unit_check(bool holds, const char *file, int line, const char *condition, const char *format, ...) {
  if (holds) {
    unit_passed++;
    return true;
  }
  unit_failed++;
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "%s:%d: %s: ", file, line, condition);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  return false;
}

// Strings, either of which may be NULL.
#define CHECK_STRING(got, wanted, name) unit_check_string((got), (wanted), __FILE__, __LINE__, (name))

static inline bool unit_check_string(const char *got, const char *wanted, const char *file, int line, const char *name) {
  const bool same = got == NULL || wanted == NULL ? got == wanted : strcmp(got, wanted) == 0;
  return unit_check(same, file, line, name, "got \"%s\", want \"%s\"", got != NULL ? got : "(null)", wanted != NULL ? wanted : "(null)");
}

static inline int unit_report(void) {
  printf("%d passed, %d failed\n", unit_passed, unit_failed);
  return unit_failed == 0 && unit_passed > 0 ? 0 : 1;
}

// xorshift64*: the same numbers everywhere.
static inline unsigned long long unit_random(unsigned long long *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * 0x2545f4914f6cdd1dull;
}

#define N_ELEMENTS(array) (sizeof(array) / sizeof(array)[0])
