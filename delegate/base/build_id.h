// The linker's build ID of the file that contains this code. It tells builds of the library apart.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { TVMQ_BUILD_ID_BYTES = 32 };

// Copies the build ID to `id` and pads it with zeros. Returns false if the file has none.
bool tvmq_build_id(uint8_t id[TVMQ_BUILD_ID_BYTES]);
