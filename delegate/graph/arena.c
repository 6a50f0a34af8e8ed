#include "graph/arena.h"

#include <stdint.h>

#include "base/arith.h"
#include "base/memory.h"

// Greedy by size: places the largest buffer first, each in the lowest sufficient gap between the buffers in use at the
// same time. For chains, in which at most two tensors are in use at once, the result is as small as the largest pair.

static bool aligned_size(const struct tvmq_arena_buffer *buffer, size_t *size) { return tvmq_round_up_size(buffer->size, TVMQ_ALIGNMENT, size); }

static bool live_together(const struct tvmq_arena_buffer *a, const struct tvmq_arena_buffer *b) { return a->first <= b->last && b->first <= a->last; }

// Links the buffers that are not empty, the largest first, and those of equal size in their order. Returns the first.
static struct tvmq_arena_buffer *sort_by_size(struct tvmq_arena_buffer *buffers, size_t n) {
  if (n <= 1) {
    if (n == 1) buffers->above = NULL;
    return n == 1 && buffers->size > 0 ? buffers : NULL;
  }
  struct tvmq_arena_buffer *halves[2] = {sort_by_size(buffers, n / 2), sort_by_size(buffers + n / 2, n - n / 2)}, *first, **link = &first;
  while (halves[0] != NULL && halves[1] != NULL) {
    struct tvmq_arena_buffer **half = &halves[halves[1]->size > halves[0]->size];
    *link = *half;
    link = &(*half)->above;
    *half = *link;
  }
  *link = halves[0] != NULL ? halves[0] : halves[1];
  return first;
}

bool tvmq_arena_plan(struct tvmq_arena_buffer *buffers, size_t n, size_t *total) {
  struct tvmq_arena_buffer *lowest = NULL, *smaller;
  *total = 0;
  for (struct tvmq_arena_buffer *next = sort_by_size(buffers, n); next != NULL; next = smaller) {
    size_t size, end = 0;
    smaller = next->above;
    if (!aligned_size(next, &size)) return false;
    for (const struct tvmq_arena_buffer *other = lowest; other != NULL; other = other->above) {
      if (other->offset >= end && other->offset - end >= size) break;  // the gap below `other` and all above it is large enough
      if (!live_together(other, next)) continue;
      size_t other_size;
      if (!aligned_size(other, &other_size)) return false;
      if (other->offset + other_size > end) end = other->offset + other_size;
    }
    next->offset = end;
    if (!tvmq_add_size(end, size, &size)) return false;
    if (size > *total) *total = size;

    struct tvmq_arena_buffer **link = &lowest;
    while (*link != NULL && (*link)->offset < next->offset) link = &(*link)->above;
    next->above = *link;
    *link = next;
  }
  return true;
}

// Forms piles of buffers that have the same middle. Each buffer goes to the first pile in which no other buffer is
// still in use. The half of a pile includes room for the alignment of its buffers.
bool tvmq_arena_plan_middles(struct tvmq_arena_buffer *buffers, size_t n, size_t *total) {
  size_t n_piles = 0;
  for (size_t i = 0; i < n; i++) {
    if (buffers[i].size == 0) continue;
    size_t half, pile = 0;
    if (!tvmq_round_up_size(buffers[i].size / 2 + TVMQ_ALIGNMENT, TVMQ_ALIGNMENT, &half)) return false;
    while (pile < n_piles && buffers[pile].taken_to >= buffers[i].first) pile++;
    if (pile == n_piles) buffers[n_piles++].half = 0;
    if (half > buffers[pile].half) buffers[pile].half = half;
    buffers[pile].taken_to = buffers[i].last;
    buffers[i].pile = pile;
  }
  *total = 0;
  for (size_t i = 0; i < n_piles; i++) {
    if (!tvmq_add_size(*total, buffers[i].half, &buffers[i].middle) || !tvmq_add_size(buffers[i].middle, buffers[i].half, total)) return false;
  }
  for (size_t i = 0; i < n; i++) {
    if (buffers[i].size > 0) buffers[i].offset = buffers[buffers[i].pile].middle - buffers[i].size / 2 / TVMQ_ALIGNMENT * TVMQ_ALIGNMENT;
  }
  return true;
}
