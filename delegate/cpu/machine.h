// The costs of a machine: every number by which kernels, blocks and tasks are chosen, apart from the speeds of the kernels themselves
// (kernels/variants.def). docs/cost-model.md says how each number is measured.
//
// Cycles are those of the core clock, bytes are bytes of memory. None of these numbers changes a result.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TVMQ_LINE = 64 };  // bytes of a cache line, on every machine served

enum { TVMQ_MACHINE_NAME = 64, TVMQ_MOST_COST = 1000000 };

// A kernel that is faster or slower on a machine than kernels/variants.def has it: the same two numbers (kernel.h).
struct tvmq_kernel_speed {
  const char *kernel;
  float rate, tile_cycles;
};

struct tvmq_speed;

struct tvmq_machine {
  const char *name;
  const char *base;  // the row that a machine file began with; NULL: this is a row itself
  bool in_order;     // its cores execute instructions in program order: a kernel's second speed counts (kernel.h)
  uint32_t cpu;      // features of such cores (cpu_bits.h), for estimates made elsewhere

#define TVMQ_MACHINE_COST(name, unit, help) float name;
#define TVMQ_MACHINE_SIZE(name, most, unit, help) size_t name;
#include "cpu/machine_fields.def"

  const struct tvmq_kernel_speed *speeds;  // of kernels that differ
  size_t n_speeds;
  const struct tvmq_speed *every_speed;  // those of all kernels in the order of their list, and `speeds` are not looked at; NULL in a row of tvmq_machines
};

// Machines known.
extern const struct tvmq_machine tvmq_machines[];
extern const size_t tvmq_n_machines;
enum { TVMQ_MOST_MACHINES = 16 };

// The row of that name; NULL: there is none.
const struct tvmq_machine *tvmq_machine_named(const char *name);

// The row that serves computers of this architecture which have none of their own: cores that execute in order, or out of order.
const struct tvmq_machine *tvmq_machine_for(bool in_order);
