#include "base/scratch.h"

#include "base/arith.h"
#include "base/memory.h"

bool tvmq_scratch_reserve(struct tvmq_scratch *scratch, size_t shared, size_t slice, size_t n_threads) {
  size_t bytes;
  if (!tvmq_mul_size(slice, n_threads, &bytes) || !tvmq_add_size(bytes, shared, &bytes)) return false;
  if (bytes <= scratch->size) return true;
  uint8_t *memory = tvmq_alloc_unset(bytes);
  if (!memory) return false;
  tvmq_free(scratch->memory);
  *scratch = (struct tvmq_scratch){.memory = memory, .size = bytes};
  return true;
}

void tvmq_scratch_free(struct tvmq_scratch *scratch) {
  tvmq_free(scratch->memory);
  *scratch = (struct tvmq_scratch){0};
}

bool tvmq_scratch_append(size_t *size, size_t count, size_t bytes, size_t *offset) {
  size_t n, end;
  if (!tvmq_mul_size(count, bytes, &n) || !tvmq_add_size(*size, n, &end) || !tvmq_round_up_size(end, TVMQ_ALIGNMENT, &end)) return false;
  *offset = *size;
  *size = end;
  return true;
}
