#include "tuning/records.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/checksum.h"
#include "base/memory.h"
#include "kernels/variants.h"
#include "tuning/json.h"

enum { NAME_SIZE = 160, KEY_SIZE = 64 };

// The members of a line that are read.
struct line {
  double version;
  char cpu[NAME_SIZE], task[TVMQ_TASK_SIZE], way[NAME_SIZE], kernel[NAME_SIZE];
  bool in_order, proven, flipped_copy;
  double rows, panels;
  double least_ns, default_least_ns;  // of the times
};

// The least of an array of times.
static bool read_times(struct tvmq_json *json, double *least) {
  size_t n = 0;
  double time;
  *least = INFINITY;
  if (!tvmq_json_begin(json, '[')) return false;
  while (tvmq_json_next(json, ']', &n)) {
    if (!tvmq_json_number(json, &time)) return false;
    *least = time < *least ? time : *least;
  }
  return !json->failed;
}

// Members of an object that are read; all others are skipped.
enum kind { STRING, NUMBER, TRUTH, TIMES, CHOICE };
struct member {
  const char *name;
  enum kind kind;
  size_t offset, size;  // into struct line
};
#define TEXT_MEMBER(field) {#field, STRING, offsetof(struct line, field), sizeof((struct line *)0)->field}
static const struct member line_members[] = {
    {"version", NUMBER, offsetof(struct line, version), 0},
    TEXT_MEMBER(cpu),
    {"in_order", TRUTH, offsetof(struct line, in_order), 0},
    TEXT_MEMBER(task),
    {"choice", CHOICE, 0, 0},
    {"times_ns", TIMES, offsetof(struct line, least_ns), 0},
    {"default_times_ns", TIMES, offsetof(struct line, default_least_ns), 0},
    {"proven", TRUTH, offsetof(struct line, proven), 0},
};
static const struct member choice_members[] = {
    TEXT_MEMBER(way),
    TEXT_MEMBER(kernel),
    {"flipped_copy", TRUTH, offsetof(struct line, flipped_copy), 0},
    {"rows", NUMBER, offsetof(struct line, rows), 0},
    {"panels", NUMBER, offsetof(struct line, panels), 0},
};
enum { N_LINE = sizeof line_members / sizeof line_members[0], N_CHOICE = sizeof choice_members / sizeof choice_members[0] };

static bool read_object(struct tvmq_json *json, const struct member *members, size_t n_members, struct line *line);

static bool read_member(struct tvmq_json *json, const struct member *member, struct line *line) {
  void *field = (char *)line + member->offset;
  switch (member->kind) {
    case STRING:
      return tvmq_json_string(json, field, member->size);
    case NUMBER:
      return tvmq_json_number(json, field);
    case TRUTH:
      return tvmq_json_bool(json, field);
    case TIMES:
      return read_times(json, field);
    case CHOICE:
      return read_object(json, choice_members, N_CHOICE, line);
  }
  return false;
}

// Each of the members must be there once.
static bool read_object(struct tvmq_json *json, const struct member *members, size_t n_members, struct line *line) {
  size_t n = 0;
  uint32_t seen = 0;
  char key[KEY_SIZE];
  if (!tvmq_json_begin(json, '{')) return false;
  while (tvmq_json_next(json, '}', &n)) {
    size_t i = 0;
    if (!tvmq_json_key(json, key, sizeof key)) return false;
    while (i < n_members && strcmp(members[i].name, key) != 0) i++;
    if (i < n_members && (seen & 1u << i) != 0) return false;
    if (!(i < n_members ? read_member(json, &members[i], line) : tvmq_json_skip(json))) return false;
    seen |= i < n_members ? 1u << i : 0;
  }
  return !json->failed && seen == (1u << n_members) - 1;
}

// A line of another version need not have the members of this one.
static bool is_of_other_version(const char *text, size_t size) {
  struct tvmq_json json = {.at = text, .end = text + size};
  char key[KEY_SIZE];
  size_t n = 0;
  double version = TVMQ_RECORDS_VERSION;
  if (!tvmq_json_begin(&json, '{')) return false;
  while (tvmq_json_next(&json, '}', &n)) {
    if (!tvmq_json_key(&json, key, sizeof key)) return false;
    if (!(strcmp(key, "version") == 0 ? tvmq_json_number(&json, &version) : tvmq_json_skip(&json))) return false;
  }
  return tvmq_json_done(&json) && version != TVMQ_RECORDS_VERSION;
}

// A whole number of things in memory.
static bool is_size(double number) { return number >= 0 && number <= (double)(1 << 30) && number == floor(number); }

static const struct tvmq_variant *find_kernel(const char *name) {
  for (size_t i = 0; i < tvmq_n_variants; i++) {
    if (strcmp(tvmq_variants[i].name, name) == 0) return &tvmq_variants[i];
  }
  return NULL;
}

static enum tvmq_way find_way(const char *name) {
  for (enum tvmq_way way = TVMQ_WAY_ANY + 1; way < TVMQ_N_WAYS; way++) {
    if (strcmp(tvmq_way_name(way), name) == 0) return way;
  }
  return TVMQ_WAY_ANY;
}

static uint64_t hash_of(const char *task) { return tvmq_checksum(0, task, strlen(task)); }

static struct tvmq_tuned *find(const struct tvmq_records *records, const char *task) {
  const uint64_t hash = hash_of(task);
  for (size_t i = 0; i < records->n; i++) {
    if (records->list[i].hash == hash && strcmp(records->list[i].task, task) == 0) return &records->list[i];
  }
  return NULL;
}

const struct tvmq_choice *tvmq_records_find(const struct tvmq_records *records, const char *task) {
  const struct tvmq_tuned *found = find(records, task);
  return found != NULL ? &found->choice : NULL;
}

// A new entry for the task; NULL: there are too many, or memory is short.
static struct tvmq_tuned *add(struct tvmq_records *records, const char *task) {
  if (records->n == TVMQ_MOST_TUNED) return NULL;
  if (records->list == NULL) records->list = tvmq_alloc(TVMQ_MOST_TUNED * sizeof *records->list);
  char *copy = records->list != NULL ? tvmq_alloc(strlen(task) + 1) : NULL;
  if (copy == NULL) return NULL;
  strcpy(copy, task);
  struct tvmq_tuned *entry = &records->list[records->n++];
  *entry = (struct tvmq_tuned){.hash = hash_of(task), .task = copy};
  return entry;
}

static void take(struct tvmq_records *records, const struct line *line, const struct tvmq_choice *choice) {
  const double gain = line->default_least_ns / line->least_ns;
  struct tvmq_tuned *entry = find(records, line->task);
  records->taken++;
  if (entry != NULL && entry->gain >= gain) return;
  if (entry == NULL) entry = add(records, line->task);
  if (entry == NULL) return;
  entry->choice = *choice;
  entry->gain = gain;
}

// The counter that the line belongs to.
static size_t *judge(struct tvmq_records *records, const char *text, size_t size, struct line *line, struct tvmq_choice *choice) {
  struct tvmq_json json = {.at = text, .end = text + size};
  if (!read_object(&json, line_members, N_LINE, line) || !tvmq_json_done(&json) || line->version != TVMQ_RECORDS_VERSION)
    return is_of_other_version(text, size) ? &records->other_version : &records->bad;
  if (!(line->least_ns > 0) || !isfinite(line->least_ns) || !(line->default_least_ns > 0) || !isfinite(line->default_least_ns) || !is_size(line->rows) ||
      !is_size(line->panels))
    return &records->bad;
  if (strcmp(line->cpu, records->cpu) != 0 || line->in_order != records->in_order) return &records->other_machine;
  if (!line->proven) return &records->measurements;
  *choice = (struct tvmq_choice){.way = find_way(line->way),
                                 .variant = find_kernel(line->kernel),
                                 .flip = line->flipped_copy ? TVMQ_FLIP_COPY : TVMQ_FLIP_USES,
                                 .rows = (size_t)line->rows,
                                 .panels = (size_t)line->panels};
  return choice->way == TVMQ_WAY_ANY || choice->variant == NULL ? &records->unknown : &records->taken;
}

static void parse_line(struct tvmq_records *records, const char *text, size_t size) {
  struct line line = {0};
  struct tvmq_choice choice;
  size_t *counter = judge(records, text, size, &line, &choice);
  if (counter == &records->taken) {
    take(records, &line, &choice);
  } else {
    ++*counter;
  }
}

static bool is_blank(const char *text, size_t size) {
  while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t' || text[size - 1] == '\r')) size--;
  return size == 0;
}

void tvmq_records_parse(struct tvmq_records *records, const char *text, size_t size) {
  while (size > 0) {
    const char *newline = memchr(text, '\n', size);
    const size_t length = newline != NULL ? (size_t)(newline - text) : size;
    if (!is_blank(text, length)) parse_line(records, text, length);
    const size_t passed = length + (newline != NULL);
    text += passed;
    size -= passed;
  }
}

static const char *read_all(struct tvmq_records *records, FILE *file) {
  struct stat about;
  if (fstat(fileno(file), &about) != 0 || !S_ISREG(about.st_mode)) return "no regular file";
  if (about.st_size > TVMQ_RECORDS_BYTES) return "more than 64 MiB";
  char *text = tvmq_alloc((size_t)about.st_size + 1);
  if (text == NULL) return "out of memory";
  tvmq_records_parse(records, text, fread(text, 1, (size_t)about.st_size, file));
  const bool failed = ferror(file) != 0;
  tvmq_free(text);
  return failed ? "cannot be read" : NULL;
}

const char *tvmq_records_read(struct tvmq_records *records, const char *path) {
  struct stat about;
  if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) return "no regular file";  // opening a pipe would wait
  FILE *file = fopen(path, "rbe");
  if (file == NULL) return "cannot be opened";
  const char *why = read_all(records, file);
  fclose(file);
  return why;
}

void tvmq_records_free(struct tvmq_records *records) {
  for (size_t i = 0; i < records->n; i++) tvmq_free(records->list[i].task);
  tvmq_free(records->list);
  records->list = NULL;
  records->n = 0;
}
