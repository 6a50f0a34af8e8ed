// A verifying reader of FlatBuffers. The bytes are not trusted: every offset is checked against their end and for
// alignment before it is followed, and nothing is allocated.
//
// Readers need no error handling of their own: a malformed part reads as absent, and the first fault stays in `fault`
// for the end.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct tvmq_flatbuffer {
  const uint8_t *base;  // aligned to 4 bytes, if vectors are used in place
  size_t size;
  const char *fault;  // static string that names the first malformed part; NULL: none so far
};

// A table, whose own bytes and list of fields are verified. `at` is 0 if the table is absent.
struct tvmq_table {
  size_t at, fields;  // bytes from the start of the buffer
  uint16_t table_bytes, fields_bytes;
};

// A vector, or a string without its NUL. `data` is NULL if the vector is absent; else it has room for `n` elements.
struct tvmq_vector {
  const void *data;
  uint32_t n;
};

// Returns the root table of a buffer with this identifier of 4 characters.
struct tvmq_table tvmq_flatbuffer_root(struct tvmq_flatbuffer *buffer, const char *identifier);

// Return field number `field` of a table: a number of `bytes` bytes (1, 2, 4 or 8), extended without its sign, or
// `absent`; a table; a vector of elements of `bytes` bytes, or of offsets of tables (4 bytes); a string that ends with
// a NUL, or NULL.
uint64_t tvmq_table_number(struct tvmq_flatbuffer *buffer, const struct tvmq_table *table, size_t field, size_t bytes, uint64_t absent);
struct tvmq_table tvmq_table_table(struct tvmq_flatbuffer *buffer, const struct tvmq_table *table, size_t field);
struct tvmq_vector tvmq_table_vector(struct tvmq_flatbuffer *buffer, const struct tvmq_table *table, size_t field, size_t bytes);
const char *tvmq_table_string(struct tvmq_flatbuffer *buffer, const struct tvmq_table *table, size_t field);

// Returns table `index` of a vector of offsets. An index past the end is a fault.
struct tvmq_table tvmq_vector_table(struct tvmq_flatbuffer *buffer, const struct tvmq_vector *vector, uint32_t index);
