// Machine files: what is written reads back; what is wrong is refused with its line; what only other versions know is skipped.
#include "base/memory.h"
#include "cpu/plan/machine_file.h"
#include "cpu/plan/select.h"
#include "kernels/variants.h"
#include "unit.h"

enum { ROOM = 1 << 15 };

static struct tvmq_machine *parse(const char *text, size_t *skipped, char why[256]) {
  struct tvmq_text message = {.at = why, .size = 256};
  why[0] = '\0';
  return tvmq_machine_parse(text, strlen(text), skipped, &message);
}

static void check_round_trip(const struct tvmq_machine *machine) {
  static char text[ROOM], again[ROOM];
  char why[256];
  size_t skipped;
  struct tvmq_text first = {.at = text, .size = sizeof text}, second = {.at = again, .size = sizeof again};
  tvmq_machine_write(machine, &first);
  CHECK(first.length < ROOM / 2, "%s: %zu bytes", machine->name, first.length);
  struct tvmq_machine *read = parse(text, &skipped, why);
  if (!CHECK(read != NULL, "%s: %s", machine->name, why)) return;
  CHECK(skipped == 0, "%s: %zu lines are skipped", machine->name, skipped);
  CHECK_STRING(read->name, machine->name, "name");
#define TVMQ_MACHINE_COST(field, unit, help) \
  CHECK(read->field >= machine->field * 0.99999f && read->field <= machine->field * 1.00001f, "%s: " #field, machine->name);
#define TVMQ_MACHINE_SIZE(field, most, unit, help) CHECK(read->field == machine->field, "%s: " #field, machine->name);
#include "cpu/machine_fields.def"
  for (const struct tvmq_variant *v = tvmq_variants; v < tvmq_variants + tvmq_n_variants; v++) {
    const float rate = tvmq_speed_of(v, machine).rate;
    CHECK(tvmq_speed_of(v, read).rate >= rate * 0.99999f && tvmq_speed_of(v, read).rate <= rate * 1.00001f, "%s on %s", v->name, machine->name);
  }
  tvmq_machine_write(read, &second);
  CHECK_STRING(strstr(again, "pointer_cycles"), strstr(text, "pointer_cycles"), "numbers as written");
  tvmq_machine_release(read);
}

static void check_refused(const char *lines, const char *wanted) {
  char text[600], why[256];
  size_t skipped;
  snprintf(text, sizeof text, "%s%s", lines[0] == '!' ? "" : "tvmq-machine 1\n", lines + (lines[0] == '!'));
  struct tvmq_machine *machine = parse(text, &skipped, why);
  CHECK(machine == NULL && strstr(why, wanted) != NULL, "%s: \"%s\"", lines, why);
  tvmq_machine_release(machine);
}

static void check_lines(void) {
  static const char long_line[300] = {[0 ... 298] = 'x'};
  check_refused("!", "base is missing");
  check_refused("!machine\n", "line 1: not 'tvmq-machine 1'");
  check_refused("!tvmq-machine 2\nbase = zen5\n", "line 1: not 'tvmq-machine 1'");
  check_refused("name = x\n", "base is missing");
  check_refused("base = pdp-11\n", "line 2: unknown machine: 'pdp-11'");
  check_refused("base = zen5\nbase = zen5\n", "line 3: base must come once");
  check_refused("pointer_cycles = 3\n", "line 2: base must come before: 'pointer_cycles'");
  static const char *const numbers[] = {"", "nan", "inf", "-1", "+1", "0x10", "1,5", "1 2", "e5", "1e", "1e+", "1.2.3", ".5", "1.", "three"};
  for (size_t i = 0; i < N_ELEMENTS(numbers); i++) {
    char line[80];
    snprintf(line, sizeof line, "base = zen5\npointer_cycles = %s\n", numbers[i]);
    check_refused(line, "line 3: not a number: 'pointer_cycles'");
  }
  check_refused("base = zen5\npointer_cycles = 1000001\n", "line 3: out of bounds");
  check_refused("base = zen5\npointer_cycles = 1e99\n", "line 3: out of bounds");
  check_refused("base = zen5\npointer_cycles = 1234567890123456789e999\n", "line 3: out of bounds");
  check_refused("base = zen5\nblock_bytes = 0\n", "line 3: out of bounds");
  check_refused("base = zen5\nblock_bytes = 1.5\n", "line 3: not a whole number");
  check_refused("base = zen5\ntasks_per_thread = 65\n", "line 3: out of bounds");
  check_refused("base = zen5\nkernel tvmq_gemm_s8_4x8__c = 0 1\n", "line 3: out of bounds");
  check_refused("base = zen5\nkernel tvmq_gemm_s8_4x8__c = 1\n", "line 3: not a rate and tile_cycles");
  check_refused("base = zen5\nno equals sign\n", "line 3: not of the form name = value: 'no equals sign'");
  check_refused("name = \001\nbase = zen5\n", "line 2: the name has a control character");
  check_refused(long_line, "line 2: too long");
}

static void check_read(void) {
  char why[256];
  size_t skipped;
  struct tvmq_machine *machine = parse(
      "tvmq-machine 1\r\n  name=An EPYC # of mine\nbase\t= zen5\n\npointer_cycles = 1.25e1\nnumber_of_tomorrow = ?\n"
      "kernel tvmq_gemm_s8_4x8__c = 3 4.5\nkernel of_tomorrow = 1 1",
      &skipped, why);
  if (!CHECK(machine != NULL, "%s", why)) return;
  CHECK_STRING(machine->name, "An EPYC", "name");
  CHECK(machine->pointer_cycles == 12.5f && machine->block_bytes == tvmq_machine_named("zen5")->block_bytes, "a number given, and one of the base");
  CHECK(skipped == 2, "%zu lines skipped", skipped);
  for (const struct tvmq_variant *v = tvmq_variants; v < tvmq_variants + tvmq_n_variants; v++) {
    if (strcmp(v->name, "tvmq_gemm_s8_4x8__c") == 0) CHECK(tvmq_speed_of(v, machine).rate == 3 && tvmq_speed_of(v, machine).tile_cycles == 4.5f, "%s", v->name);
  }
  tvmq_machine_release(machine);
}

// Files that are not there, are folders, or never end.
static void check_files(void) {
  static const char *const wrong[][2] = {
      {"/nonexistent/file", "No such file"}, {"/", "not a regular file"}, {"/dev/zero", "not a regular file"}, {"/dev/null", "not a regular file"}};
  for (size_t i = 0; i < N_ELEMENTS(wrong); i++) {
    char why[256] = "";
    size_t skipped;
    CHECK(tvmq_machine_read(wrong[i][0], &skipped, &(struct tvmq_text){.at = why, .size = sizeof why}) == NULL, "%s", wrong[i][0]);
    CHECK(strstr(why, wrong[i][1]) != NULL, "%s: %s", wrong[i][0], why);
  }
}

int main(void) {
  const size_t live = tvmq_alloc_live();
  for (size_t i = 0; i < tvmq_n_machines; i++) check_round_trip(&tvmq_machines[i]);
  check_lines();
  check_read();
  check_files();
  char why[256];
  size_t skipped;
  tvmq_alloc_fail_at(1);
  CHECK(parse("tvmq-machine 1\nbase = zen5\n", &skipped, why) == NULL, "no memory");
  CHECK_STRING(why, "out of memory", "no memory");
  tvmq_alloc_fail_at(0);
  CHECK(tvmq_alloc_live() == live, "nothing left");
  return unit_report();
}
