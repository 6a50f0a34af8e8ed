// A thread-safe list of the accelerator's live delegates in order of creation.
#pragma once

#include <stdbool.h>

bool tvmq_live_add(const void *delegate);  // returns false if out of memory
void tvmq_live_remove(const void *delegate);
const void *tvmq_live_at(int index);  // returns NULL past the end
