#define _GNU_SOURCE
#include "cpu/affinity.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

bool tvmq_cpus_have(const struct tvmq_cpus *cpus, size_t cpu) { return cpu < TVMQ_CPUS_MAX && (cpus->words[cpu / 32] >> (cpu % 32) & 1) != 0; }

bool tvmq_cpus_here(struct tvmq_cpus *cpus) {
  memset(cpus, 0, sizeof *cpus);
  cpus->some = sched_getaffinity(0, sizeof cpus->words, (cpu_set_t *)cpus->words) == 0;
  return cpus->some;
}

bool tvmq_cpus_move(const struct tvmq_cpus *cpus) { return sched_setaffinity(0, sizeof cpus->words, (const cpu_set_t *)cpus->words) == 0; }

// Reads a decimal number below TVMQ_CPUS_MAX and advances *text past it. Returns false if there is none.
static bool read_number(const char **text, size_t *out) {
  if (**text < '0' || **text > '9') return false;
  char *end;
  errno = 0;
  const unsigned long value = strtoul(*text, &end, 10);
  *text = end;
  *out = value;
  return errno == 0 && value < TVMQ_CPUS_MAX;
}

bool tvmq_cpus_parse(const char *text, struct tvmq_cpus *cpus) {
  struct tvmq_cpus usable;
  memset(cpus, 0, sizeof *cpus);
  if (strcmp(text, "any") == 0) return true;
  if (!tvmq_cpus_here(&usable)) return false;
  cpus->some = true;
  for (;;) {
    size_t first, last;
    if (!read_number(&text, &first)) return false;
    last = first;
    if (*text == '-' && (text++, !read_number(&text, &last))) return false;
    if (last < first) return false;
    for (size_t i = first; i <= last; i++) {
      if (!tvmq_cpus_have(&usable, i)) return false;
      cpus->words[i / 32] |= UINT32_C(1) << (i % 32);
    }
    if (*text == '\0') return true;
    if (*text++ != '+') return false;
  }
}

void tvmq_cpus_usable(char *text, size_t size) {
  struct tvmq_cpus usable;
  struct tvmq_text list = {.at = text, .size = size};
  text[0] = '\0';
  if (!tvmq_cpus_here(&usable)) return;
  for (size_t i = 0; i < TVMQ_CPUS_MAX; i++) {
    if (!tvmq_cpus_have(&usable, i)) continue;
    const size_t first = i;
    while (tvmq_cpus_have(&usable, i + 1)) i++;
    tvmq_say(&list, "%s%zu", list.length > 0 ? "+" : "", first);
    if (i > first) tvmq_say(&list, "-%zu", i);
  }
}
