#include "host/option_kinds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cpu/affinity.h"
#include "cpu/cpu.h"

// Returns the index of the first `length` bytes of `text` among names separated by "|", or -1 if there is no such name.
static int find_name(const char *names, const char *text, size_t length) {
  for (int i = 0;; i++) {
    const size_t n = strcspn(names, "|");
    if (n == length && strncmp(names, text, n) == 0) return i;
    if (names[n] == '\0') return -1;
    names += n + 1;
  }
}

// Returns whether the names are those of instruction sets, of which the CPU offers some.
static bool names_isas(const struct tvmq_option_info *info) { return strcmp(info->name, "isa") == 0; }

static bool parse_bool(const struct tvmq_option_info *info, const char *value, void *out) {
  static const char *const words[] = {"false", "true", "0", "1", "off", "on", "no", "yes"};
  (void)info;
  for (int i = 0; i < (int)(sizeof words / sizeof words[0]); i++) {
    if (strcasecmp(value, words[i]) == 0) {
      *(int *)out = i % 2;
      return true;
    }
  }
  return false;
}

static void allowed_bools(struct tvmq_text *message, const struct tvmq_option_info *info) {
  (void)info;
  tvmq_say(message, "true or false");
}

static bool parse_int(const struct tvmq_option_info *info, const char *value, void *out) {
  if (info->names[0] != '\0' && strcmp(value, info->names) == 0) {
    *(int *)out = info->min - 1;
    return true;
  }
  // strtol would accept leading blanks and "+".
  if (value[0] != '-' && (value[0] < '0' || value[0] > '9')) return false;
  char *end;
  errno = 0;
  const long number = strtol(value, &end, 10);
  if (errno != 0 || end == value || *end != '\0' || number < info->min || number > info->max) return false;
  *(int *)out = (int)number;
  return true;
}

static void allowed_ints(struct tvmq_text *message, const struct tvmq_option_info *info) {
  tvmq_say(message, "%s%swhole numbers from %d to %d", info->names, info->names[0] != '\0' ? ", " : "", info->min, info->max);
}

static bool parse_name(const struct tvmq_option_info *info, const char *value, void *out) {
  const int i = find_name(info->names, value, strlen(value));
  if (i < 0 || (i > 0 && names_isas(info) && !tvmq_isa_offered(&tvmq_isas[i - 1]))) return false;
  *(int *)out = i;
  return true;
}

static void allowed_names(struct tvmq_text *message, const struct tvmq_option_info *info) {
  if (names_isas(info)) {
    tvmq_say(message, "auto");
    for (size_t i = 0; i < tvmq_n_isas; i++) {
      if (tvmq_isa_offered(&tvmq_isas[i])) tvmq_say(message, ", %s", tvmq_isas[i].name);
    }
    tvmq_say(message, " (what this CPU offers)");
    return;
  }
  for (const char *name = info->names; *name != '\0'; name += strspn(name, "|")) {
    const int length = (int)strcspn(name, "|");
    tvmq_say(message, "%s%.*s", name == info->names ? "" : ", ", length, name);
    name += length;
  }
}

static bool parse_cpus(const struct tvmq_option_info *info, const char *value, void *out) {
  (void)info;
  return tvmq_cpus_parse(value, out);
}

static void allowed_cpus(struct tvmq_text *message, const struct tvmq_option_info *info) {
  char usable[TVMQ_CPUS_TEXT];
  (void)info;
  tvmq_cpus_usable(usable, sizeof usable);
  tvmq_say(message, "any, or numbers and ranges joined by + out of %s (what the process may use)", usable);
}

static bool parse_path(const struct tvmq_option_info *info, const char *value, void *out) {
  (void)info;
  if (value[0] == '\0' || strlen(value) >= TVMQ_OPTION_PATH) return false;
  strcpy(out, value);
  return true;
}

static void allowed_paths(struct tvmq_text *message, const struct tvmq_option_info *info) {
  tvmq_say(message, "%s, a name or a path of 1 to %d bytes", info->default_value, TVMQ_OPTION_PATH - 1);
}

const struct tvmq_option_kind *tvmq_option_kind(const struct tvmq_option_info *info) {
  static const struct tvmq_option_kind kinds[] = {
      {"bool", parse_bool, allowed_bools}, {"int", parse_int, allowed_ints},    {"name", parse_name, allowed_names},
      {"cpus", parse_cpus, allowed_cpus},  {"path", parse_path, allowed_paths},
  };
  const struct tvmq_option_kind *kind = kinds;
  while (strcmp(kind->name, info->kind) != 0) kind++;
  return kind;
}
