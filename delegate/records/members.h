// Objects of JSON read into structures: a table says which members there are, how each is read, and where it goes.
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
  size_t offset, size;  // of the field in the object
  bool optional;
};

enum { TVMQ_MEMBER_NAME = 64 };  // bytes; longer names are a failure

// Members that the table does not have are skipped; each that it has must be there once, or not at all where it is optional. False: it is no such object.
bool tvmq_read_members(struct tvmq_json *json, const struct tvmq_member *members, size_t n, void *object);

// Readers of a char[size], a double and a bool.
bool tvmq_read_text(struct tvmq_json *json, const struct tvmq_member *member, void *object);
bool tvmq_read_number(struct tvmq_json *json, const struct tvmq_member *member, void *object);
bool tvmq_read_truth(struct tvmq_json *json, const struct tvmq_member *member, void *object);

// A choice as records and plans have it: names and numbers. A member is a struct tvmq_choice_text.
struct tvmq_choice_text {
  char way[160], kernel[160];
  bool flipped_copy;
  double rows, panels;
};
bool tvmq_read_choice(struct tvmq_json *json, const struct tvmq_member *member, void *object);

// Whether its numbers are such as blocks have; and the choice, where this library knows its names: else false.
bool tvmq_choice_sane(const struct tvmq_choice_text *text);
bool tvmq_choice_known(const struct tvmq_choice_text *text, struct tvmq_choice *choice);
