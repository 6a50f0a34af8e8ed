#include "records/records.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/checksum.h"
#include "base/memory.h"
#include "records/json.h"
#include "records/members.h"

enum { NAME_SIZE = 160 };

// The members that are read from a line.
struct line {
  double version;
  char cpu[NAME_SIZE], identity[NAME_SIZE], task[TVMQ_TASK_SIZE];
  bool in_order, proven;
  struct tvmq_choice_text choice;
  double least_ns, default_least_ns;  // shortest times
};

// Reads an array of times and stores the shortest.
static bool read_times(struct tvmq_json *json, const struct tvmq_member *member, void *object) {
  size_t n = 0;
  double time, least = INFINITY;
  if (!tvmq_json_begin(json, '[')) return false;
  while (tvmq_json_next(json, ']', &n)) {
    if (!tvmq_json_number(json, &time)) return false;
    least = time < least ? time : least;
  }
  *(double *)((char *)object + member->offset) = least;
  return !json->failed;
}

static const struct tvmq_member line_members[] = {
    {"version", tvmq_read_number, offsetof(struct line, version), 0, false},
    {"cpu", tvmq_read_text, offsetof(struct line, cpu), NAME_SIZE, false},
    {"identity", tvmq_read_text, offsetof(struct line, identity), NAME_SIZE, true},
    {"in_order", tvmq_read_truth, offsetof(struct line, in_order), 0, false},
    {"task", tvmq_read_text, offsetof(struct line, task), TVMQ_TASK_SIZE, false},
    {"choice", tvmq_read_choice, offsetof(struct line, choice), 0, false},
    {"times_ns", read_times, offsetof(struct line, least_ns), 0, false},
    {"default_times_ns", read_times, offsetof(struct line, default_least_ns), 0, false},
    {"proven", tvmq_read_truth, offsetof(struct line, proven), 0, false},
};
enum { N_LINE = sizeof line_members / sizeof line_members[0] };

// Returns whether the line has another version of the format. Such a line may have other members.
static bool is_of_other_version(const char *text, size_t size) {
  struct tvmq_json json = {.at = text, .end = text + size};
  char key[TVMQ_MEMBER_NAME];
  size_t n = 0;
  double version = TVMQ_RECORDS_VERSION;
  if (!tvmq_json_begin(&json, '{')) return false;
  while (tvmq_json_next(&json, '}', &n)) {
    if (!tvmq_json_key(&json, key, sizeof key)) return false;
    if (!(strcmp(key, "version") == 0 ? tvmq_json_number(&json, &version) : tvmq_json_skip(&json))) return false;
  }
  return tvmq_json_done(&json) && version != TVMQ_RECORDS_VERSION;
}

static uint64_t hash_of(const char *task) { return tvmq_checksum(0, task, strlen(task)); }

static struct tvmq_tuned *find_tuned(const struct tvmq_tuning_records *records, const char *task) {
  const uint64_t hash = hash_of(task);
  for (size_t i = 0; i < records->n; i++) {
    if (records->list[i].hash == hash && strcmp(records->list[i].task, task) == 0) return &records->list[i];
  }
  return NULL;
}

const struct tvmq_choice *tvmq_tuning_records_find(const struct tvmq_tuning_records *records, const char *task) {
  const struct tvmq_tuned *found = find_tuned(records, task);
  return found != NULL ? &found->choice : NULL;
}

// Adds an entry for the task. Returns NULL if there are too many or memory is short.
static struct tvmq_tuned *add_tuned(struct tvmq_tuning_records *records, const char *task) {
  if (records->n == TVMQ_MOST_TUNED) return NULL;
  if (records->list == NULL) records->list = tvmq_alloc(TVMQ_MOST_TUNED * sizeof *records->list);
  char *copy = records->list != NULL ? tvmq_alloc(strlen(task) + 1) : NULL;
  if (copy == NULL) return NULL;
  strcpy(copy, task);
  struct tvmq_tuned *entry = &records->list[records->n++];
  *entry = (struct tvmq_tuned){.hash = hash_of(task), .task = copy};
  return entry;
}

static void take_record(struct tvmq_tuning_records *records, const struct line *line, const struct tvmq_choice *choice) {
  const double gain = line->default_least_ns / line->least_ns;
  struct tvmq_tuned *entry = find_tuned(records, line->task);
  records->taken++;
  if (entry != NULL && entry->gain >= gain) return;
  if (entry == NULL) entry = add_tuned(records, line->task);
  if (entry == NULL) return;
  entry->choice = *choice;
  entry->gain = gain;
}

// Returns whether the line is for this CPU. Old lines without an identity are compared by name only.
static bool is_of_this_machine(const struct tvmq_tuning_records *records, const struct line *line) {
  return strcmp(line->cpu, records->cpu) == 0 && line->in_order == records->in_order &&
         (line->identity[0] == '\0' || strcmp(line->identity, records->identity) == 0);
}

// Parses a line and returns the counter for its outcome.
static size_t *classify_line(struct tvmq_tuning_records *records, const char *text, size_t size, struct line *line, struct tvmq_choice *choice) {
  struct tvmq_json json = {.at = text, .end = text + size};
  if (!tvmq_read_members(&json, line_members, N_LINE, line) || !tvmq_json_done(&json) || line->version != TVMQ_RECORDS_VERSION)
    return is_of_other_version(text, size) ? &records->other_version : &records->bad;
  if (line->task[0] == '\0' || !(line->least_ns > 0) || !isfinite(line->least_ns) || !(line->default_least_ns > 0) || !isfinite(line->default_least_ns) ||
      !tvmq_choice_sane(&line->choice))
    return &records->bad;
  if (!is_of_this_machine(records, line)) return &records->other_machine;
  if (!line->proven) return &records->measurements;
  return tvmq_choice_known(&line->choice, choice) ? &records->taken : &records->unknown;
}

static void parse_line(struct tvmq_tuning_records *records, const char *text, size_t size) {
  struct line line = {0};
  struct tvmq_choice choice;
  size_t *counter = classify_line(records, text, size, &line, &choice);
  if (counter == &records->taken) {
    take_record(records, &line, &choice);
  } else {
    ++*counter;
  }
}

static bool is_blank(const char *text, size_t size) {
  while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t' || text[size - 1] == '\r')) size--;
  return size == 0;
}

void tvmq_tuning_records_parse(struct tvmq_tuning_records *records, const char *text, size_t size) {
  while (size > 0) {
    const char *newline = memchr(text, '\n', size);
    const size_t length = newline != NULL ? (size_t)(newline - text) : size;
    if (!is_blank(text, length)) parse_line(records, text, length);
    const size_t passed = length + (newline != NULL);
    text += passed;
    size -= passed;
  }
}

static size_t records_in(const struct tvmq_tuning_records *records) {
  return records->taken + records->measurements + records->other_machine + records->other_version + records->unknown;
}

static const char *parse_file(struct tvmq_tuning_records *records, FILE *file) {
  struct stat about;
  if (fstat(fileno(file), &about) != 0 || !S_ISREG(about.st_mode)) return "not a regular file";
  if (about.st_size > TVMQ_RECORDS_BYTES) return "more than 64 MiB";
  char *text = tvmq_alloc((size_t)about.st_size + 1);
  if (text == NULL) return "out of memory";
  const size_t size = fread(text, 1, (size_t)about.st_size, file);
  const bool failed = ferror(file) != 0;
  const size_t before = records_in(records), bad = records->bad;
  if (!failed) tvmq_tuning_records_parse(records, text, size);  // parse only a file that was read completely
  tvmq_free(text);
  if (failed) return "cannot be read";
  return records_in(records) == before && records->bad > bad ? "no line is a record" : NULL;
}

const char *tvmq_tuning_records_read(struct tvmq_tuning_records *records, const char *path) {
  struct stat about;
  if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) return "not a regular file";  // opening a pipe would block
  FILE *file = fopen(path, "rbe");
  if (file == NULL) return "cannot be opened";
  const char *why = parse_file(records, file);
  fclose(file);
  return why;
}

void tvmq_tuning_records_free(struct tvmq_tuning_records *records) {
  for (size_t i = 0; i < records->n; i++) tvmq_free(records->list[i].task);
  tvmq_free(records->list);
  records->list = NULL;
  records->n = 0;
}
