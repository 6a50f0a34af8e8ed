// The processors that a delegate's threads run on: the option `cpu_affinity`.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TVMQ_CPUS_MAX = 8192, TVMQ_CPUS_TEXT = 128 };  // the most processors that Linux can be built for

// A set of processors in the kernel's format, a bit mask (on a little-endian machine). Empty: do not move the thread.
struct tvmq_cpus {
  uint32_t words[TVMQ_CPUS_MAX / 32];
  bool some;  // the set is not empty
};

// Gets the processors that this thread may use. Returns false if the kernel does not tell.
bool tvmq_cpus_here(struct tvmq_cpus *cpus);
bool tvmq_cpus_have(const struct tvmq_cpus *cpus, size_t cpu);

// Restricts this thread to these processors. Returns false if none of them is available.
bool tvmq_cpus_move(const struct tvmq_cpus *cpus);

// Parses "any", or numbers and ranges joined by "+", such as "4-7" or "0+2+4-5". (Commas, semicolons and colons
// separate options elsewhere.) Returns false if the text is malformed or names a processor that this thread may not
// use; *cpus is then undefined.
bool tvmq_cpus_parse(const char *text, struct tvmq_cpus *cpus);

// Writes the processors that this thread may use in the format of tvmq_cpus_parse, cut off after `size` bytes.
void tvmq_cpus_usable(char *text, size_t size);

// `enter` restricts this thread to `cpus`, and `leave` restores its previous processors. Threads started in between
// stay on `cpus`. If `cpus` is empty or no longer available, nothing changes. `leave` returns false if the previous
// processors are not available; the thread then stays on `cpus`.
struct tvmq_affinity {
  bool moved;
  struct tvmq_cpus before;
};
static inline void tvmq_affinity_enter(struct tvmq_affinity *affinity, const struct tvmq_cpus *cpus) {
  affinity->moved = cpus->some && tvmq_cpus_here(&affinity->before) && tvmq_cpus_move(cpus);
}
static inline bool tvmq_affinity_leave(const struct tvmq_affinity *affinity) { return !affinity->moved || tvmq_cpus_move(&affinity->before); }
