// The delegates that an accelerator has handed out and that are alive, in the order in which they were made. For any thread.
#pragma once

#include <stdbool.h>

bool tvmq_live_add(const void *delegate);  // false when out of memory
void tvmq_live_remove(const void *delegate);
const void *tvmq_live_at(int index);  // NULL past the end
