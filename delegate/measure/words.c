#include "measure/words.h"

#include <string.h>

// Returns the end of the word that begins at `word`.
static const char *end_of(const char *word) { return word + strcspn(word, " "); }

static const char *next_of(const char *word) {
  const char *end = end_of(word);
  return *end == ' ' ? end + 1 : end;
}

// Returns the text after the name of a word, "=..." or nothing, or NULL if no word has this name. Skips the first word,
// the operator.
static const char *find_word(const char *signature, const char *name) {
  const size_t n = strlen(name);
  for (const char *word = next_of(signature); *word != '\0'; word = next_of(word)) {
    if (strncmp(word, name, n) == 0 && (word[n] == '=' || word[n] == ' ' || word[n] == '\0')) return word + n;
  }
  return NULL;
}

bool tvmq_word_there(const char *signature, const char *name) { return find_word(signature, name) != NULL; }

// Reads n numbers separated by commas, up to `close`.
static bool read_numbers(const char *at, int n, char close, int32_t *numbers) {
  for (int i = 0; i < n; i++) {
    int64_t value = 0;
    if (*at < '0' || *at > '9') return false;
    for (; *at >= '0' && *at <= '9'; at++) {
      value = value * 10 + (*at - '0');
      if (value > INT32_MAX) return false;
    }
    numbers[i] = (int32_t)value;
    if (i + 1 < n && *at++ != ',') return false;
  }
  if (close == ' ') return *at == ' ' || *at == '\0';
  return *at == close && (at[1] == ' ' || at[1] == '\0');
}

bool tvmq_word_numbers(const char *signature, const char *name, int n, int32_t *numbers) {
  const char *found = find_word(signature, name);
  return found != NULL && *found == '=' && read_numbers(found + 1, n, ' ', numbers);
}

bool tvmq_word_tensor(const char *signature, const char *name, enum tvmq_type *type, int n, int32_t *numbers) {
  const char *found = find_word(signature, name);
  if (found == NULL || *found != '=') return false;
  const size_t length = strcspn(++found, " [");
  for (*type = TVMQ_TYPE_S8; *type <= TVMQ_TYPE_F32; ++*type) {
    const char *name_of_type = tvmq_type_name(*type);
    if (strlen(name_of_type) != length || strncmp(found, name_of_type, length) != 0) continue;
    if (n == 0) return found[length] != '[';
    return found[length] == '[' && read_numbers(found + length + 1, n, ']', numbers);
  }
  return false;
}

bool tvmq_word_text(const char *signature, const char *name, char *text, size_t size) {
  const char *found = find_word(signature, name);
  if (found == NULL || *found != '=') return false;
  const size_t length = (size_t)(end_of(found + 1) - (found + 1));
  if (length >= size) return false;
  memcpy(text, found + 1, length);
  text[length] = '\0';
  return true;
}

// Returns the first word at or after `word` that describes the operator.
static const char *describing(const char *word) {
  static const char *const others[] = {"cpu=", "threads=", "rounding=", "winograd="};
  for (size_t i = 0; i < sizeof others / sizeof others[0];) {
    const bool other = strncmp(word, others[i], strlen(others[i])) == 0;
    if (other) word = next_of(word);
    i = other ? 0 : i + 1;
  }
  return word;
}

bool tvmq_same_operator(const char *a, const char *b) {
  for (a = describing(a), b = describing(b); *a != '\0' || *b != '\0'; a = describing(next_of(a)), b = describing(next_of(b))) {
    const size_t n = (size_t)(end_of(a) - a);
    if (n != (size_t)(end_of(b) - b) || strncmp(a, b, n) != 0) return false;
  }
  return true;
}
