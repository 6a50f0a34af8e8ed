// Finds slopes (arithmetic/byte_map.h) that reproduce a table of bytes, and completes maps with slopes.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arithmetic/byte_map.h"

// Sets *slopes to slopes that reproduce the table at all 256 inputs. If there are none, returns false and sets
// slopes->n to 0.
bool tvmq_find_byte_slopes(const uint8_t table[TVMQ_N_BYTES], struct tvmq_byte_slopes *slopes);

// Completes a map whose first 256 table entries are set: finds the live bytes and, if `slopes` is true, slopes.
void tvmq_complete_byte_map(struct tvmq_byte_map *map, bool slopes);
