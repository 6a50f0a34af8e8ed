// A buffer whose every part is verified: numbers, tables, vectors and strings are found where they are sound, and each
// kind of damage is named.
#include "base/flatbuffer.h"
#include "unit.h"

// Root table with a byte (field 0), a string (1), a vector of two tables (2); field 3 is not set. Both tables are one.
enum { SIZE = 84, ROOT = 24, FIELDS = 12, STRING = 44, VECTOR = 56, TABLE = 76 };

static uint32_t words[SIZE / 4];
static uint8_t *const bytes = (uint8_t *)words;

static void put16(size_t at, unsigned value) { memcpy(bytes + at, &(uint16_t){(uint16_t)value}, 2); }
static void put32(size_t at, uint32_t value) { memcpy(bytes + at, &value, 4); }

static struct tvmq_flatbuffer make(void) {
  memset(words, 0, sizeof words);
  put32(0, ROOT);
  memcpy(bytes + 4, "TEST", 4);
  put16(FIELDS, 4 + 4 * 2);
  put16(FIELDS + 2, 16);
  put16(FIELDS + 4, 4);
  put16(FIELDS + 6, 8);
  put16(FIELDS + 8, 12);
  put32(ROOT, ROOT - FIELDS);
  bytes[ROOT + 4] = 7;
  put32(ROOT + 8, STRING - ROOT - 8);
  put32(ROOT + 12, VECTOR - ROOT - 12);
  put32(STRING, 5);
  memcpy(bytes + STRING + 4, "hello", 6);
  put32(VECTOR, 2);
  put32(VECTOR + 4, TABLE - VECTOR - 4);
  put32(VECTOR + 8, TABLE - VECTOR - 8);
  put16(68, 6);
  put16(70, 8);
  put16(72, 4);
  put32(TABLE, TABLE - 68);
  put32(TABLE + 4, 0xfedcba98);
  return (struct tvmq_flatbuffer){.base = bytes, .size = SIZE};
}

// Reads everything. Returns the first fault, or NULL.
static const char *read_all(struct tvmq_flatbuffer *buffer) {
  const struct tvmq_table root = tvmq_flatbuffer_root(buffer, "TEST");
  const struct tvmq_vector tables = tvmq_table_vector(buffer, &root, 2, 4);
  const char *string = tvmq_table_string(buffer, &root, 1);
  const uint64_t number = tvmq_table_number(buffer, &root, 0, 1, 9);
  for (uint32_t i = 0; i < tables.n; i++) {
    const struct tvmq_table table = tvmq_vector_table(buffer, &tables, i);
    const uint64_t inner = tvmq_table_number(buffer, &table, 0, 4, 0);
    if (buffer->fault == NULL) CHECK(inner == 0xfedcba98, "a number of a table of a vector: %llx", (unsigned long long)inner);
  }
  if (buffer->fault == NULL) CHECK(number == 7 && string != NULL && strcmp(string, "hello") == 0 && tables.n == 2, "what was written");
  return buffer->fault;
}

static void check_absent(void) {
  struct tvmq_flatbuffer buffer = make();
  const struct tvmq_table root = tvmq_flatbuffer_root(&buffer, "TEST"), none = tvmq_table_table(&buffer, &root, 3);
  CHECK(none.at == 0 && tvmq_table_number(&buffer, &none, 0, 4, 5) == 5, "an absent table has absent fields");
  CHECK(tvmq_table_vector(&buffer, &root, 40, 4).data == NULL && tvmq_table_string(&buffer, &root, 3) == NULL, "absent vectors");
  CHECK_STRING(buffer.fault, NULL, "what is absent is no fault");
  const struct tvmq_vector tables = tvmq_table_vector(&buffer, &root, 2, 4);
  CHECK(tvmq_vector_table(&buffer, &tables, 2).at == 0, "a table past the end");
  CHECK_STRING(buffer.fault, "the index of a table is out of range", "a table past the end");
}

static void check_faults(void) {
  static const struct {
    size_t at;
    uint32_t word;
    const char *fault;
  } faults[] = {
      {4, 0x54534555, "the file has the wrong identifier"},
      {0, 0, "an offset is 0"},
      {0, SIZE - 3, "an offset leads out of the file"},
      {0, 0xfffffff0, "an offset leads out of the file"},
      {0, ROOT + 2, "an offset leads to an address that is not aligned"},
      {ROOT, ROOT + 1, "the list of a table's fields lies outside the file or is not aligned"},
      {ROOT, (uint32_t)-SIZE, "the list of a table's fields lies outside the file or is not aligned"},
      {ROOT, 1, "the list of a table's fields lies outside the file or is not aligned"},
      {FIELDS, 0x0010000b, "a table or the list of its fields exceeds the file"},
      {FIELDS, 0x0010ff00, "a table or the list of its fields exceeds the file"},
      {FIELDS, 0xff00000c, "a table or the list of its fields exceeds the file"},
      {FIELDS + 4, 0x00080010, "a field exceeds its table"},
      {FIELDS + 4, 0x00090004, "a field is not aligned"},
      {ROOT + 8, SIZE, "an offset leads out of the file"},
      {STRING, 37, "a vector exceeds the file"},
      {STRING, 36, "a string has no end"},
      {STRING + 8, 0x6f6f6f6f, "a string has no end"},
      {VECTOR, 8, "a vector exceeds the file"},
      {VECTOR, 0xffffffff, "a vector exceeds the file"},
  };
  struct tvmq_flatbuffer buffer = make();
  CHECK_STRING(read_all(&buffer), NULL, "a sound buffer");
  for (size_t i = 0; i < N_ELEMENTS(faults); i++) {
    buffer = make();
    put32(faults[i].at, faults[i].word);
    char name[64];
    snprintf(name, sizeof name, "word %zu = %x", faults[i].at, faults[i].word);
    CHECK_STRING(read_all(&buffer), faults[i].fault, name);
  }
}

// Sanitizers watch what lies behind each prefix.
static void check_truncated(void) {
  for (size_t size = 0; size < SIZE; size++) {
    make();
    struct tvmq_flatbuffer buffer = {.base = bytes, .size = size};
    CHECK(read_all(&buffer) != NULL, "%zu bytes", size);
  }
}

int main(void) {
  check_absent();
  check_faults();
  check_truncated();
  return unit_report();
}
