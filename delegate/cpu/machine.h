// The costs of a machine: all numbers that decide the choice of kernels, blocks and tasks, except the speeds of the
// kernels (kernels/variants.def). docs/cost-model.md says how each number is measured.
//
// Cycles are cycles of the core clock. None of these numbers changes a result.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TVMQ_LINE = 64 };  // bytes of a cache line, on all supported machines

enum { TVMQ_MACHINE_NAME = 64, TVMQ_MOST_COST = 1000000 };

// The speed (kernel.h) of a kernel that is faster or slower on a machine than kernels/variants.def says.
struct tvmq_kernel_speed {
  const char *kernel;
  float rate, tile_cycles;
};

struct tvmq_speed;

struct tvmq_machine {
  const char *name;
  const char *base;  // name of the machine that a machine file is based on; NULL for rows of tvmq_machines
  bool in_order;     // cores execute in program order, so a kernel's second speed applies (kernel.h)
  uint32_t cpu;      // features of these cores (cpu_bits.h), for estimates on another machine

#define TVMQ_MACHINE_COST(name, unit, help) float name;
#define TVMQ_MACHINE_SIZE(name, most, unit, help) size_t name;
#include "cpu/machine_fields.def"

  const struct tvmq_kernel_speed *speeds;  // speeds of kernels that differ from kernels/variants.def
  size_t n_speeds;
  const struct tvmq_speed *every_speed;  // speeds of all kernels in the order of their list, in place of `speeds`; NULL for rows of tvmq_machines
};

// The known machines.
extern const struct tvmq_machine tvmq_machines[];
extern const size_t tvmq_n_machines;
enum { TVMQ_MOST_MACHINES = 16 };

// Returns the machine with this name, or NULL if there is none.
const struct tvmq_machine *tvmq_machine_named(const char *name);

// Returns the default machine of this architecture for computers without a row of their own, with in-order or
// out-of-order cores.
const struct tvmq_machine *tvmq_machine_for(bool in_order);
