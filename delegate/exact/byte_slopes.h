// Completes maps of bytes: whether the slopes of kernels/byte_map.h give a table.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernel.h"

// Sets *slopes to some that give the table at each of the 256 inputs. False: there are none, and slopes->n is 0.
bool tvmq_find_byte_slopes(const uint8_t table[TVMQ_N_BYTES], struct tvmq_byte_slopes *slopes);

// Makes all else of a map from the first 256 entries of its table, slopes if the variant wants them.
void tvmq_make_byte_map(const struct tvmq_variant *variant, struct tvmq_byte_map *map);
