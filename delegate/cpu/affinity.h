// Which processors a delegate's threads run on: the `cpu_affinity` option.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TVMQ_CPUS_MAX = 8192, TVMQ_CPUS_TEXT = 128 };  // no Linux is built for more processors

// A set of processors, bit by bit as the kernel has it (on a little-endian machine). Empty: wherever the thread may run already.
struct tvmq_cpus {
  uint32_t words[TVMQ_CPUS_MAX / 32];
  bool some;  // it is not empty
};

// The processors that this thread may use. False: the kernel does not tell.
bool tvmq_cpus_here(struct tvmq_cpus *cpus);
bool tvmq_cpus_have(const struct tvmq_cpus *cpus, size_t cpu);

// Moves this thread there. False: none of them is to be had.
bool tvmq_cpus_move(const struct tvmq_cpus *cpus);

// "any", or numbers and ranges joined by "+", such as "4-7" or "0+2+4-5" (commas, semicolons and colons separate options elsewhere).
// False: not of that form, or a processor that this thread may not use; *cpus then means nothing.
bool tvmq_cpus_parse(const char *text, struct tvmq_cpus *cpus);

// The processors that this thread may use, as tvmq_cpus_parse would take them; cut where `text` ends.
void tvmq_cpus_usable(char *text, size_t size);

// Moves this thread to `cpus` and remembers where it might run before; leave moves it back. Threads that it starts in between stay on `cpus`.
// Where `cpus` is empty, or not to be had any more, nothing moves. False: the thread may not go back where it was, and stays.
struct tvmq_affinity {
  bool moved;
  struct tvmq_cpus before;
};
static inline void tvmq_affinity_enter(struct tvmq_affinity *affinity, const struct tvmq_cpus *cpus) {
  affinity->moved = cpus->some && tvmq_cpus_here(&affinity->before) && tvmq_cpus_move(cpus);
}
static inline bool tvmq_affinity_leave(const struct tvmq_affinity *affinity) { return !affinity->moved || tvmq_cpus_move(&affinity->before); }
