// Finds slopes (arithmetic/byte_map.h) that give a table of bytes, and completes maps with them.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arithmetic/byte_map.h"

// Sets *slopes to slopes that give the table at all 256 inputs. False: none do, and slopes->n is 0.
bool tvmq_find_byte_slopes(const uint8_t table[TVMQ_N_BYTES], struct tvmq_byte_slopes *slopes);

// Completes a map of which the first 256 entries of the table are set, with slopes if `slopes` and there are any.
void tvmq_complete_byte_map(struct tvmq_byte_map *map, bool slopes);
