// Messages on stderr. What makes a call of the runtime fail is not among them: it goes to the runtime, which hands it to its user.
#pragma once

enum tvmq_severity {
  TVMQ_LOG_VERBOSE,  // how each node is computed, whenever it is planned
  TVMQ_LOG_INFO,     // what is taken and what is not
  TVMQ_LOG_WARNING,  // the delegate works, with less than was asked for
  TVMQ_LOG_ERROR,    // the delegate can do nothing for the graph, and leaves all of it to the runtime
  TVMQ_LOG_SILENT
};

// One line, written at once, if `severity` reaches `threshold`.
__attribute__((format(printf, 3, 4))) void tvmq_log(enum tvmq_severity threshold, enum tvmq_severity severity, const char *format, ...);
