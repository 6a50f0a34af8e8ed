// The option tuning_records: reads the files and logs how nodes used the records.
#include <string.h>

#include "base/memory.h"
#include "cpu/cpu.h"
#include "host/delegate.h"

static void read_records_file(struct tvmq_delegate *delegate, const char *path) {
  const int threshold = delegate->options.log_severity;
  struct tvmq_tuning_records *tuned = &delegate->tuned;
  const struct tvmq_tuning_records before = *tuned;
  const char *why = tvmq_tuning_records_read(tuned, path);
  if (why != NULL) tvmq_log(threshold, TVMQ_LOG_WARNING, "tuning records %s: %s; the file is ignored", path, why);
  if (why != NULL) return;
  tvmq_log(
      threshold, TVMQ_LOG_INFO,
      "tuning records %s: choices for this CPU: %zu; skipped lines: %zu measurements, %zu of other machines, %zu of other versions, %zu of unknown kernels, "
      "%zu bad",
      path, tuned->taken - before.taken, tuned->measurements - before.measurements, tuned->other_machine - before.other_machine,
      tuned->other_version - before.other_version, tuned->unknown - before.unknown, tuned->bad - before.bad);
}

void tvmq_delegate_read_records(struct tvmq_delegate *delegate) {
  char paths[sizeof delegate->options.tuning_records];
  strcpy(paths, delegate->options.tuning_records);
  if (strcmp(paths, "none") == 0) return;
  delegate->tuned = (struct tvmq_tuning_records){.cpu = tvmq_cpu_name(), .identity = tvmq_cpu_identity(), .in_order = delegate->env.machine->in_order};
  delegate->env.tuned = &delegate->tuned;
  for (char *path = paths, *next; path != NULL; path = next) {
    next = strchr(path, ':');
    if (next != NULL) *next++ = '\0';
    if (path[0] != '\0') read_records_file(delegate, path);
  }
}

void tvmq_delegate_log_tuned(const struct tvmq_delegate *delegate, const struct tvmq_subgraph *subgraph) {
  const struct tvmq_record *refused = NULL;
  size_t n = 0, n_refused = 0;
  if (delegate->env.tuned == NULL) return;
  for (size_t i = 0; i < subgraph->n_records; i++) {
    const struct tvmq_record *record = &subgraph->records[i];
    n += (size_t)record->info.tuned;
    if (record->info.refusal[0] == '\0') continue;
    n_refused++;
    if (refused == NULL) refused = record;
  }
  if (refused == NULL) {
    tvmq_log(delegate->options.log_severity, TVMQ_LOG_INFO, "subgraph %d: %zu nodes use their tuning record", subgraph->index, n);
  } else {
    tvmq_log(delegate->options.log_severity, TVMQ_LOG_INFO, "subgraph %d: %zu nodes use their tuning record, %zu cannot; first such node %d: %s",
             subgraph->index, n, n_refused, refused->info.node, refused->info.refusal);
  }
}
