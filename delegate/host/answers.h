// Per-thread memory for structures that public functions return. They stay valid until the same thread calls again.
#pragma once

#include "packing/layout.h"
#include "tvmq_delegate.h"

struct tvmq_answers {
  struct tvmq_cpu_info cpu;
  struct tvmq_isa_info isa;
  struct tvmq_kernel_info kernel;
  char packing[TVMQ_LAYOUT_NAME];
  char checksum[17];
  struct tvmq_machine_info machine;
  struct tvmq_core_info core;
  char machine_text[16 * 1024];
};

// Returns the calling thread's memory, which is released when the thread ends, or NULL if out of memory.
struct tvmq_answers *tvmq_answers(void);
