// Text of unknown origin: printable ASCII whatever it holds, and no escape cut apart wherever the room ends.
#include <stdlib.h>

#include "base/text.h"
#include "unit.h"

static void check_bytes(void) {
  for (int byte = 1; byte < 256; byte++) {
    char room[8], wanted[8];
    struct tvmq_text text = {.at = room, .size = sizeof room};
    tvmq_say_escaped(&text, (const char[]){(char)byte, '\0'});
    const bool plain = byte >= ' ' && byte <= '~' && byte != '\\';
    snprintf(wanted, sizeof wanted, plain ? "%c" : "\\x%02x", (unsigned)byte);
    CHECK_STRING(room, wanted, "a byte");
    CHECK(text.length == strlen(wanted), "byte %d: a length of %zu", byte, text.length);
  }
}

// The output is the longest beginning of the whole that fits and cuts no escape apart.
static void check_ends(void) {
  static const char given[] = "ab\ncd\x1b[31m\\e";
  static const char whole[] = "ab\\x0acd\\x1b[31m\\x5ce";
  for (size_t size = 1; size <= sizeof whole + 2; size++) {
    char *room = malloc(size);
    if (!CHECK(room != NULL, "no memory")) return;
    room[0] = '\0';
    struct tvmq_text text = {.at = room, .size = size};
    tvmq_say_escaped(&text, given);
    const size_t length = strlen(room), next = whole[length] == '\\' ? 4 : 1;
    CHECK(length == text.length && strncmp(room, whole, length) == 0, "room of %zu: %s", size, room);
    CHECK(length == sizeof whole - 1 || length + next >= size, "room of %zu: %s could be longer", size, room);
    const char *escape = strrchr(room, '\\');
    CHECK(escape == NULL || strlen(escape) >= 4, "room of %zu: %s ends within an escape", size, room);
    free(room);
  }
}

int main(void) {
  check_bytes();
  check_ends();
  return unit_report();
}
