// A memo gives what was kept for a key and nothing else, forgets the oldest, and serves threads at the same time.
#include <pthread.h>

#include "base/memo.h"
#include "unit.h"

enum { MOST = 8, ROUNDS = 20000 };

struct key {
  uint64_t number;
};
struct value {
  uint64_t square;
};

TVMQ_MEMO(memo, struct key, struct value, MOST);
TVMQ_MEMO(shared, struct key, struct value, MOST);

static bool ask(struct tvmq_memo *of, uint64_t number, uint64_t *square) {
  struct value value;
  const bool found = tvmq_memo_find(of, &(struct key){number}, &value);
  if (found) *square = value.square;
  return found;
}

static void keep(struct tvmq_memo *of, uint64_t number) { tvmq_memo_keep(of, &(struct key){number}, &(struct value){number * number}); }

static void *work(void *wrong) {
  for (uint64_t i = 0; i < ROUNDS; i++) {
    uint64_t square;
    if (ask(&shared, i % (2 * MOST), &square) && square != i % (2 * MOST) * (i % (2 * MOST))) ++*(int *)wrong;
    keep(&shared, i % (2 * MOST));
  }
  return NULL;
}

static bool is_square(const void *value) {
  uint64_t square;
  memcpy(&square, value, sizeof square);
  return square % 2 == 0;
}

// Results as bytes, of which only sound ones come back.
static void check_bytes(void) {
  enum { ENTRY = sizeof(struct key) + sizeof(struct value) };
  TVMQ_MEMO(from, struct key, struct value, MOST);
  TVMQ_MEMO(to, struct key, struct value, MOST);
  uint8_t bytes[MOST * ENTRY];
  CHECK(tvmq_memo_save(&from, bytes, sizeof bytes) == 0, "nothing yet");
  for (uint64_t i = 1; i <= 4; i++) keep(&from, i);
  CHECK(tvmq_memo_save(&from, NULL, 0) == 4 * ENTRY, "how many");
  CHECK(tvmq_memo_save(&from, bytes, 2 * ENTRY + 1) == 4 * ENTRY, "more than there is room for");
  CHECK(tvmq_memo_save(&from, bytes, sizeof bytes) == 4 * ENTRY, "all");
  tvmq_memo_load(&to, bytes, 4 * ENTRY - 1, is_square);
  uint64_t square;
  for (uint64_t i = 1; i <= 4; i++) CHECK(ask(&to, i, &square) == (i == 2), "%d: the first three, of these the even one", (int)i);
}

int main(void) {
  check_bytes();
  uint64_t square = 0;
  for (uint64_t i = 1; i <= 3 * MOST; i++) {
    CHECK(!ask(&memo, i, &square), "%d before it is kept", (int)i);
    keep(&memo, i);
    keep(&memo, i);  // once is enough
    for (uint64_t j = 1; j <= i; j++) {
      const bool found = ask(&memo, j, &square);
      CHECK(found == (j + MOST > i) && (!found || square == j * j), "%d of %d", (int)j, (int)i);
    }
  }
  pthread_t threads[2];
  int wrong[2] = {0};
  for (int i = 0; i < 2; i++) CHECK(pthread_create(&threads[i], NULL, work, &wrong[i]) == 0, "thread %d", i);
  for (int i = 0; i < 2; i++) CHECK(pthread_join(threads[i], NULL) == 0 && wrong[i] == 0, "thread %d: %d wrong", i, wrong[i]);
  return unit_report();
}
