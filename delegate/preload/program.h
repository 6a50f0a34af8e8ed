// The functions of the program that functions of the preloaded library stand in for.
#pragma once

#include <stdbool.h>

// Stores the function that the caller would have called without the preloaded library. Returns false if there is none.
// function: the address of a pointer to a function. caller: an address in the caller's code.
bool tvmq_program_find(const char *name, const void *caller, void *function);
