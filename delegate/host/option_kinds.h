// Kinds of options: how the text of a value is parsed.
#pragma once

#include <stdbool.h>

#include "base/text.h"
#include "tvmq_delegate.h"

enum { TVMQ_OPTION_PATH = 1024 };

struct tvmq_option_kind {
  const char *name;
  bool (*parse)(const struct tvmq_option_info *info, const char *value, void *out);  // false: not allowed; *out is unchanged
  void (*allowed)(struct tvmq_text *message, const struct tvmq_option_info *info);   // lists the allowed values
};

const struct tvmq_option_kind *tvmq_option_kind(const struct tvmq_option_info *info);
