// Packed weights that are to be written to a cache file, each with a user of its own.
#pragma once

#include "packing/packed.h"

struct tvmq_weight_list {
  struct tvmq_packed **list;
  size_t n, room;
};

// Adds weights that are not in the list yet; not if memory is short: a file without them is as good.
void tvmq_weight_list_add(struct tvmq_weight_list *weights, struct tvmq_packed *packed);

void tvmq_weight_list_clear(struct tvmq_weight_list *weights);
