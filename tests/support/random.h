// One generator, seeded anew for each function from the run's seed and the function's name: a filtered run draws what the full one drew.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void check_random_seed(uint64_t seed, const char *name);
uint64_t check_random(void);
uint32_t check_below(uint32_t n);               // [0, n), n > 0
int64_t check_between(int64_t lo, int64_t hi);  // [lo, hi]
bool check_one_in(uint32_t n);                  // true once in n
void check_random_bytes(void *bytes, size_t size);
