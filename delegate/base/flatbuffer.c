// Little-endian numbers, as on every processor that the library is built for. Position 0 holds the root's offset, so it
// can stand for "absent".
#include "base/flatbuffer.h"

#include <stdbool.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are read as they lie in memory");

enum { OFFSET_BYTES = sizeof(uint32_t), ENTRY_BYTES = sizeof(uint16_t), FIRST_ENTRY = 2 * ENTRY_BYTES };

static size_t malformed(struct tvmq_flatbuffer *buffer, const char *fault) {
  if (buffer->fault == NULL) buffer->fault = fault;
  return 0;
}

// The caller has checked that the number lies within the buffer.
static uint64_t load(const struct tvmq_flatbuffer *buffer, size_t at, size_t bytes) {
  uint64_t value = 0;
  memcpy(&value, buffer->base + at, bytes);
  return value;
}

static bool holds(const struct tvmq_flatbuffer *buffer, size_t at, size_t bytes) { return at <= buffer->size && bytes <= buffer->size - at; }

// Returns the position that the offset at `at` refers to. At least `bytes` bytes follow it.
static size_t follow(struct tvmq_flatbuffer *buffer, size_t at, size_t bytes) {
  if (!holds(buffer, at, OFFSET_BYTES)) return malformed(buffer, "an offset exceeds the file");
  const size_t offset = (size_t)load(buffer, at, OFFSET_BYTES);
  if (offset == 0) return malformed(buffer, "an offset is 0");
  if (offset > buffer->size - at || !holds(buffer, at + offset, bytes)) return malformed(buffer, "an offset leads out of the file");
  return (at + offset) % OFFSET_BYTES == 0 ? at + offset : malformed(buffer, "an offset leads to an address that is not aligned");
}

// Verifies the table that the offset at `at` refers to.
static struct tvmq_table table_at(struct tvmq_flatbuffer *buffer, size_t at) {
  const struct tvmq_table absent = {0};
  struct tvmq_table table = {.at = follow(buffer, at, OFFSET_BYTES)};
  if (table.at == 0) return absent;
  const int64_t fields = (int64_t)table.at - (int32_t)load(buffer, table.at, OFFSET_BYTES);
  if (fields < 0 || fields % ENTRY_BYTES != 0 || !holds(buffer, (size_t)fields, FIRST_ENTRY)) {
    malformed(buffer, "the list of a table's fields lies outside the file or is not aligned");
    return absent;
  }
  table.fields = (size_t)fields;
  table.fields_bytes = (uint16_t)load(buffer, table.fields, ENTRY_BYTES);
  table.table_bytes = (uint16_t)load(buffer, table.fields + ENTRY_BYTES, ENTRY_BYTES);
  const bool sound = table.fields_bytes >= FIRST_ENTRY && table.fields_bytes % ENTRY_BYTES == 0 && holds(buffer, table.fields, table.fields_bytes) &&
                     table.table_bytes >= OFFSET_BYTES && holds(buffer, table.at, table.table_bytes);
  if (sound) return table;
  malformed(buffer, "a table or the list of its fields exceeds the file");
  return absent;
}

// Returns the position of a field of `bytes` bytes, or 0 if it is absent.
static size_t find_field(struct tvmq_flatbuffer *buffer, const struct tvmq_table *table, size_t field, size_t bytes) {
  const size_t entry = FIRST_ENTRY + field * ENTRY_BYTES;
  if (table->at == 0 || entry >= table->fields_bytes) return 0;
  const size_t offset = (size_t)load(buffer, table->fields + entry, ENTRY_BYTES);
  if (offset == 0) return 0;
  if (offset < OFFSET_BYTES || offset > table->table_bytes || bytes > table->table_bytes - offset) return malformed(buffer, "a field exceeds its table");
  return (table->at + offset) % bytes == 0 ? table->at + offset : malformed(buffer, "a field is not aligned");
}

struct tvmq_table tvmq_flatbuffer_root(struct tvmq_flatbuffer *buffer, const char *identifier) {
  const size_t length = strlen(identifier);
  if (!holds(buffer, OFFSET_BYTES, length) || memcmp(buffer->base + OFFSET_BYTES, identifier, length) != 0) {
    malformed(buffer, "the file has the wrong identifier");
    return (struct tvmq_table){0};
  }
  return table_at(buffer, 0);
}

uint64_t tvmq_table_number(struct tvmq_flatbuffer *buffer, const struct tvmq_table *table, size_t field, size_t bytes, uint64_t absent) {
  const size_t at = find_field(buffer, table, field, bytes);
  return at != 0 ? load(buffer, at, bytes) : absent;
}

struct tvmq_table tvmq_table_table(struct tvmq_flatbuffer *buffer, const struct tvmq_table *table, size_t field) {
  const size_t at = find_field(buffer, table, field, OFFSET_BYTES);
  return at != 0 ? table_at(buffer, at) : (struct tvmq_table){0};
}

struct tvmq_vector tvmq_table_vector(struct tvmq_flatbuffer *buffer, const struct tvmq_table *table, size_t field, size_t bytes) {
  const struct tvmq_vector absent = {0};
  const size_t at = find_field(buffer, table, field, OFFSET_BYTES), vector = at != 0 ? follow(buffer, at, OFFSET_BYTES) : 0;
  if (vector == 0) return absent;
  const struct tvmq_vector found = {buffer->base + vector + OFFSET_BYTES, (uint32_t)load(buffer, vector, OFFSET_BYTES)};
  if (found.n <= (buffer->size - vector - OFFSET_BYTES) / bytes) return found;
  malformed(buffer, "a vector exceeds the file");
  return absent;
}

const char *tvmq_table_string(struct tvmq_flatbuffer *buffer, const struct tvmq_table *table, size_t field) {
  const struct tvmq_vector characters = tvmq_table_vector(buffer, table, field, 1);
  const char *string = characters.data;
  if (string == NULL) return NULL;
  const size_t end = (size_t)((const uint8_t *)characters.data - buffer->base) + characters.n;
  if (end < buffer->size && string[characters.n] == '\0') return string;
  malformed(buffer, "a string has no end");
  return NULL;
}

struct tvmq_table tvmq_vector_table(struct tvmq_flatbuffer *buffer, const struct tvmq_vector *vector, uint32_t index) {
  if (index < vector->n) return table_at(buffer, (size_t)((const uint8_t *)vector->data - buffer->base) + (size_t)index * OFFSET_BYTES);
  malformed(buffer, "the index of a table is out of range");
  return (struct tvmq_table){0};
}
