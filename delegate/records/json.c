#include "records/json.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/decimal.h"

enum { DEPTH = 16 };  // greatest nesting of objects and arrays

static bool fail_json(struct tvmq_json *json) {
  json->failed = true;
  json->at = json->end;
  return false;
}

static char peek(const struct tvmq_json *json) { return json->at < json->end ? *json->at : '\0'; }

static bool take_char(struct tvmq_json *json, char wanted) {
  if (json->at == json->end || *json->at != wanted) return false;
  json->at++;
  return true;
}

static void blanks(struct tvmq_json *json) {
  while (json->at < json->end && (*json->at == ' ' || *json->at == '\t' || *json->at == '\r' || *json->at == '\n')) json->at++;
}

// Consumes the character, which must come next; otherwise fails.
static bool expect(struct tvmq_json *json, char wanted) {
  blanks(json);
  return take_char(json, wanted) || fail_json(json);
}

static bool word(struct tvmq_json *json, const char *text) {
  const size_t n = strlen(text);
  if ((size_t)(json->end - json->at) < n || memcmp(json->at, text, n) != 0) return false;
  json->at += n;
  return true;
}

bool tvmq_json_begin(struct tvmq_json *json, char bracket) { return expect(json, bracket); }

bool tvmq_json_next(struct tvmq_json *json, char bracket, size_t *n) {
  blanks(json);
  if (json->failed || take_char(json, bracket)) return false;
  if (*n > 0 && !expect(json, ',')) return false;
  blanks(json);
  ++*n;
  return true;
}

bool tvmq_json_key(struct tvmq_json *json, char *room, size_t size) {
  blanks(json);
  return tvmq_json_string(json, room, size) && expect(json, ':');
}

// ---- strings

static int hex_digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1; }

// Reads the four digits after \u. Returns -1 if they are not all there.
static int32_t hex_word(struct tvmq_json *json) {
  int32_t value = 0;
  for (int i = 0; i < 4; i++) {
    const int digit = hex_digit(peek(json));
    if (digit < 0) return -1;
    value = value << 4 | digit;
    json->at++;
  }
  return value;
}

// Reads the character after \u, or a surrogate pair. Returns -1 if there is none.
static int32_t unicode(struct tvmq_json *json) {
  const int32_t first = hex_word(json);
  if (first < 0xd800 || first > 0xdfff) return first;
  if (first > 0xdbff || !take_char(json, '\\') || !take_char(json, 'u')) return -1;
  const int32_t second = hex_word(json);
  return second >= 0xdc00 && second <= 0xdfff ? 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00) : -1;
}

// Encodes a character as UTF-8. Returns the number of bytes.
static size_t encode(int32_t character, char bytes[4]) {
  const size_t n = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
  static const uint8_t marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
  for (size_t i = n; i-- > 1; character >>= 6) bytes[i] = (char)(0x80 | (character & 0x3f));
  bytes[0] = (char)(marks[n] | character);
  return n;
}

// Reads the next character, escaped or not, as UTF-8. Returns the number of bytes, or 0 if there is none.
static size_t character(struct tvmq_json *json, char bytes[4]) {
  static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  const char c = peek(json);
  if ((unsigned char)c < 0x20) return 0;
  json->at++;
  bytes[0] = c;
  if (c != '\\') return 1;
  if (take_char(json, 'u')) {
    const int32_t value = unicode(json);
    return value > 0 ? encode(value, bytes) : 0;
  }
  const char *escape = json->at < json->end && *json->at != '\0' ? strchr(escapes, *json->at) : NULL;
  if (escape == NULL) return 0;
  json->at++;
  bytes[0] = meanings[escape - escapes];
  return 1;
}

// Reads a string into `room`, or skips it if `room` is NULL.
static bool read_string(struct tvmq_json *json, char *room, size_t size) {
  size_t length = 0;
  if (!take_char(json, '"')) return fail_json(json);
  while (!take_char(json, '"')) {
    char bytes[4];
    const size_t n = character(json, bytes);
    if (n == 0 || (room != NULL && length + n >= size)) return fail_json(json);
    if (room != NULL) memcpy(room + length, bytes, n);
    length += n;
  }
  if (room != NULL) room[length] = '\0';
  return true;
}

bool tvmq_json_string(struct tvmq_json *json, char *room, size_t size) {
  blanks(json);
  return read_string(json, room, size);
}

// ---- numbers and words

bool tvmq_json_number(struct tvmq_json *json, double *number) {
  blanks(json);
  const bool negative = take_char(json, '-'), zero = peek(json) == '0';
  const char *first = json->at, *behind = tvmq_decimal_read(first, json->end, number);
  if (behind == NULL || !isfinite(*number) || (zero && behind - first > 1 && first[1] >= '0' && first[1] <= '9')) return fail_json(json);
  json->at = behind;
  if (negative) *number = -*number;
  return true;
}

bool tvmq_json_bool(struct tvmq_json *json, bool *value) {
  blanks(json);
  *value = word(json, "true");
  return *value || word(json, "false") || fail_json(json);
}

static bool skip_value(struct tvmq_json *json, int depth) {
  double number;
  size_t n = 0;
  blanks(json);
  const char c = peek(json), close = c == '{' ? '}' : ']';
  if (c == '"') return read_string(json, NULL, 0);
  if (c != '{' && c != '[') return word(json, "null") || word(json, "true") || word(json, "false") || tvmq_json_number(json, &number);
  if (depth == DEPTH) return fail_json(json);
  json->at++;
  while (tvmq_json_next(json, close, &n)) {
    if (c == '{' && (!read_string(json, NULL, 0) || !expect(json, ':'))) return false;
    if (!skip_value(json, depth + 1)) return false;
  }
  return !json->failed;
}

bool tvmq_json_skip(struct tvmq_json *json) { return skip_value(json, 0); }

bool tvmq_json_done(struct tvmq_json *json) {
  blanks(json);
  return !json->failed && json->at == json->end;
}
