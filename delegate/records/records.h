// Tuning records from files of JSON lines (docs/records.md): for each task that was tuned on this machine, the choice
// that proved fastest.
//
// The worst that a corrupt file can do is to make a node slower: planning refuses choices that are not legal for a
// node.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/plan/choice.h"

enum { TVMQ_RECORDS_VERSION = 1, TVMQ_MOST_TUNED = 4096, TVMQ_TASK_SIZE = 512, TVMQ_RECORDS_BYTES = 64 << 20 };

struct tvmq_tuned {
  uint64_t hash;  // hash of the task
  char *task;     // a signature (graph/signature.h)
  struct tvmq_choice choice;
  double gain;  // shortest time of the default divided by that of this choice
};

struct tvmq_tuning_records {
  const char *cpu, *identity;  // name and identity (cpu/cpu.h) of the CPU whose records are used
  bool in_order;               // whether that CPU executes in program order
  struct tvmq_tuned *list;
  size_t n;
  // Numbers of lines by outcome
  size_t taken;          // used: proven choices for this machine
  size_t measurements;   // for this machine but not proven; only the tuner uses them
  size_t other_machine;  // for another machine
  size_t other_version;  // in another version of the format
  size_t unknown;        // with kernels or algorithms that this library does not have
  size_t bad;            // not a record
};

// Add the records of a file or a text. If a task has several records, the one with the greatest gain is kept.
// tvmq_tuning_records_read returns NULL, or a static string that says why the file is unusable.
const char *tvmq_tuning_records_read(struct tvmq_tuning_records *records, const char *path);
void tvmq_tuning_records_parse(struct tvmq_tuning_records *records, const char *text, size_t size);

void tvmq_tuning_records_free(struct tvmq_tuning_records *records);

// Returns the choice for a task, or NULL if there is none.
const struct tvmq_choice *tvmq_tuning_records_find(const struct tvmq_tuning_records *records, const char *task);
