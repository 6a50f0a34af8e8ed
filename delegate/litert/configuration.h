// Options of the accelerator library, from the environment variable TVMQ_OPTIONS, the file tvmq_delegate.conf in its
// folder, and tvmq_accelerator_configure().
#pragma once

#include <stdbool.h>

#include "litert/settings.h"

enum { TVMQ_PATH = 1024, TVMQ_COMPLAINT = TVMQ_PATH + 128 };

struct tvmq_configuration {
  char folder[TVMQ_PATH];         // folder of the library, with a slash at the end; "" if unknown
  struct tvmq_settings settings;  // options for the delegate
  const char *library;            // NULL if not set
  const char *gpu_accelerator;    // NULL if not set
  bool enabled;
  char complaint[TVMQ_COMPLAINT];  // error message, "" if everything could be read
};

// Reads all sources again. Returns a block to be released with free(), or NULL if out of memory. address: of any object
// in the library, to find its folder.
struct tvmq_configuration *tvmq_configuration_read(const void *address);

// Copies the options of tvmq_accelerator_configure(). Returns false if they cannot be parsed or memory is short.
bool tvmq_configuration_tell(const char *lines);
