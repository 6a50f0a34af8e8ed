// JSON read from memory piece by piece, strictly as RFC 8259 has it: nothing is allocated, nesting is limited, and what the bytes are does not matter.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct tvmq_json {
  const char *at, *end;
  bool failed;  // it is no JSON, or not what was expected: nothing more is read
};

// An object or an array: begins with the bracket; then its members, as long as tvmq_json_next finds one before the closing bracket; it counts them in *n.
bool tvmq_json_begin(struct tvmq_json *json, char bracket);
bool tvmq_json_next(struct tvmq_json *json, char bracket, size_t *n);

// The name of a member and its colon; a value. A string that has no room, with its NUL, is a failure, and so is one with a NUL inside.
bool tvmq_json_key(struct tvmq_json *json, char *room, size_t size);
bool tvmq_json_string(struct tvmq_json *json, char *room, size_t size);
bool tvmq_json_number(struct tvmq_json *json, double *number);
bool tvmq_json_bool(struct tvmq_json *json, bool *value);
bool tvmq_json_skip(struct tvmq_json *json);  // any value

// Whether all has been read, without a failure.
bool tvmq_json_done(struct tvmq_json *json);
