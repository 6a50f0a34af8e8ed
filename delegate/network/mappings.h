// Address ranges of this process that hold code and data of loaded files, its heap and its stack.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tvmq_mappings {
  struct tvmq_mapping {
    uintptr_t begin, end;
  } *list;
  size_t n;
};

bool tvmq_mappings_read(struct tvmq_mappings *mappings);  // returns false if out of memory, or if the system does not tell
bool tvmq_mappings_have(const struct tvmq_mappings *mappings, uintptr_t address);
void tvmq_mappings_free(struct tvmq_mappings *mappings);
