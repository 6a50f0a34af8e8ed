// The build ID that the linker puts into the file that this code is in tells builds of the library apart.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { TVMQ_BUILD_ID_BYTES = 32 };

// Fills `id`, zeros behind what there is. False: the file has none.
bool tvmq_build_id(uint8_t id[TVMQ_BUILD_ID_BYTES]);
