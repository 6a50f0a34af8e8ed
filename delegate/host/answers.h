// Memory for the answers of the public header that the library gives to a thread, and that last until the same thread asks again.
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
  char machine_text[16 * 1024];
};

// Those of the calling thread, which end with it. NULL when out of memory.
struct tvmq_answers *tvmq_answers(void);
