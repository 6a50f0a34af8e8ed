// Bytes as a file of tuning records: whatever they are, they are read over, counted and let go.
#include <stdlib.h>

#include "base/memory.h"
#include "fuzz.h"
#include "records/records.h"

struct fuzz_counts fuzz_counts;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct tvmq_tuning_records records = {.cpu = "this one"};
  const size_t blocks = tvmq_alloc_live();
  tvmq_tuning_records_parse(&records, (const char *)data, size);
  fuzz_counts.claimed += records.taken;
  fuzz_counts.refused += records.bad + records.unknown + records.measurements + records.other_machine + records.other_version;
  for (size_t i = 0; i < records.n; i++) fuzz_counts.compared += tvmq_tuning_records_find(&records, records.list[i].task) == &records.list[i].choice;
  if (records.n > records.taken) abort();
  tvmq_tuning_records_free(&records);
  if (tvmq_alloc_live() != blocks) abort();
  return 0;
}
