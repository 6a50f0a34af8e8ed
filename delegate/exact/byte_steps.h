// Whether the steps of kernels/byte_map.h give a table of bytes.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernel.h"

// Sets *steps to some that give the table at each of the 256 inputs. False: there are none; *steps is then of no use.
bool tvmq_find_byte_steps(const uint8_t table[TVMQ_N_BYTES], struct tvmq_byte_steps *steps);

// Makes all else of a map from the first 256 entries of its table, the steps if the variant wants them and there are some.
void tvmq_make_byte_map(const struct tvmq_variant *variant, struct tvmq_byte_map *map);
