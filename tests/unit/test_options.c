#include "base/log.h"
#include "cpu/cpu.h"
#include "host/options.h"
#include "kernels/kernel.h"
#include "unit.h"

static const char *parse_pairs(const char *const *pairs, struct tvmq_options *options) {
  static char message[TVMQ_OPTIONS_MESSAGE];
  const char *keys[8], *values[8];
  size_t n = 0;
  for (; pairs[2 * n] != NULL; n++) {
    keys[n] = pairs[2 * n];
    values[n] = pairs[2 * n + 1];
  }
  const bool good = tvmq_options_parse(keys, values, n, options, message);
  CHECK(good == (message[0] == '\0'), "a message exactly if it fails: \"%s\"", message);
  return good ? NULL : message;
}
#define PARSE(options, ...) parse_pairs((const char *const[]){__VA_ARGS__, NULL}, (options))

static void check_defaults(void) {
  struct tvmq_options options;
  char message[TVMQ_OPTIONS_MESSAGE];
  memset(&options, 0xa5, sizeof options);
  CHECK(tvmq_options_parse(NULL, NULL, 0, &options, message), "%s", message);
  CHECK(options.num_threads == -1 && options.rounding == TVMQ_ROUNDING_REFERENCE && options.isa == 0 && options.tune == TVMQ_TUNE_AUTO && !options.profile &&
            strcmp(options.tuning_records, "none") == 0 && strcmp(options.weight_cache, "none") == 0 && !options.require_full_delegation &&
            options.min_nodes_per_partition == 0 && options.max_delegated_partitions == 0 && options.log_severity == TVMQ_LOG_WARNING,
        "defaults");
}

static void check_values(void) {
  struct tvmq_options o;
  CHECK_STRING(PARSE(&o, "num-threads", "4", "rounding", "single", "profile", "True", "log-severity", "silent"), NULL, "hyphens and values");
  CHECK(o.num_threads == 4 && o.rounding == TVMQ_ROUNDING_SINGLE && o.profile && o.log_severity == TVMQ_LOG_SILENT, "values");
  CHECK_STRING(PARSE(&o, "num_threads", "auto"), NULL, "a word besides numbers");
  CHECK(o.num_threads == TVMQ_THREADS_AUTO, "%d", o.num_threads);
  static const char *const truth[] = {"false", "TRUE", "0", "1", "Off", "On", "no", "yes"};
  for (int i = 0; i < (int)N_ELEMENTS(truth); i++) {
    CHECK_STRING(PARSE(&o, "profile", truth[i]), NULL, truth[i]);
    CHECK(o.profile == i % 2, "%s", truth[i]);
  }
  CHECK_STRING(PARSE(&o, "isa", "c"), NULL, "isa=c");
  CHECK(o.isa == 1 && tvmq_isas[o.isa - 1].cpu == 0, "isa %d", o.isa);
  char name[16];
  tvmq_option_name("isa", o.isa, name, sizeof name);
  CHECK_STRING(name, "c", "name of a value");
  tvmq_option_name("rounding", TVMQ_ROUNDING_SINGLE, name, sizeof name);
  CHECK_STRING(name, "single", "name of a value");
  CHECK_STRING(PARSE(&o, "tune", "in_order"), NULL, "tune=in_order");
  CHECK(o.tune == TVMQ_TUNE_IN_ORDER, "tune %d", o.tune);
  CHECK_STRING(PARSE(&o, "tune", "out_of_order"), NULL, "tune=out_of_order");
  CHECK(o.tune == TVMQ_TUNE_OUT_OF_ORDER, "tune %d", o.tune);
  CHECK_STRING(PARSE(&o, "tuning-records", "/tmp/a.jsonl:b.jsonl"), NULL, "paths");
  CHECK_STRING(o.tuning_records, "/tmp/a.jsonl:b.jsonl", "paths");
}

// One message names key, value and what is allowed.
static void check_message(const char *key, const char *value, const char *allowed) {
  struct tvmq_options o;
  const char *message = PARSE(&o, key, value);
  if (!CHECK(message != NULL, "%s=%s passes", key, value)) return;
  CHECK(strstr(message, key) != NULL && strstr(message, value) != NULL && strstr(message, allowed) != NULL, "%s=%s: %s", key, value, message);
}

static void check_failures(void) {
  static const char *const numbers[] = {"", " 4", "+4", "4 ", "4.0", "four", "0x4", "-2", "99999999999999999999", "-", "Auto", "aut", "auto|"};
  for (size_t i = 0; i < N_ELEMENTS(numbers); i++) check_message("num_threads", numbers[i], "-1 to 2147483647");
  check_message("min_nodes_per_partition", "-1", "0 to 2147483647");
  check_message("num_threads", "two", "auto, whole numbers");
  check_message("min_nodes_per_partition", "auto", "allowed: whole numbers");
  check_message("profile", "maybe", "true or false");
  check_message("backend", "gpu", "cpu, opencl");
  check_message("rounding", "up", "reference, upward, single");
  check_message("rounding", "reference|upward", "reference, upward, single");
  check_message("log_severity", "", "verbose, info, warning, error, silent");
  check_message("isa", "sse9", "auto, c");
  check_message("cpu_affinity", "0,1", "any, or numbers and ranges joined by + out of ");
  check_message("tuning_records", "", "none, a name or a path of 1 to 1023 bytes");
  check_message("machine", "", "auto, a name or a path of 1 to 1023 bytes");
  check_message("estimate", "cortex", "none, sapphire-rapids");
  check_message("tune", "cortex-a53", "auto, in_order, out_of_order");
  check_message("num_thread", "4", "did you mean num_threads");
  check_message("threads", "4", "did you mean num_threads");
  check_message("require_full", "1", "did you mean require_full_delegation");
  check_message("nonsense", "4", "options are num_threads, cpu_affinity, rounding");
  check_message("", "4", "options are");
  check_message("a_key_that_is_much_longer_than_any_option_could_be_and_is_not_one_of_them_a_bit_more", "4", "options are");
  check_message("weight_cache_file_path", "/tmp/x", "options are");
  for (size_t i = 0; i < tvmq_n_isas; i++) {
    if (!tvmq_isa_offered(&tvmq_isas[i])) check_message("isa", tvmq_isas[i].name, "auto, c");
  }

  struct tvmq_options o;
  const char *twice = PARSE(&o, "num_threads", "1", "num-threads", "2");
  CHECK(twice != NULL && strstr(twice, "twice") != NULL, "a key given twice: %s", twice != NULL ? twice : "passes");
  char message[TVMQ_OPTIONS_MESSAGE];
  const char *const keys[] = {"profile", NULL}, *const values[] = {NULL, "1"};
  CHECK(!tvmq_options_parse(NULL, NULL, 1, &o, message) && message[0] != '\0', "no keys");
  CHECK(!tvmq_options_parse(keys, values, 1, &o, message) && message[0] != '\0', "no value");
  CHECK(!tvmq_options_parse(keys + 1, values + 1, 1, &o, message) && message[0] != '\0', "no key");
}

// The table describes itself, and every row's default is a value that it takes.
static void check_table(void) {
  const struct tvmq_option_info *info;
  struct tvmq_options o;
  size_t n = 0;
  for (; (info = tvmq_option(n)) != NULL; n++) {
    CHECK(info->help[0] != '\0' && info->default_value[0] != '\0', "%s", info->name);
    CHECK(strcmp(info->kind, "name") == 0 ? info->names[0] != '\0' : strcmp(info->kind, "int") == 0 || info->names[0] == '\0', "%s", info->name);
    CHECK_STRING(PARSE(&o, info->name, info->default_value), NULL, info->name);
  }
  const size_t paths = sizeof o.machine + sizeof o.tuning_records + sizeof o.weight_cache + sizeof o.opencl_library + sizeof o.opencl_device,
               fields = 6 + (sizeof o - sizeof o.cpu_affinity - paths) / sizeof(int);
  CHECK(n == fields, "%zu rows for %zu fields", n, fields);
}

int main(void) {
  check_defaults();
  check_values();
  check_failures();
  check_table();
  return unit_report();
}
