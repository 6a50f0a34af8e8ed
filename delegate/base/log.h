// Messages of the library. All but errors go to stderr here; errors go to the runtime, which hands them to its user.
#pragma once

enum tvmq_severity { TVMQ_LOG_VERBOSE, TVMQ_LOG_INFO, TVMQ_LOG_WARNING, TVMQ_LOG_ERROR, TVMQ_LOG_SILENT };

// One line, written at once, if `severity` reaches `threshold`.
__attribute__((format(printf, 3, 4))) void tvmq_log(enum tvmq_severity threshold, enum tvmq_severity severity, const char *format, ...);
