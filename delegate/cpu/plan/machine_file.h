// Machine files: what things cost on a machine as text, which people can read and change.
//
//   tvmq-machine 1                    format and its version
//   name = AMD EPYC 9B45              any text
//   base = zen5                       what is not given below is as it is there
//   pointer_cycles = 7                a number of cpu/machine_fields.def
//   kernel tvmq_add_s8__neon = 4 0    rate and tile_cycles of a kernel (kernel.h)
//   # ...                             to the end of the line: a comment
//
// A number that is no number or out of bounds is an error, and so is a line that is none of these. Numbers and kernels that this library does not know are
// skipped and counted, so that it reads files of its other versions.
#pragma once

#include "base/text.h"
#include "cpu/machine.h"

enum { TVMQ_MACHINE_FILE_BYTES = 1 << 16 };  // a longer file is none

// The machine that the text describes. NULL: it describes none, or there is no memory; *message says which line is wrong, and why. Otherwise *skipped is how
// many lines were.
struct tvmq_machine *tvmq_machine_parse(const char *text, size_t n_bytes, size_t *skipped, struct tvmq_text *message);
struct tvmq_machine *tvmq_machine_read(const char *path, size_t *skipped, struct tvmq_text *message);
void tvmq_machine_release(struct tvmq_machine *machine);  // NULL is fine

// The machine as such a text, with the kernels that it can run.
void tvmq_machine_write(const struct tvmq_machine *machine, struct tvmq_text *text);
