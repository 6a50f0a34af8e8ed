// tvmq-measure: runs a measurement plan on a machine without Python and TFLite and writes JSON lines (docs/measure.md).
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#pragma GCC visibility push(default)
#include "tvmq_delegate.h"
#pragma GCC visibility pop

#include "base/fp_mode.h"
#include "base/memory.h"
#include "cpu/cpu.h"
#include "kernels/variants.h"
#include "measure/plan.h"
#include "measure/system.h"
#include "measure/trial.h"

enum { FORMAT = 1, MOST_CANDIDATES = 512, PLAN_BYTES = 16 << 20, MOST_BYTES = 512 << 20 };
enum { DONE, USAGE = 2, LATE = 3, UNWRITTEN = 4 };  // exit codes

static const char usage[] = "usage: tvmq-measure [--isa NAME] [--max-secs N] [PLAN]\n";

__attribute__((format(printf, 2, 3), noreturn)) static void give_up(int code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("tvmq-measure: ", stderr);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  exit(code);
}

// ---- writing JSON

static void write_text(const char *name, const char *text) {
  printf("\"%s\": \"", name);
  for (; *text != '\0'; text++) {
    const unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\') putchar('\\');
    if (c < 0x20 || c >= 0x7f) {
      printf("\\u%04x", c);
    } else {
      putchar(c);
    }
  }
  putchar('"');
}

static void write_number(const char *name, double number) {
  if (isnan(number)) {
    printf("\"%s\": null", name);
  } else {
    printf("\"%s\": %.1f", name, number);
  }
}

static void write_choice(const struct tvmq_choice *choice) {
  printf("{\"algorithm\": \"%s\", \"kernel\": \"%s\", \"flipped_copy\": %s, \"rows\": %zu, \"panels\": %zu}", tvmq_algorithm_name(choice->algorithm),
         choice->variant != NULL ? choice->variant->name : "", choice->flip == TVMQ_FLIP_COPY ? "true" : "false", choice->rows, choice->panels);
}

static void end_line(void) {
  puts("}");
  if (fflush(stdout) != 0 || ferror(stdout)) give_up(UNWRITTEN, "cannot write the results");
}

static void write_state(void) {
  write_number("temperature", tvmq_system_temperature());
  printf(", ");
  write_number("megahertz", tvmq_system_megahertz());
  printf(", \"reference_ns\": %" PRIu64, tvmq_reference_ns());
}

static void write_machine(uint32_t cpu) {
  char governor[64], features[128];
  struct tvmq_text text = {.at = features, .size = sizeof features};
  features[0] = '\0';
  const char *isa = "c";
  for (size_t i = 0; i < tvmq_n_isas; i++) {
    if ((tvmq_isas[i].cpu & ~cpu) != 0) continue;
    isa = tvmq_isas[i].name;
    if (tvmq_isas[i].cpu != 0) tvmq_say(&text, "%s%s", text.length > 0 ? "+" : "", isa);
  }
  tvmq_system_governor(governor, sizeof governor);
  printf("{\"tvmq_measure\": %d, ", FORMAT);
  write_text("version", tvmq_version());
  printf(", ");
  write_text("kernels", tvmq_kernels_checksum());
  printf(", ");
  write_text("cpu", tvmq_cpu_name());
  printf(", ");
  write_text("identity", tvmq_cpu_identity());
  printf(", ");
  write_text("isa", isa);
  printf(", ");
  write_text("features", features[0] != '\0' ? features : "c");
  printf(", \"count\": %d, \"in_order\": %s, ", tvmq_cpu_count(), tvmq_cpu_in_order() ? "true" : "false");
  write_text("governor", governor);
  printf(", ");
  write_state();
  end_line();
}

// ---- measuring

static void write_candidates(const struct tvmq_trial *trial) {
  static struct tvmq_choice list[MOST_CANDIDATES];
  const size_t n = tvmq_trial_candidates(trial, list, MOST_CANDIDATES);
  printf(", ");
  write_text("task", trial->steps[0].signature);
  printf(", \"macs\": %" PRIu64 ", \"default\": ", trial->steps[0].info.macs);
  write_choice(&trial->steps[0].info.choice);
  printf(", \"candidates\": [");
  for (size_t i = 0; i < n; i++) {
    printf("%s{\"cycles\": %.1f, \"choice\": ", i > 0 ? ", " : "", (double)list[i].cycles);
    write_choice(&list[i]);
    putchar('}');
  }
  putchar(']');
}

static void write_step(const struct tvmq_trial *trial, size_t i) {
  const struct tvmq_trial_step *step = &trial->steps[i];
  printf("%s{", i > 0 ? ", " : "");
  write_text("task", step->signature);
  printf(", \"choice\": ");
  write_choice(&step->info.choice);
  printf(", \"macs\": %" PRIu64 ", \"ns\": %" PRIu64 ", \"bytes\": %zu, \"checksum\": \"%016" PRIx64 "\"", step->info.macs, tvmq_trial_time(trial, i),
         step->made.out_bytes, step->checksum);
  if (step->compared) printf(", \"exact\": %s", step->exact ? "true" : "false");
  putchar('}');
}

static void write_times(const struct tvmq_trial *trial, int repeats) {
  printf(", \"times_ns\": [");
  for (int i = 0; i < repeats; i++) printf("%s%" PRIu64, i > 0 ? ", " : "", tvmq_trial_time(trial, SIZE_MAX));
  printf("], \"steps\": [");
  for (size_t i = 0; i < trial->n; i++) write_step(trial, i);
  printf("], ");
  write_number("temperature", tvmq_system_temperature());
  printf(", ");
  write_number("megahertz", tvmq_system_megahertz());
}

static void measure(const struct tvmq_plan_line *line, size_t number, uint32_t cpu) {
  struct tvmq_trial trial;
  printf("{\"line\": %zu", number);
  if (!tvmq_trial_prepare(&trial, line, cpu, MOST_BYTES) || (!line->candidates && !tvmq_trial_check(&trial, line->compare))) {
    printf(", ");
    write_text("error", trial.error);
  } else if (line->candidates) {
    write_candidates(&trial);
  } else {
    write_times(&trial, (int)line->repeats);
  }
  end_line();
  tvmq_trial_release(&trial);
}

// ---- the plan

static char *read_plan_text(FILE *file, size_t *size) {
  char *text = tvmq_alloc_unset(PLAN_BYTES + 1);
  if (text == NULL) give_up(USAGE, "out of memory");
  *size = fread(text, 1, PLAN_BYTES + 1, file);
  if (ferror(file)) give_up(USAGE, "cannot read the plan");
  if (*size > PLAN_BYTES) give_up(USAGE, "the plan is larger than 16 MiB");
  return text;
}

typedef void (*use_line)(const struct tvmq_plan_line *line, size_t number, uint32_t cpu);

static void only_read(const struct tvmq_plan_line *line, size_t number, uint32_t cpu) {
  (void)line;
  (void)number;
  (void)cpu;
}

// Calls `use` for each line of the plan and returns the number of lines. Exits at the first invalid line. main first
// walks the plan with only_read, so an invalid plan is rejected before anything is measured.
static size_t walk_plan(const char *text, size_t size, use_line use, uint32_t cpu) {
  struct tvmq_plan_line line = {.n = 0};
  size_t number = 0;
  while (size > 0) {
    const char *newline = memchr(text, '\n', size);
    const size_t length = newline != NULL ? (size_t)(newline - text) : size, passed = length + (newline != NULL);
    const char *why = tvmq_plan_read(&line, text, length);
    if (why != NULL) give_up(USAGE, "line %zu of the plan: %s", number + 1, why);
    use(&line, ++number, cpu);
    text += passed;
    size -= passed;
  }
  tvmq_plan_release(&line);
  return number;
}

// ---- arguments

static void on_alarm(int signal_number) {
  static const char message[] = "tvmq-measure: time limit reached (--max-secs)\n";
  (void)signal_number;
  if (write(STDERR_FILENO, message, sizeof message - 1) < 0) _exit(UNWRITTEN);
  _exit(LATE);
}

static uint32_t features_of(const char *name) {
  for (size_t i = 0; i < tvmq_n_isas; i++) {
    if (strcmp(tvmq_isas[i].name, name) != 0) continue;
    if (!tvmq_isa_offered(&tvmq_isas[i])) give_up(USAGE, "this CPU does not support the instruction set %s", name);
    return tvmq_isas[i].cpu;
  }
  give_up(USAGE, "unknown instruction set %s", name);
}

struct arguments {
  uint32_t cpu;
  unsigned max_secs;  // 0: no limit
  const char *path;   // NULL: standard input
};

static unsigned seconds_of(const char *text) {
  char *end;
  const long seconds = strtol(text, &end, 10);
  if (*end != '\0' || seconds < 1 || seconds > 1000000) give_up(USAGE, "--max-secs must be 1 to 1000000 seconds: %s", text);
  return (unsigned)seconds;
}

static struct arguments read_arguments(int argc, char **argv) {
  struct arguments found = {.cpu = tvmq_cpu_detect()};
  for (int i = 1; i < argc; i++) {
    const bool has_value = i + 1 < argc;
    if (strcmp(argv[i], "--help") == 0) {
      fputs(usage, stdout);
      exit(DONE);
    } else if (strcmp(argv[i], "--isa") == 0 && has_value) {
      found.cpu = features_of(argv[++i]);
    } else if (strcmp(argv[i], "--max-secs") == 0 && has_value) {
      found.max_secs = seconds_of(argv[++i]);
    } else if (argv[i][0] == '-' || found.path != NULL) {
      give_up(USAGE, "unknown argument %s; %.*s", argv[i], (int)strcspn(usage, "\n"), usage);
    } else {
      found.path = argv[i];
    }
  }
  found.cpu &= tvmq_built;
  return found;
}

int main(int argc, char **argv) {
  const struct arguments given = read_arguments(argc, argv);
  signal(SIGALRM, on_alarm);
  alarm(given.max_secs);
  FILE *file = given.path != NULL ? fopen(given.path, "rbe") : stdin;
  if (file == NULL) give_up(USAGE, "cannot open %s", given.path);
  size_t size;
  char *text = read_plan_text(file, &size);
  if (file != stdin) fclose(file);
  walk_plan(text, size, only_read, given.cpu);
  tvmq_fp_enter();
  write_machine(given.cpu);
  const size_t n = walk_plan(text, size, measure, given.cpu);
  printf("{\"end\": %zu, ", n);
  write_state();
  end_line();
  tvmq_free(text);
  return DONE;
}
