// Bytes as a machine file: they are refused with a message, or make a machine whose numbers are all in bounds, and which reads back as it was written.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cpu/plan/machine_file.h"
#include "fuzz.h"
#include "kernels/variants.h"

struct fuzz_counts fuzz_counts;

static bool in_bounds(const struct tvmq_machine *machine) {
  bool good = true;
#define TVMQ_MACHINE_COST(name, unit, help) good &= machine->name >= 0 && machine->name <= TVMQ_MOST_COST;
#define TVMQ_MACHINE_SIZE(name, most, unit, help) good &= machine->name >= 1 && machine->name <= (most);
#include "cpu/machine_fields.def"
  for (size_t i = 0; i < tvmq_n_variants; i++) {
    const struct tvmq_speed *speed = &machine->every_speed[i];
    good &= speed->rate > 0 && speed->rate < 1e6f && speed->tile_cycles >= 0 && speed->tile_cycles <= TVMQ_MOST_COST;
  }
  return good;
}

static struct tvmq_machine *parse(const char *text, size_t n_bytes) {
  char why[256] = "";
  struct tvmq_text message = {.at = why, .size = sizeof why};
  size_t skipped;
  struct tvmq_machine *machine = tvmq_machine_parse(text, n_bytes, &skipped, &message);
  if ((machine == NULL) != (why[0] != '\0')) abort();
  if (machine != NULL && !in_bounds(machine)) abort();
  return machine;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char once[1 << 15], twice[1 << 15];
  struct tvmq_machine *machine = parse((const char *)data, size);
  machine != NULL ? fuzz_counts.claimed++ : fuzz_counts.refused++;
  if (machine == NULL) return 0;
  struct tvmq_text first = {.at = once, .size = sizeof once}, second = {.at = twice, .size = sizeof twice};
  tvmq_machine_write(machine, &first);
  tvmq_machine_release(machine);
  machine = parse(once, first.length);
  if (machine == NULL) abort();
  tvmq_machine_write(machine, &second);
  tvmq_machine_release(machine);
  if (strcmp(once, twice) != 0) abort();
  fuzz_counts.compared++;
  return 0;
}
