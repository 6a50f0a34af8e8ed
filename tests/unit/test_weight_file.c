// Files of packed weights give back what was written, and nothing once a byte of it is another, the end is missing, or somebody else may have written it.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "packing/packed.h"
#include "packing/weight_file.h"
#include "unit.h"

enum { N = 3, MOST = 1 << 16 };

static char folder[] = "/tmp/tvmq-weights-XXXXXX", path[sizeof folder + 16];
static struct tvmq_hasher hasher;
static const size_t sizes[N] = {64, 1, 5000};

static struct tvmq_packed *make(size_t i) {
  struct tvmq_packed *packed = tvmq_packed_create(sizes[i], NULL);
  memset(packed->memory, (int)(i + 1), sizes[i]);
  packed->invariants = (uint32_t)i + 1;
  return tvmq_packed_share(packed, &(struct tvmq_key){{1000 - i, i}});
}

// Writes the weights of the given numbers.
static void put(size_t first, size_t end) {
  struct tvmq_packed *list[N] = {0};
  for (size_t i = first; i < end; i++) list[i - first] = make(i);
  CHECK_STRING(tvmq_weight_file_write(path, &hasher, list, end - first), NULL, "written");
  for (size_t i = first; i < end; i++) tvmq_packed_release(list[i - first]);
}

static bool has(const struct tvmq_weight_file *file, size_t i) {
  struct tvmq_weights weights;
  if (!tvmq_weight_file_find(file, &(struct tvmq_key){{1000 - i, i}}, &weights)) return false;
  bool right = weights.bytes == sizes[i] && weights.invariants == i + 1 && (uintptr_t)weights.data % TVMQ_WEIGHT_ALIGNMENT == 0;
  for (size_t k = 0; right && k < sizes[i]; k++) right = weights.data[k] == i + 1;
  CHECK(right, "weights %zu are others than were written", i);
  return true;
}

static size_t count(const struct tvmq_weight_file *file) {
  size_t n = 0;
  for (size_t i = 0; i < N; i++) n += has(file, i);
  return n;
}

static void check_round_trip(void) {
  const char *why;
  CHECK(tvmq_weight_file_open(path, &why) == NULL && why == NULL, "there is none yet");
  put(0, 2);
  put(2, N);  // keeps what was there
  struct tvmq_weight_file *file = tvmq_weight_file_open(path, &why);
  if (!CHECK(file != NULL, "%s", why)) return;
  CHECK(memcmp(tvmq_weight_file_hasher(file)->seed, hasher.seed, sizeof hasher.seed) == 0, "seed");
  CHECK(count(file) == N && !tvmq_weight_file_has(file, &(struct tvmq_key){{1, 1}}), "all, and no others");
  // Weights of the file live as long as somebody uses them, whatever becomes of the file.
  const struct tvmq_key key = {{1000, 0}};
  struct tvmq_packed *packed = tvmq_packed_find(&key, sizes[0], file);
  CHECK(packed != NULL && packed->memory == NULL && packed->invariants == 1, "found in the file");
  CHECK(tvmq_packed_find(&key, sizes[0] + 1, file) == NULL, "of another size");
  put(0, 1);
  tvmq_weight_file_release(file);
  unlink(path);
  CHECK(packed->panels[0] == 1 && packed->panels[sizes[0] - 1] == 1, "still there");
  tvmq_packed_release(packed);
}

// Two hashers: the file of the first stays.
static void check_other_keys(void) {
  const struct tvmq_hasher first = hasher;
  put(0, 1);
  tvmq_hasher_init(&hasher, (uint64_t[]){8, 9});
  put(1, 2);
  hasher = first;
  const char *why;
  struct tvmq_weight_file *file = tvmq_weight_file_open(path, &why);
  CHECK(file != NULL && count(file) == 1 && has(file, 0), "%s", why != NULL ? why : "");
  tvmq_weight_file_release(file);
  unlink(path);
}

static size_t read_file(uint8_t *bytes) {
  const int descriptor = open(path, O_RDONLY);
  const ssize_t n = read(descriptor, bytes, MOST);
  close(descriptor);
  return n > 0 ? (size_t)n : 0;
}

// Every byte, every length.
static void check_damage(void) {
  _Alignas(64) static uint8_t bytes[MOST], copy[MOST];
  put(0, N);
  const size_t n = read_file(bytes), entries = sizeof(struct tvmq_weight_header) + N * sizeof(struct tvmq_weight_entry);
  const char *why;
  CHECK(n > entries, "%zu bytes", n);
  for (size_t i = 0; i < n; i++) {
    memcpy(copy, bytes, n);
    copy[i] ^= (uint8_t)(1 << i % 8);
    struct tvmq_weight_file *file = tvmq_weight_file_in(copy, n, &why);
    CHECK((file == NULL) == (i < entries), "byte %zu of %zu: %s", i, n, file == NULL ? why : "opens");
    if (file != NULL) CHECK(count(file) + 1 >= N, "byte %zu of %zu: one is lost at most", i, n);
    tvmq_weight_file_release(file);
  }
  for (size_t length = 0; length < n; length += length < entries ? 1 : 7) {
    struct tvmq_weight_file *file = tvmq_weight_file_in(bytes, length, &why);
    CHECK(file == NULL && why != NULL, "%zu of %zu bytes", length, n);
  }
}

static bool opens(const char *reason) {
  const char *why;
  struct tvmq_weight_file *file = tvmq_weight_file_open(path, &why);
  if (file == NULL) CHECK_STRING(why, reason, "reason");
  tvmq_weight_file_release(file);
  return file != NULL;
}

static void check_trust(void) {
  put(0, N);
  CHECK(opens(NULL), "mine");
  chmod(path, 0620);
  CHECK(!opens("other users may write to it"), "written by others");
  chmod(path, 0600);
  if (geteuid() == 0 && chown(path, 1, (gid_t)-1) == 0) CHECK(!opens("it belongs to another user"), "another's");
  unlink(path);
  CHECK(mkfifo(path, 0600) == 0 && !opens("it is not a regular file"), "nobody writes to the pipe");
  unlink(path);
  CHECK(mkdir(path, 0700) == 0 && !opens("it is not a regular file"), "a folder");
  CHECK_STRING(tvmq_weight_file_write(path, &hasher, NULL, 0), "it is not a regular file", "which is not replaced");
  rmdir(path);
  CHECK(symlink(path, path) == 0 && !opens("it cannot be opened"), "a circle");
  unlink(path);
  put(0, N);
  CHECK(truncate(path, 100) == 0 && !opens("it is incomplete"), "cut off");
  CHECK(truncate(path, 0) == 0 && !opens("it is not a file of packed weights"), "empty");
  put(0, N);
  CHECK(opens(NULL), "a damaged one is replaced");
  FILE *other = fopen(path, "w");
  CHECK(other != NULL && fputs("a model, maybe", other) > 0 && fclose(other) == 0, "another file");
  CHECK(tvmq_weight_file_write(path, &hasher, NULL, 0) != NULL && !opens("it is not a file of packed weights"), "which stays");
  CHECK(tvmq_weight_file_write("/dev/null", &hasher, NULL, 0) != NULL, "a device stays");
  unlink(path);
  CHECK_STRING(tvmq_weight_file_write("/nowhere/at/all", &hasher, NULL, 0), "its folder does not exist", "no such folder");
}

// Processes that write and read at once: whoever reads has a whole file.
static void check_processes(void) {
  enum { PROCESSES = 3, ROUNDS = 60 };
  put(0, N);
  pid_t children[PROCESSES];
  for (int p = 0; p < PROCESSES; p++) {
    children[p] = fork();
    if (children[p] != 0) continue;
    const int failed = unit_failed;
    for (int i = 0; i < ROUNDS; i++) {
      const char *why;
      put((size_t)p, (size_t)p + 1);
      struct tvmq_weight_file *file = tvmq_weight_file_open(path, &why);
      CHECK(file != NULL && count(file) == N, "process %d: %s", p, why != NULL ? why : "weights are missing");
      tvmq_weight_file_release(file);
    }
    _exit(unit_failed - failed != 0);
  }
  for (int p = 0; p < PROCESSES; p++) {
    int status = -1;
    CHECK(children[p] > 0 && waitpid(children[p], &status, 0) == children[p] && status == 0, "process %d", p);
  }
  unlink(path);
}

static void check_failures(void) {
  put(0, 1);
  struct tvmq_packed *packed = make(1);
  bool written = false;
  for (size_t n = 1; !written && n < 20; n++) {
    const size_t live = tvmq_alloc_fail_at(n);
    const char *why = tvmq_weight_file_write(path, &hasher, &packed, 1);
    CHECK(tvmq_alloc_fail_at(0) == live, "allocation %zu", n);
    written = why == NULL && n > 3;
    if (why != NULL) CHECK_STRING(why, "out of memory", "reason");
    CHECK(opens(NULL), "allocation %zu: the file is whole", n);
  }
  CHECK(written, "in the end it is written");
  tvmq_packed_release(packed);
  unlink(path);
}

int main(void) {
  if (!CHECK(mkdtemp(folder) != NULL, "a folder")) return unit_report();
  snprintf(path, sizeof path, "%s/weights", folder);
  tvmq_hasher_init(&hasher, (uint64_t[]){3, 4});
  const size_t live = tvmq_alloc_live();
  check_round_trip();
  check_other_keys();
  check_damage();
  unlink(path);
  check_trust();
  check_processes();
  check_failures();
  CHECK(rmdir(folder) == 0, "no temporary file is left");
  CHECK(tvmq_alloc_live() == live && tvmq_packed_shared() == 0, "no memory is left");
  return unit_report();
}
