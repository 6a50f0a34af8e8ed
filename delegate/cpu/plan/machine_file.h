// Machine files: a machine's costs as text that people can read and edit.
//
//   tvmq-machine 1                    format and its version
//   name = AMD EPYC 9B45              any text
//   base = zen5                       known machine that provides all values not given below
//   pointer_cycles = 7                a number of cpu/machine_fields.def
//   kernel tvmq_add_s8__neon = 4 0    rate and tile_cycles of a kernel (kernel.h)
//   # ...                             to the end of the line: a comment
//
// A malformed line, and a value that is not a number or is out of bounds, are errors. Unknown names of values and
// kernels are skipped and counted, so that files for other versions of the library can be read.
#pragma once

#include "base/text.h"
#include "cpu/machine.h"

enum { TVMQ_MACHINE_FILE_BYTES = 1 << 16 };  // longer files are rejected

// Return the machine that the text or file describes, and set *skipped to the number of skipped lines. If the text is
// invalid or memory is short, return NULL, and *message says which line is wrong and why.
struct tvmq_machine *tvmq_machine_parse(const char *text, size_t n_bytes, size_t *skipped, struct tvmq_text *message);
struct tvmq_machine *tvmq_machine_read(const char *path, size_t *skipped, struct tvmq_text *message);
void tvmq_machine_release(struct tvmq_machine *machine);  // NULL is fine

// Writes the machine as the text of a machine file, with the kernels that it can run.
void tvmq_machine_write(const struct tvmq_machine *machine, struct tvmq_text *text);
