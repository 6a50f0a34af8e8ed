#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/write_signals.h"

void tvmq_log(enum tvmq_severity threshold, enum tvmq_severity severity, const char *format, ...) {
  static const char *const names[] = {"VERBOSE", "INFO", "WARNING", "ERROR"};
  if (severity < threshold || severity >= TVMQ_LOG_SILENT) return;
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  struct tvmq_write_signals signals;
  tvmq_write_signals_hold(&signals);  // stderr may be a closed pipe, or a file at its size limit
  fprintf(stderr, "%s: tvmq-delegate: %s\n", names[severity], text);
  tvmq_write_signals_release(&signals);
}
