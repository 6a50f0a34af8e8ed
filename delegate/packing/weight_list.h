// List of packed weights to write to a cache file. The list counts as a user of each.
#pragma once

#include "packing/packed.h"

struct tvmq_weight_list {
  struct tvmq_packed **list;
  size_t n, room;
};

// Adds weights that are not in the list yet. Skips them if out of memory, because a file without them is valid too.
void tvmq_weight_list_add(struct tvmq_weight_list *weights, struct tvmq_packed *packed);

void tvmq_weight_list_clear(struct tvmq_weight_list *weights);
