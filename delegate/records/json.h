// A pull parser for JSON in memory, strict to RFC 8259. It does not allocate, limits nesting, and is safe on any input.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct tvmq_json {
  const char *at, *end;
  bool failed;  // the input is not JSON, or not of the expected form; parsing has stopped
};

// tvmq_json_begin consumes the opening bracket of an object or array. tvmq_json_next returns true and increments *n if
// another member follows; otherwise it consumes the closing bracket.
bool tvmq_json_begin(struct tvmq_json *json, char bracket);
bool tvmq_json_next(struct tvmq_json *json, char bracket, size_t *n);

// Read a member's name with its colon, or a value. A string fails if it does not fit into `size` bytes with its
// terminating NUL, or contains a NUL.
bool tvmq_json_key(struct tvmq_json *json, char *room, size_t size);
bool tvmq_json_string(struct tvmq_json *json, char *room, size_t size);
bool tvmq_json_number(struct tvmq_json *json, double *number);
bool tvmq_json_bool(struct tvmq_json *json, bool *value);
bool tvmq_json_skip(struct tvmq_json *json);  // skips any value

// Returns whether all input was consumed without a failure.
bool tvmq_json_done(struct tvmq_json *json);
