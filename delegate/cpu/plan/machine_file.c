#include "cpu/plan/machine_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "cpu/plan/select.h"

static const char heading[] = "tvmq-machine 1";
static const float MOST_RATE = 1e5f, LEAST_RATE = 1e-4f;

// A machine from a file, with everything that it points to.
struct owned {
  struct tvmq_machine machine;  // must stay the first member
  char name[TVMQ_MACHINE_NAME];
  struct tvmq_speed speeds[];
};

struct field {
  const char *name, *unit, *help;
  size_t offset, most;
  bool is_size;
};

static const struct field fields[] = {
#define TVMQ_MACHINE_COST(name, unit, help) {#name, unit, help, offsetof(struct tvmq_machine, name), TVMQ_MOST_COST, false},
#define TVMQ_MACHINE_SIZE(name, most, unit, help) {#name, unit, help, offsetof(struct tvmq_machine, name), most, true},
#include "cpu/machine_fields.def"
};
enum { N_FIELDS = sizeof fields / sizeof fields[0] };

// ---- numbers

static void write_decimal(struct tvmq_text *text, double number) {
  char printed[40], plain[40];
  size_t n = 0;
  snprintf(printed, sizeof printed, "%.6g", number);
  for (const char *c = printed; *c != '\0'; c++) {
    const bool is_point = strchr("0123456789e+-", *c) == NULL;
    if (!is_point || plain[n - 1] != '.') plain[n++] = is_point ? '.' : *c;
  }
  plain[n] = '\0';
  tvmq_say(text, "%s", plain);
}

// ---- lines

struct reader {
  struct owned *owned;
  size_t line, skipped;
  struct tvmq_text *message;
};

static bool wrong(struct reader *reader, const char *what, const char *key) {
  char shown[61] = "";
  tvmq_say_escaped(&(struct tvmq_text){.at = shown, .size = sizeof shown}, key);
  tvmq_say(reader->message, "line %zu: %s%s%s%s", reader->line, what, shown[0] != '\0' ? ": '" : "", shown, shown[0] != '\0' ? "'" : "");
  return false;
}

// Reads exactly `n` numbers separated by blanks.
static bool read_values(const char *value, double numbers[], int n) {
  for (int i = 0; i < n; i++) {
    value += strspn(value, " \t");
    value = tvmq_decimal_read(value, value + strlen(value), &numbers[i]);
    if (value == NULL) return false;
  }
  return value[strspn(value, " \t")] == '\0';
}

static bool take_field(struct reader *reader, const struct field *field, const char *value) {
  double number;
  if (!read_values(value, &number, 1)) return wrong(reader, "not a number", field->name);
  if (number > (double)field->most || (field->is_size && number < 1)) return wrong(reader, "out of bounds", field->name);
  if (field->is_size && number != (double)(size_t)number) return wrong(reader, "not a whole number", field->name);
  char *at = (char *)&reader->owned->machine + field->offset;
  if (field->is_size) {
    *(size_t *)(void *)at = (size_t)number;
  } else {
    *(float *)(void *)at = (float)number;
  }
  return true;
}

static bool take_kernel(struct reader *reader, const char *name, const char *value) {
  double numbers[2];
  if (!read_values(value, numbers, 2)) return wrong(reader, "not a rate and tile_cycles", name);
  if (numbers[0] < (double)LEAST_RATE || numbers[0] > (double)MOST_RATE || numbers[1] > TVMQ_MOST_COST) return wrong(reader, "out of bounds", name);
  for (size_t i = 0; i < tvmq_n_variants; i++) {
    if (strcmp(tvmq_variants[i].name, name) != 0) continue;
    reader->owned->speeds[i] = (struct tvmq_speed){(float)numbers[0], (float)numbers[1]};
    return true;
  }
  reader->skipped++;
  return true;
}

static void begin_with(struct owned *owned, const struct tvmq_machine *base) {
  owned->machine = *base;
  owned->machine.name = owned->name;
  owned->machine.base = base->name;
  owned->machine.speeds = NULL;
  owned->machine.n_speeds = 0;
  owned->machine.every_speed = owned->speeds;
  for (size_t i = 0; i < tvmq_n_variants; i++) owned->speeds[i] = tvmq_speed_of(&tvmq_variants[i], base);
}

static bool take_pair(struct reader *reader, const char *key, const char *value) {
  if (strcmp(key, "name") == 0) {
    for (const char *c = value; *c != '\0'; c++) {
      if ((unsigned char)*c < ' ') return wrong(reader, "the name has a control character", "");
    }
    snprintf(reader->owned->name, sizeof reader->owned->name, "%s", value);
    return true;
  }
  if (strcmp(key, "base") == 0) {
    const struct tvmq_machine *base = tvmq_machine_named(value);
    if (reader->owned->machine.name != NULL) return wrong(reader, "base must come once and before all numbers", "");
    if (base == NULL) return wrong(reader, "unknown machine", value);
    begin_with(reader->owned, base);
    return true;
  }
  if (reader->owned->machine.name == NULL) return wrong(reader, "base must come before", key);
  if (strncmp(key, "kernel ", 7) == 0) return take_kernel(reader, key + 7 + strspn(key + 7, " \t"), value);
  for (size_t i = 0; i < N_FIELDS; i++) {
    if (strcmp(fields[i].name, key) == 0) return take_field(reader, &fields[i], value);
  }
  reader->skipped++;
  return true;
}

// Returns the text without leading and trailing blanks.
static char *trimmed(char *text) {
  text += strspn(text, " \t\r");
  size_t n = strlen(text);
  while (n > 0 && strchr(" \t\r", text[n - 1]) != NULL) n--;
  text[n] = '\0';
  return text;
}

static bool take_line(struct reader *reader, char *line) {
  line[strcspn(line, "#")] = '\0';
  line = trimmed(line);
  if (reader->line == 1) return strcmp(line, heading) == 0 || wrong(reader, "not 'tvmq-machine 1'", "");
  if (line[0] == '\0') return true;
  char *equals = strchr(line, '=');
  if (equals == NULL) return wrong(reader, "not of the form name = value", line);
  *equals = '\0';
  return take_pair(reader, trimmed(line), trimmed(equals + 1));
}

static bool take_lines(struct reader *reader, const char *text, size_t n_bytes) {
  char line[256];
  for (size_t at = 0; at < n_bytes;) {
    const char *end = memchr(text + at, '\n', n_bytes - at);
    const size_t length = end != NULL ? (size_t)(end - text) - at : n_bytes - at;
    reader->line++;
    if (length >= sizeof line) return wrong(reader, "too long", "");
    if (memchr(text + at, '\0', length) != NULL) return wrong(reader, "a zero byte", "");
    memcpy(line, text + at, length);
    line[length] = '\0';
    if (!take_line(reader, line)) return false;
    at += length + 1;
  }
  return reader->owned->machine.name != NULL || wrong(reader, "base is missing", "");
}

struct tvmq_machine *tvmq_machine_parse(const char *text, size_t n_bytes, size_t *skipped, struct tvmq_text *message) {
  struct reader reader = {.owned = tvmq_alloc(sizeof *reader.owned + tvmq_n_variants * sizeof reader.owned->speeds[0]), .message = message};
  if (reader.owned == NULL) {
    tvmq_say(message, "out of memory");
    return NULL;
  }
  reader.owned->machine.name = NULL;
  snprintf(reader.owned->name, sizeof reader.owned->name, "unnamed");
  if (take_lines(&reader, text, n_bytes)) {
    *skipped = reader.skipped;
    return &reader.owned->machine;
  }
  tvmq_free(reader.owned);
  return NULL;
}

struct tvmq_machine *tvmq_machine_read(const char *path, size_t *skipped, struct tvmq_text *message) {
  struct stat about;
  if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) {  // opening a pipe would block
    tvmq_say(message, "not a regular file");
    return NULL;
  }
  FILE *file = fopen(path, "re");
  char *text = tvmq_alloc(TVMQ_MACHINE_FILE_BYTES + 1);
  struct tvmq_machine *machine = NULL;
  if (file == NULL || text == NULL) {
    tvmq_say(message, "%s", file == NULL ? strerror(errno) : "out of memory");
  } else {
    const size_t n_bytes = fread(text, 1, TVMQ_MACHINE_FILE_BYTES + 1, file);
    if (ferror(file)) {
      tvmq_say(message, "cannot be read");
    } else if (n_bytes > TVMQ_MACHINE_FILE_BYTES) {
      tvmq_say(message, "longer than %d bytes", TVMQ_MACHINE_FILE_BYTES);
    } else {
      machine = tvmq_machine_parse(text, n_bytes, skipped, message);
    }
  }
  if (file != NULL) fclose(file);
  tvmq_free(text);
  return machine;
}

void tvmq_machine_release(struct tvmq_machine *machine) { tvmq_free(machine); }

void tvmq_machine_write(const struct tvmq_machine *machine, struct tvmq_text *text) {
  tvmq_say(text, "%s\nname = %s\nbase = %s\n\n", heading, machine->name, machine->base != NULL ? machine->base : machine->name);
  for (size_t i = 0; i < N_FIELDS; i++) {
    const char *at = (const char *)machine + fields[i].offset;
    tvmq_say(text, "%s = ", fields[i].name);
    write_decimal(text, fields[i].is_size ? (double)*(const size_t *)(const void *)at : (double)*(const float *)(const void *)at);
    tvmq_say(text, "  # %s: %s\n", fields[i].unit, fields[i].help);
  }
  tvmq_say(text, "\n# rate (work per cycle) and tile_cycles of the kernels\n");
  for (const struct tvmq_variant *v = tvmq_variants; v < tvmq_variants + tvmq_n_variants; v++) {
    if ((v->cpu & ~machine->cpu) != 0) continue;
    const struct tvmq_speed speed = tvmq_speed_of(v, machine);
    tvmq_say(text, "kernel %s = ", v->name);
    write_decimal(text, (double)speed.rate);
    tvmq_say(text, " ");
    write_decimal(text, (double)speed.tile_cycles);
    tvmq_say(text, "\n");
  }
}
