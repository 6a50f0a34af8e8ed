// Every call that touches a file fails, alone or with all after it, in a life with a machine file, tuning records and a cache of weights: there is a reason or
// a fallback, inferences are right, nothing leaks, no signal ends the process, and a file that is none of the delegate's stays as it is.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "cpu/plan/machine_file.h"
#include "cpu/plan/select.h"
#include "fake_network.h"
#include "kernels/variants.h"
#include "packing/weight_file.h"
#include "records/records.h"
#include "tvmq_delegate.h"
#include "unit.h"

// ---- calls that fail (linked with --wrap; glibc has two names of what knows large files)

enum how { NEVER, FROM, ONCE };

static enum how how;
static size_t n_calls, failing;
static int with;                // errno
static bool sips;               // reads and writes are short, and each other one is interrupted
static long descriptors, maps;  // that are open

static bool fails(void) {
  n_calls++;
  if (how == NEVER || (how == FROM ? n_calls < failing : n_calls != failing)) return false;
  errno = with;
  return true;
}

static void begin_failing(enum how when, size_t n, int number) {
  how = when;
  failing = n;
  with = number;
  n_calls = 0;
}

static size_t end_failing(void) {
  how = NEVER;
  return n_calls;
}

static int opened(int descriptor) {
  descriptors += descriptor >= 0;
  return descriptor;
}

#define WRAP(type, name, parameters, ...) \
  type __real_##name parameters;          \
  type __wrap_##name parameters;          \
  type __wrap_##name parameters { __VA_ARGS__ }

#define WRAP_OPEN(name) \
  WRAP(int, name, (const char *path, int flags, ...), return fails() ? -1 : opened(__real_##name(path, flags));)  // nothing here creates by open
WRAP_OPEN(open)
WRAP_OPEN(open64)
#define WRAP_FOPEN(name)                                           \
  WRAP(FILE *, name, (const char *path, const char *mode), {       \
    FILE *const file = fails() ? NULL : __real_##name(path, mode); \
    descriptors += file != NULL;                                   \
    return file;                                                   \
  })
WRAP_FOPEN(fopen)
WRAP_FOPEN(fopen64)
WRAP(int, mkostemp, (char *name, int flags), return fails() ? -1 : opened(__real_mkostemp(name, flags));)
WRAP(int, mkostemp64, (char *name, int flags), return fails() ? -1 : opened(__real_mkostemp64(name, flags));)
WRAP(int, fstat, (int descriptor, struct stat *about), return fails() ? -1 : __real_fstat(descriptor, about);)
WRAP(int, fstat64, (int descriptor, struct stat *about), return fails() ? -1 : __real_fstat64(descriptor, about);)
WRAP(int, stat, (const char *path, struct stat *about), return fails() ? -1 : __real_stat(path, about);)
WRAP(int, stat64, (const char *path, struct stat *about), return fails() ? -1 : __real_stat64(path, about);)
WRAP(int, rename, (const char *from, const char *to), return fails() ? -1 : __real_rename(from, to);)
WRAP(ssize_t, read, (int descriptor, void *data, size_t bytes), return fails() ? -1 : __real_read(descriptor, data, bytes);)

// A file that is too large comes with a signal.
WRAP(ssize_t, write, (int descriptor, const void *data, size_t bytes), {
  if (fails()) {
    if (with == EFBIG) raise(SIGXFSZ);
    errno = with;
    return -1;
  }
  if (sips && n_calls % 2 == 0) errno = EINTR;
  if (sips && n_calls % 2 == 0) return -1;
  return __real_write(descriptor, data, sips && bytes > 1 ? bytes / 2 : bytes);
})

// Closed it is all the same.
WRAP(int, close, (int descriptor), {
  descriptors--;
  const int closed = __real_close(descriptor);
  return fails() ? -1 : closed;
})
WRAP(int, fclose, (FILE * file), {
  descriptors--;
  const int closed = __real_fclose(file);
  return fails() ? EOF : closed;
})

#define WRAP_MMAP(name)                                                                                   \
  WRAP(void *, name, (void *at, size_t bytes, int protection, int flags, int descriptor, off_t offset), { \
    if (descriptor >= 0 && fails()) return MAP_FAILED;                                                    \
    void *const memory = __real_##name(at, bytes, protection, flags, descriptor, offset);                 \
    maps += descriptor >= 0 && memory != MAP_FAILED;                                                      \
    return memory;                                                                                        \
  })
WRAP_MMAP(mmap)
WRAP_MMAP(mmap64)
WRAP(int, munmap, (void *at, size_t bytes), {
  maps--;  // all that the delegate maps are files
  return __real_munmap(at, bytes);
})

// Half of what there is, then an error: a folder in the file's place cannot be read.
WRAP(size_t, fread, (void *data, size_t size, size_t n, FILE *file), {
  if (!fails()) return __real_fread(data, size, n, file);
  setvbuf(file, NULL, _IONBF, 0);
  struct stat about;
  const size_t half = __real_fstat(fileno(file), &about) == 0 ? (size_t)about.st_size / 2 : 0;
  const size_t got = __real_fread(data, size, half < n ? half : n, file);
  const int folder = __real_open("/", O_RDONLY | O_DIRECTORY);
  dup2(folder, fileno(file));
  __real_close(folder);
  return got + __real_fread((char *)data + got, size, n - got, file);
})

// ---- lives

enum { OUT = 4096 };

static char folder[] = "/tmp/tvmq-files-XXXXXX", machine[sizeof folder + 16], records[sizeof folder + 16], cache[sizeof folder + 16];

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0, "%s", path);
}

static bool holds(const char *path, const char *wanted) {
  char text[64] = "";
  FILE *file = fopen(path, "r");
  if (file == NULL) return false;
  const size_t n = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  return n == strlen(wanted) && memcmp(text, wanted, n) == 0;
}

static size_t n_files(void) {
  size_t n = 0;
  DIR *list = opendir(folder);
  while (list != NULL && readdir(list) != NULL) n++;
  if (list != NULL) closedir(list);
  return n - 2;  // . and ..
}

// Options but for the cache's; a delegate with `isa` packs weights that another's cache lacks.
static bool live(enum how when, size_t n, int number, const char *isa) {
  const size_t blocks = tvmq_alloc_live();
  const long open_before = descriptors, maps_before = maps;
  struct network network = network_create(true);
  begin_failing(when, n, number);
  TfLiteDelegate *delegate = network_delegate((const char *const[]){"machine", machine, "tuning_records", records, "weight_cache", cache, "isa", isa, NULL});
  if (delegate == NULL) {
    CHECK(strstr(network_message(), "option machine: ") != NULL, "call %zu: %s", n, network_message());
  } else {
    CHECK(fake_apply(network.graph, delegate) == kTfLiteOk && fake_allocate(network.graph) == kTfLiteOk, "call %zu: %s", n, network.fake->error);
    CHECK(tvmq_get_delegate(delegate)->claimed == 3, "call %zu: the graph is delegated whole", n);
  }
  int8_t got[OUT], wanted[OUT];
  const size_t size = network_run(&network, n, got, sizeof got);
  fake_destroy(network.fake);
  network_delegate_destroy(delegate);
  const bool failed = end_failing() >= n;
  CHECK(size > 0 && network_reference(true, NULL, n, wanted, sizeof wanted) == size && memcmp(got, wanted, size) == 0, "call %zu: outputs", n);
  CHECK(tvmq_alloc_live() == blocks, "call %zu: %zu blocks left", n, tvmq_alloc_live() - blocks);
  CHECK(descriptors == open_before && maps == maps_before, "call %zu: %ld files, %ld maps left", n, descriptors - open_before, maps - maps_before);
  return failed;
}

static void make_cache(const char *text) {
  unlink(cache);
  if (text != NULL) write_file(cache, text);
  if (text == NULL) live(NEVER, SIZE_MAX, 0, "c");
}

// `before`: what the cache's path holds before each life: "" nothing, NULL another instruction set's cache.
static void check_lives(enum how when, int number, const char *before) {
  size_t n = 1;
  for (bool failed = true; failed && n < 300; n++) {
    make_cache(before);
    if (before != NULL && before[0] == '\0') unlink(cache);
    failed = live(when, n, number, "auto");
    if (before != NULL && before[0] != '\0') CHECK(holds(cache, before), "call %zu: another file stays", n);
    CHECK(n_files() <= 3, "call %zu: a temporary file is left", n);
  }
  CHECK(n > 15 && n < 300, "%zu calls", n);
}

// RLIMIT_FSIZE of any size: the file is whole or not there.
static void check_limits(void) {
  struct rlimit before;
  if (!CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0, "the limit of files")) return;
  unlink(cache);
  live(NEVER, SIZE_MAX, 0, "auto");
  struct stat about;
  if (!CHECK(stat(cache, &about) == 0, "a file without a limit")) return;
  const rlim_t whole = (rlim_t)about.st_size, limits[] = {0, 1, whole / 2, whole - 1, whole};
  for (size_t i = 0; i < N_ELEMENTS(limits); i++) {
    unlink(cache);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){limits[i], before.rlim_max});
    live(NEVER, SIZE_MAX, 0, "auto");
    setrlimit(RLIMIT_FSIZE, &before);
    const bool written = stat(cache, &about) == 0;
    CHECK(written == (limits[i] == whole) && n_files() == (written ? 3 : 2), "limit %zu: %zu files", (size_t)limits[i], n_files());
  }
}

// A signal that the host has blocked and that was pending before stays pending, no other is, and the mask is what it was.
static void check_host_signals(void) {
  sigset_t blocked, mask, pending;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGPIPE);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_SETMASK, &blocked, NULL);
  for (int waits = 0; waits < 2; waits++) {
    if (waits) raise(SIGPIPE);
    unlink(cache);
    live(FROM, 1, EFBIG, "auto");
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    sigpending(&pending);
    CHECK(sigismember(&mask, SIGPIPE) && sigismember(&mask, SIGUSR1) && !sigismember(&mask, SIGXFSZ), "the mask, %d", waits);
    CHECK(sigismember(&pending, SIGPIPE) == waits && !sigismember(&pending, SIGXFSZ), "what is pending, %d", waits);
  }
  signal(SIGPIPE, SIG_IGN);  // which discards the pending one
  signal(SIGPIPE, SIG_DFL);
  sigemptyset(&blocked);
  pthread_sigmask(SIG_SETMASK, &blocked, NULL);
}

// A file that breaks off while it is read counts as not read at all.
static void check_records(void) {
  for (size_t n = 1;; n++) {
    struct tvmq_tuning_records found = {.cpu = "this one"};
    begin_failing(ONCE, n, EIO);
    const char *why = tvmq_tuning_records_read(&found, records);
    const bool failed = end_failing() >= n;
    CHECK(why == NULL || (found.n == 0 && found.taken == 0 && found.bad == 0), "call %zu: it cannot be read, but %zu records", n, found.n);
    CHECK(failed || (why == NULL && found.n == 2), "%zu records", found.n);
    tvmq_tuning_records_free(&found);
    if (!failed) break;
  }
}

// Short and interrupted writes are gone on with.
static void check_sips(void) {
  unlink(cache);
  sips = true;
  live(NEVER, SIZE_MAX, 0, "auto");
  sips = false;
  const char *why;
  size_t n = 0;
  struct tvmq_weights found;
  struct tvmq_weight_file *file = tvmq_weight_file_open(cache, &why);
  const struct tvmq_weight_entry *entries = file != NULL ? tvmq_weight_file_entries(file, &n) : NULL;
  CHECK(n >= 2, "%zu entries", n);
  for (size_t i = 0; i < n; i++) CHECK(tvmq_weight_file_find(file, &entries[i].key, &found), "entry %zu", i);
  tvmq_weight_file_release(file);
}

int main(void) {
  if (!CHECK(mkdtemp(folder) != NULL, "a folder")) return unit_report();
  snprintf(machine, sizeof machine, "%s/machine", folder);
  snprintf(records, sizeof records, "%s/records", folder);
  snprintf(cache, sizeof cache, "%s/cache", folder);
  static char text[1 << 15];
  struct tvmq_text written = {.at = text, .size = sizeof text};
  tvmq_machine_write(&tvmq_machines[0], &written);
  write_file(machine, text);
  written.length = 0;
  for (const char *task = "ab"; *task != '\0'; task++) {
    tvmq_say(&written,
             "{\"version\": 1, \"cpu\": \"this one\", \"in_order\": false, \"task\": \"ADD %c\", \"choice\": {\"algorithm\": \"im2col\", \"kernel\": \"%s\", "
             "\"flipped_copy\": false, \"rows\": 96, \"panels\": 2}, \"times_ns\": [150], \"default_times_ns\": [200], \"proven\": true}\n",
             *task, tvmq_variants[0].name);
  }
  write_file(records, text);

  check_records();
  static const char *const before[] = {"", "a model, maybe", NULL};
  for (size_t i = 0; i < N_ELEMENTS(before); i++) {
    check_lives(ONCE, EIO, before[i]);
    check_lives(ONCE, EFBIG, before[i]);
    check_lives(FROM, EACCES, before[i]);
    check_lives(FROM, ENOENT, before[i]);
  }
  check_sips();
  check_limits();
  check_host_signals();
  unlink(machine);
  unlink(records);
  unlink(cache);
  CHECK(rmdir(folder) == 0, "no temporary file is left");
  return unit_report();
}
