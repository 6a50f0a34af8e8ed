// Packed weights have users, whoever asks first or last, in one thread or several; and go with the last of them.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "packing/packed.h"
#include "unit.h"

enum { BYTES = 256, THREADS = 4, ROUNDS = 2000, KEYS = 3 };

static struct tvmq_key key_of(uint64_t number) { return (struct tvmq_key){{number, ~number}}; }

// As an operator comes by its weights, whose bytes are the key's number.
static struct tvmq_packed *get(uint64_t number, bool *found) {
  const struct tvmq_key key = key_of(number);
  struct tvmq_packed *packed = tvmq_packed_find(&key, BYTES, NULL);
  *found = packed != NULL;
  if (packed != NULL) return packed;
  packed = tvmq_packed_create(BYTES, NULL);
  if (packed == NULL) return NULL;
  memset(packed->memory, (int)number, BYTES);
  packed->invariants = (uint32_t)number;
  return tvmq_packed_share(packed, &key);
}

static bool is_right(const struct tvmq_packed *packed, uint64_t number) {
  for (size_t i = 0; i < BYTES; i++) {
    if (packed->panels[i] != (uint8_t)number) return false;
  }
  return packed->invariants == number && packed->bytes == BYTES;
}

static void check_users(void) {
  const size_t live = tvmq_alloc_live();
  for (int order = 0; order < 2; order++) {
    bool found;
    struct tvmq_packed *a = get(1, &found);
    CHECK(a != NULL && !found && tvmq_packed_shared() == 1, "the first packs");
    struct tvmq_packed *b = get(1, &found), *c = get(2, &found);
    CHECK(b == a && c != a && !found && tvmq_packed_shared() == 2, "the second does not, unless its weights are others");
    tvmq_packed_release(order == 0 ? a : b);
    CHECK(is_right(a, 1) && tvmq_packed_shared() == 2, "one user is left");
    tvmq_packed_keep(c);
    tvmq_packed_release(order == 0 ? b : a);
    tvmq_packed_release(c);
    CHECK(is_right(c, 2) && tvmq_packed_shared() == 1, "who keeps weights has them");
    tvmq_packed_release(c);
    CHECK(tvmq_packed_shared() == 0 && tvmq_alloc_live() == live, "nothing is left");
  }
  tvmq_packed_release(NULL);
}

// Weights of one key but another size are not what is asked for.
static void check_sizes(void) {
  bool found;
  const struct tvmq_key key = key_of(5);
  struct tvmq_packed *a = get(5, &found), *b = tvmq_packed_create(BYTES / 2, NULL);
  CHECK(tvmq_packed_find(&key, BYTES / 2, NULL) == NULL, "of another size");
  CHECK(tvmq_packed_share(b, &key) == b && !b->is_shared && tvmq_packed_shared() == 1, "to each their own");
  tvmq_packed_release(b);
  tvmq_packed_release(a);
  CHECK(tvmq_packed_shared() == 0, "none left");
}

static void check_failures(void) {
  for (size_t n = 1; n <= 2; n++) {
    const size_t live = tvmq_alloc_fail_at(n);
    bool found;
    CHECK(get(1, &found) == NULL && tvmq_packed_shared() == 0, "allocation %zu fails", n);
    CHECK(tvmq_alloc_fail_at(0) == live, "allocation %zu", n);
  }
}

static void *work(void *wrong) {
  for (uint64_t i = 0; i < ROUNDS; i++) {
    bool found;
    struct tvmq_packed *packed = get(1 + i % KEYS, &found);
    if (packed == NULL || !is_right(packed, 1 + i % KEYS)) ++*(int *)wrong;
    tvmq_packed_release(packed);
  }
  return NULL;
}

static void check_threads(void) {
  const size_t live = tvmq_alloc_live();
  pthread_t threads[THREADS];
  int wrong[THREADS] = {0};
  for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, work, &wrong[i]) == 0, "thread %d", i);
  for (int i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0 && wrong[i] == 0, "thread %d: %d wrong", i, wrong[i]);
  CHECK(tvmq_packed_shared() == 0 && tvmq_alloc_live() == live, "nothing is left");
}

static void check_fork(void) {
  bool found;
  struct tvmq_packed *packed = get(7, &found);
  const pid_t child = fork();
  if (child == 0) {
    struct tvmq_packed *own = get(7, &found);
    _exit(found && own == packed && is_right(own, 7) ? 0 : 1);
  }
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0, "a child has the weights too");
  tvmq_packed_release(packed);
}

int main(void) {
  check_users();
  check_sizes();
  check_failures();
  check_fork();
  check_threads();
  return unit_report();
}
