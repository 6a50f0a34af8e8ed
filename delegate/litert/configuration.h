// An accelerator library is told options by the environment variable TVMQ_OPTIONS, by the file tvmq_delegate.conf beside it, and by its process.
#pragma once

#include <stdbool.h>

#include "litert/settings.h"

enum { TVMQ_PATH = 1024, TVMQ_COMPLAINT = TVMQ_PATH + 128 };

struct tvmq_configuration {
  char folder[TVMQ_PATH];         // that the library stands in, with a slash at the end; "" if that is unknown
  struct tvmq_settings settings;  // for the delegate
  const char *library;            // NULL where it is not given
  const char *gpu_accelerator;    // NULL without
  bool enabled;
  char complaint[TVMQ_COMPLAINT];  // what could not be read; "" if all is well
};

// Reads it all anew. A block for free(), NULL when out of memory. `address`: of something in the library.
struct tvmq_configuration *tvmq_configuration_read(const void *address);

// Takes the options of tvmq_accelerator_configure(). False if they cannot be read or memory is short.
bool tvmq_configuration_tell(const char *lines);
