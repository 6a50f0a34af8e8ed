#include "packing/weight_list.h"

#include <string.h>

#include "base/memory.h"

void tvmq_weight_list_add(struct tvmq_weight_list *weights, struct tvmq_packed *packed) {
  for (size_t i = 0; i < weights->n; i++) {
    if (weights->list[i] == packed) return;
  }
  if (weights->n == weights->room) {
    const size_t room = 2 * weights->room + 64;
    struct tvmq_packed **list = tvmq_alloc(room * sizeof *list);
    if (list == NULL) return;
    if (weights->n > 0) memcpy(list, weights->list, weights->n * sizeof *list);
    tvmq_free(weights->list);
    weights->list = list;
    weights->room = room;
  }
  tvmq_packed_keep(packed);
  weights->list[weights->n++] = packed;
}

void tvmq_weight_list_clear(struct tvmq_weight_list *weights) {
  for (size_t i = 0; i < weights->n; i++) tvmq_packed_release(weights->list[i]);
  tvmq_free(weights->list);
  *weights = (struct tvmq_weight_list){0};
}
