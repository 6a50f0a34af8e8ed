// Bytes as a file of packed weights: whatever they are, what is found lies within them. Sums that must be right for more to be read are put right on request:
// the first byte says which.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "packing/weight_file.h"

enum { FRONT = 1 << 0, SIZES = 1 << 1, HEADER_SUM = 1 << 2, WEIGHT_SUMS = 1 << 3, MOST = 1 << 16 };

static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  abort();
}

static void repair(uint8_t how, uint8_t *bytes, size_t n) {
  struct tvmq_weight_header header, right;
  if (n < sizeof header) return;
  memcpy(&header, bytes, sizeof header);
  struct tvmq_hasher hasher;
  tvmq_hasher_init(&hasher, header.seed);
  tvmq_weight_header_fill(&right, &hasher);
  if (how & FRONT) {
    memcpy(header.magic, right.magic, sizeof header.magic);
    memcpy(header.build, right.build, sizeof header.build);
  }
  const size_t most = (n - sizeof header) / sizeof(struct tvmq_weight_entry);
  if (how & SIZES) {
    header.bytes = n;
    header.n_entries %= most + 1;
  }
  struct tvmq_weight_entry *entries = (void *)(bytes + sizeof header);
  for (size_t i = 0; (how & WEIGHT_SUMS) != 0 && i < header.n_entries && i < most; i++) {
    if (entries[i].place <= n && entries[i].bytes <= n - entries[i].place) entries[i].sum = tvmq_content(&hasher, bytes + entries[i].place, entries[i].bytes);
  }
  if ((how & HEADER_SUM) && header.n_entries <= most) header.sum = tvmq_weight_header_sum(&hasher, &header, entries);
  memcpy(bytes, &header, sizeof header);
}

struct fuzz_counts fuzz_counts;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1 || size > MOST) return 0;
  const size_t n = size - 1;
  uint8_t *const bytes = aligned_alloc(TVMQ_WEIGHT_ALIGNMENT, n / TVMQ_WEIGHT_ALIGNMENT * TVMQ_WEIGHT_ALIGNMENT + TVMQ_WEIGHT_ALIGNMENT);
  memcpy(bytes, data + 1, n);
  repair(data[0], bytes, n);
  const char *why;
  struct tvmq_weight_file *file = tvmq_weight_file_in(bytes, n, &why);
  file != NULL ? fuzz_counts.claimed++ : fuzz_counts.refused++;
  if ((file == NULL) != (why != NULL)) fail("a reason exactly if it does not open");
  size_t n_entries = 0;
  const struct tvmq_weight_entry *entries = file != NULL ? tvmq_weight_file_entries(file, &n_entries) : NULL;
  for (size_t i = 0; i < n_entries; i++) {
    struct tvmq_weights weights;
    if (!tvmq_weight_file_has(file, &entries[i].key)) fail("an entry is not found");
    if (!tvmq_weight_file_find(file, &entries[i].key, &weights)) continue;
    fuzz_counts.compared++;
    if (weights.data < bytes || weights.bytes > n || weights.data + weights.bytes > bytes + n) fail("weights outside of the file");
  }
  tvmq_weight_file_release(file);
  free(bytes);
  return 0;
}
