// Reads JSON objects into structures. A table lists the members: how each is read and where it is stored.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cpu/plan/choice.h"
#include "records/json.h"

struct tvmq_member;

// Reads the value of a member into the object.
typedef bool (*tvmq_member_read)(struct tvmq_json *json, const struct tvmq_member *member, void *object);

struct tvmq_member {
  const char *name;
  tvmq_member_read read;
  size_t offset, size;  // place of the field in the object, in bytes
  bool optional;
};

enum { TVMQ_MEMBER_NAME = 64 };  // bytes; longer names fail

// Reads an object. Skips members that are not in the table. Returns false if the object is malformed, a member appears
// twice, or a member is missing and not optional.
bool tvmq_read_members(struct tvmq_json *json, const struct tvmq_member *members, size_t n, void *object);

// Read a char[size], a double and a bool.
bool tvmq_read_text(struct tvmq_json *json, const struct tvmq_member *member, void *object);
bool tvmq_read_number(struct tvmq_json *json, const struct tvmq_member *member, void *object);
bool tvmq_read_truth(struct tvmq_json *json, const struct tvmq_member *member, void *object);

// A choice as names and numbers, the form that records and plans contain. tvmq_read_choice reads it from a member.
struct tvmq_choice_text {
  char algorithm[160], kernel[160];
  bool flipped_copy;
  double rows, panels;
};
bool tvmq_read_choice(struct tvmq_json *json, const struct tvmq_member *member, void *object);

// `sane` returns whether the numbers are possible block sizes. `known` converts the text to a choice, and returns false
// if this library does not know its names.
bool tvmq_choice_sane(const struct tvmq_choice_text *text);
bool tvmq_choice_known(const struct tvmq_choice_text *text, struct tvmq_choice *choice);
