// Records of tuning: what is taken, what is skipped and counted as what, and that no text does more than that.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "kernels/variants.h"
#include "records/json.h"
#include "records/records.h"
#include "unit.h"

enum { LINE = 1024 };

#define CPU "\"cpu\": \"this one\", \"in_order\": false"
#define CHOICE "\"choice\": {\"algorithm\": \"im2col\", \"kernel\": \"%s\", \"flipped_copy\": false, \"rows\": 96, \"panels\": 2}"
#define TIMES "\"times_ns\": [%s], \"default_times_ns\": [200, 210]"

static const char *kernel(void) { return tvmq_variants[0].name; }

static struct tvmq_tuning_records none(void) { return (struct tvmq_tuning_records){.cpu = "this one", .identity = "GenuineIntel 6-143 amx"}; }

static struct tvmq_tuning_records parsed(const char *text) {
  struct tvmq_tuning_records records = none();
  tvmq_tuning_records_parse(&records, text, strlen(text));
  return records;
}

// A good line for a task, with what is given put in its place.
static const char *line(const char *task, const char *times, const char *proven) {
  static char text[LINE];
  const int n =
      snprintf(text, sizeof text, "{\"version\": 1, " CPU ", \"task\": \"%s\", " CHOICE ", " TIMES ", \"proven\": %s}\n", task, kernel(), times, proven);
  CHECK(n > 0 && (size_t)n < sizeof text, "%d characters", n);
  return text;
}

static size_t n_lines(const struct tvmq_tuning_records *r) { return r->taken + r->measurements + r->other_machine + r->other_version + r->unknown + r->bad; }

static void check_taken(void) {
  char text[4 * LINE] = "";
  strcat(text, line("ADD a", "150, 100, 120", "true"));
  strcat(text, line("ADD b", "150", "true"));
  strcat(text, line("ADD c", "150", "false"));
  strcat(text, "\r\n  \n");
  struct tvmq_tuning_records records = parsed(text);
  CHECK(records.taken == 2 && records.measurements == 1 && n_lines(&records) == 3, "%zu taken, %zu measurements", records.taken, records.measurements);
  const struct tvmq_choice *choice = tvmq_tuning_records_find(&records, "ADD a");
  CHECK(choice != NULL && choice->algorithm == TVMQ_ALGORITHM_IM2COL && choice->variant == &tvmq_variants[0] && choice->flip == TVMQ_FLIP_USES &&
            choice->rows == 96 && choice->panels == 2,
        "the choice");
  CHECK(records.list[0].gain == 2, "%g: the least times count", records.list[0].gain);
  CHECK(tvmq_tuning_records_find(&records, "ADD c") == NULL && tvmq_tuning_records_find(&records, "ADD") == NULL, "others");
  tvmq_tuning_records_free(&records);
}

// In whatever order they come, of one task the greatest gain counts.
static void check_best(void) {
  for (int first = 0; first < 2; first++) {
    static const char *const times[] = {"150", "[90]"};
    char text[2 * LINE] = "";
    strcat(text, line("ADD a", first ? "90" : times[0], "true"));
    strcat(text, line("ADD a", first ? times[0] : "90", "true"));
    struct tvmq_tuning_records records = parsed(text);
    CHECK(records.n == 1 && records.taken == 2 && records.list[0].gain > 2.2, "%zu, gain %g", records.n, records.list[0].gain);
    tvmq_tuning_records_free(&records);
  }
}

// Cases: a part of a good line, the text in its place, and the counter of such lines.
static void check_skipped(void) {
  static const struct {
    const char *part, *instead;
    size_t counter;
  } cases[] = {
#define COUNTER(name) offsetof(struct tvmq_tuning_records, name)
      {"this one", "another", COUNTER(other_machine)},
      {"\"in_order\": false", "\"in_order\": true", COUNTER(other_machine)},
      {"\"in_order\"", "\"identity\": \"GenuineIntel 6-143 amx\", \"in_order\"", COUNTER(taken)},
      {"\"in_order\"", "\"identity\": \"\", \"in_order\"", COUNTER(taken)},
      {"\"in_order\"", "\"identity\": \"GenuineIntel 6-143\", \"in_order\"", COUNTER(other_machine)},
      {"\"in_order\"", "\"identity\": \"GenuineIntel 6-85 amx\", \"in_order\"", COUNTER(other_machine)},
      {"\"in_order\"", "\"identity\": 6, \"in_order\"", COUNTER(bad)},
      {"\"version\": 1", "\"version\": 2", COUNTER(other_version)},
      {"\"version\": 1, " CPU, "\"version\": 7", COUNTER(other_version)},
      {"im2col", "by magic", COUNTER(unknown)},
      {"im2col", "", COUNTER(unknown)},
      {"\"kernel\": \"tvmq_", "\"kernel\": \"", COUNTER(unknown)},
      {"im2col", "winograd", COUNTER(taken)},
      {"im2col", "runtime", COUNTER(unknown)},  // which has no kernel
      {"\"proven\": true", "\"proven\": true, \"more\": [{\"a\": null}, \"\\ud83d\\ude00\", -1.5e3]", COUNTER(taken)},
      {"\"proven\": true", "\"proven\": 1", COUNTER(bad)},
      {"\"proven\": true", "\"proven\": true, \"proven\": true", COUNTER(bad)},
      {"\"proven\": true", "\"more\": 1", COUNTER(bad)},
      {"\"proven\": true", "\"proven\": true,", COUNTER(bad)},
      {"\"proven\": true", "\"proven\": true, \"more\": nul", COUNTER(bad)},
      {"\"proven\": true", "\"proven\": true, \"more\": \"\\ud83d\"", COUNTER(bad)},
      {"\"proven\": true", "\"proven\": true, \"more\": \"\\u0000\"", COUNTER(bad)},
      {"\"proven\": true", "\"proven\": true, \"more\": [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]", COUNTER(bad)},
      {"\"proven\": true}", "\"proven\": true} {}", COUNTER(bad)},
      {"\"proven\": true}", "\"proven\": true", COUNTER(bad)},
      {"[200, 210]", "[]", COUNTER(bad)},
      {"[200, 210]", "[200, 0]", COUNTER(bad)},
      {"[200, 210]", "[200, -210]", COUNTER(bad)},
      {"[200, 210]", "[200, 1e999]", COUNTER(bad)},
      {"[200, 210]", "[0200]", COUNTER(bad)},
      {"[200, 210]", "[200.]", COUNTER(bad)},
      {"[200, 210]", "[2.0e+2]", COUNTER(taken)},
      {"[200, 210]", "200", COUNTER(bad)},
      {"\"ADD a\"", "\"\"", COUNTER(bad)},
      {"96", "-96", COUNTER(bad)},
      {"96", "9.5", COUNTER(bad)},
      {"96", "1e300", COUNTER(bad)},
      {"{\"version\"", "[\"version\"", COUNTER(bad)},
#undef COUNTER
  };
  for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
    const char *good = line("ADD a", "100", "true"), *at = strstr(good, cases[i].part);
    char text[2 * LINE];
    if (!CHECK(at != NULL, "case %zu", i)) continue;
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, cases[i].instead, at + strlen(cases[i].part));
    struct tvmq_tuning_records records = parsed(text);
    const size_t *counter = (const size_t *)((const char *)&records + cases[i].counter);
    CHECK(*counter == 1 && n_lines(&records) == 1, "%s: %zu bad, %zu taken", text, records.bad, records.taken);
    tvmq_tuning_records_free(&records);
  }
}

// A record that leaves the task to the runtime names no kernel.
static void check_left(void) {
  struct tvmq_tuning_records records =
      parsed("{\"version\": 1, " CPU
             ", \"task\": \"PAD a\", \"choice\": {\"algorithm\": \"runtime\", \"kernel\": \"\", \"flipped_copy\": false, \"rows\": 0, "
             "\"panels\": 0}, \"times_ns\": [1], \"default_times_ns\": [2], \"proven\": true}");
  const struct tvmq_choice *choice = tvmq_tuning_records_find(&records, "PAD a");
  CHECK(records.taken == 1 && choice != NULL && choice->algorithm == TVMQ_ALGORITHM_RUNTIME && choice->variant == NULL, "%zu taken", records.taken);
  tvmq_tuning_records_free(&records);
}

// Tasks that are too many or too long are let go; texts end anywhere.
static void check_limits(void) {
  struct tvmq_tuning_records records = none();
  char task[2 * TVMQ_TASK_SIZE];
  for (int i = 0; i < TVMQ_MOST_TUNED + 10; i++) {
    snprintf(task, sizeof task, "ADD %d", i);
    const char *text = line(task, "100", "true");
    tvmq_tuning_records_parse(&records, text, strlen(text));
  }
  CHECK(records.n == TVMQ_MOST_TUNED && tvmq_tuning_records_find(&records, "ADD 0") != NULL && tvmq_tuning_records_find(&records, task) == NULL, "%zu",
        records.n);
  tvmq_tuning_records_free(&records);
  memset(task, 'A', sizeof task);
  for (int longer = 0; longer < 2; longer++) {
    task[TVMQ_TASK_SIZE - 1 + longer] = '\0';
    records = parsed(line(task, "100", "true"));
    CHECK(longer ? records.bad == 1 : records.taken == 1, "a task of %zu characters", strlen(task));
    tvmq_tuning_records_free(&records);
    task[TVMQ_TASK_SIZE - 1] = 'A';
  }
  const char *good = line("ADD a", "100", "true");
  for (size_t n = 0; n < strlen(good) - 2; n++) {
    char *copy = malloc(n + 1);
    memcpy(copy, good, n);
    records = none();
    tvmq_tuning_records_parse(&records, copy, n);
    CHECK(records.taken == 0 && records.bad == (n > 0), "the first %zu bytes", n);
    tvmq_tuning_records_free(&records);
    free(copy);
  }
}

// Bytes of a good line changed at random.
static void check_mutations(void) {
  unsigned long long state = 1;
  char text[LINE];
  size_t taken = 0;
  for (int i = 0; i < 20000; i++) {
    strcpy(text, line("ADD a", "100", "true"));
    const size_t n = strlen(text);
    for (unsigned long long k = unit_random(&state) % 4; k-- > 0;) text[unit_random(&state) % n] = (char)unit_random(&state);
    struct tvmq_tuning_records records = none();
    tvmq_tuning_records_parse(&records, text, n);
    taken += records.taken;
    tvmq_tuning_records_free(&records);
  }
  CHECK(taken > 1000 && taken < 19000, "%zu taken", taken);
}

static void check_files(void) {
  char path[] = "/tmp/tvmq_records_XXXXXX";
  const int file = mkstemp(path);
  const char *text = line("ADD a", "100", "true"), other[] = "# Notes\n";
  struct tvmq_tuning_records records = none();
  const size_t blocks = tvmq_alloc_live();
  CHECK(file >= 0 && write(file, other, strlen(other)) == (ssize_t)strlen(other), "%s", path);
  CHECK_STRING(tvmq_tuning_records_read(&records, path), "no line is a record", "another file");
  CHECK(write(file, text, strlen(text)) == (ssize_t)strlen(text) && close(file) == 0, "%s", path);
  CHECK_STRING(tvmq_tuning_records_read(&records, path), NULL, "read");
  CHECK_STRING(tvmq_tuning_records_read(&records, path), NULL, "read again");
  CHECK(records.n == 1 && records.taken == 2, "%zu", records.n);
  CHECK(tvmq_tuning_records_read(&records, "/nowhere") != NULL && tvmq_tuning_records_read(&records, "/tmp") != NULL &&
            tvmq_tuning_records_read(&records, "/dev/zero") != NULL,
        "no files");
  tvmq_tuning_records_free(&records);
  for (size_t at = 1; at < 5; at++) {
    records = none();
    tvmq_alloc_fail_at(at);
    const char *why = tvmq_tuning_records_read(&records, path);
    tvmq_alloc_fail_at(0);
    CHECK((why != NULL) == (at == 1) && records.n == (at == 4), "allocation %zu: %s, %zu", at, why, records.n);
    tvmq_tuning_records_free(&records);
  }
  CHECK(tvmq_alloc_live() == blocks, "%zu blocks left", tvmq_alloc_live() - blocks);
  unlink(path);
}

static void check_strings(void) {
  static const char text[] = "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20ac\\ud83d\\ude00\"";
  struct tvmq_json json = {.at = text, .end = text + strlen(text)};
  char room[64];
  CHECK(tvmq_json_string(&json, room, sizeof room) && tvmq_json_done(&json), "escapes");
  CHECK_STRING(room, "\"\\/\b\f\n\r\tA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "escapes");
}

int main(void) {
  check_strings();
  check_taken();
  check_best();
  check_skipped();
  check_left();
  check_limits();
  check_mutations();
  check_files();
  return unit_report();
}
