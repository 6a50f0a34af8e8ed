#include "network/mappings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tvmq_mappings_read(struct tvmq_mappings *mappings) {
  FILE *file = fopen("/proc/self/maps", "re");
  char line[512];
  bool complete = file != NULL;
  size_t room = 0;
  while (complete && fgets(line, sizeof line, file) != NULL) {
    uintptr_t begin, end;
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &begin, &end) != 2 || strpbrk(line, "/[") == NULL)
      continue;  // the rest of a long line, or memory without a name
    if (mappings->n == room) {
      room = room > 0 ? 2 * room : 64;
      struct tvmq_mapping *list = realloc(mappings->list, room * sizeof *list);
      complete = list != NULL;
      if (!complete) break;
      mappings->list = list;
    }
    mappings->list[mappings->n++] = (struct tvmq_mapping){begin, end};
  }
  if (file != NULL) fclose(file);
  return complete;
}

bool tvmq_mappings_have(const struct tvmq_mappings *mappings, uintptr_t address) {
  for (size_t i = 0; i < mappings->n; i++) {
    if (address >= mappings->list[i].begin && address < mappings->list[i].end) return true;
  }
  return false;
}

void tvmq_mappings_free(struct tvmq_mappings *mappings) {
  free(mappings->list);
  *mappings = (struct tvmq_mappings){0};
}
