// Messages on stderr. Errors that make a call of the runtime fail are reported through the runtime instead.
#pragma once

enum tvmq_severity {
  TVMQ_LOG_VERBOSE,  // how each node is computed, each time it is planned
  TVMQ_LOG_INFO,     // which nodes are claimed and which are not
  TVMQ_LOG_WARNING,  // the delegate works, but with less than was requested
  TVMQ_LOG_ERROR,    // the delegate leaves the whole graph to the runtime
  TVMQ_LOG_SILENT
};

// Writes one line with a single call if `severity` is at least `threshold`.
__attribute__((format(printf, 3, 4))) void tvmq_log(enum tvmq_severity threshold, enum tvmq_severity severity, const char *format, ...);
