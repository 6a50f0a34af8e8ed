// Records of tuning, as files of JSON lines hold them (docs/records.md): for each task that has been tuned on this machine the choice that was proven fastest.
//
// Whatever a file holds, it can make a node slower at worst: choices that are not legal for a node are refused where it is planned.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/plan/choice.h"

enum { TVMQ_RECORDS_VERSION = 1, TVMQ_MOST_TUNED = 4096, TVMQ_TASK_SIZE = 512, TVMQ_RECORDS_BYTES = 64 << 20 };

struct tvmq_tuned {
  uint64_t hash;  // of the task
  char *task;     // a signature (graph/signature.h)
  struct tvmq_choice choice;
  double gain;  // the default's least time over its own
};

struct tvmq_tuning_records {
  const char *cpu, *identity;  // whose records count: its name, what tells it from others of that name (cpu/cpu.h), and how it executes
  bool in_order;
  struct tvmq_tuned *list;
  size_t n;
  // Counts of lines, by what became of them
  size_t taken;         // for this machine, of proven choices
  size_t measurements;  // for this machine, not proven: they are for the tuner
  size_t other_machine;
  size_t other_version;  // of the format
  size_t unknown;        // kernels or ways that this library lacks
  size_t bad;            // no records
};

// Adds those of a file, or of a text. Of several for one task the one with the greatest gain counts. NULL, or why the file is of no use (static string).
const char *tvmq_tuning_records_read(struct tvmq_tuning_records *records, const char *path);
void tvmq_tuning_records_parse(struct tvmq_tuning_records *records, const char *text, size_t size);

void tvmq_tuning_records_free(struct tvmq_tuning_records *records);

// The choice for a task; NULL: there is none.
const struct tvmq_choice *tvmq_tuning_records_find(const struct tvmq_tuning_records *records, const char *task);
