#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "cpu/cpu.h"
#include "cpu/threads/threads.h"
#include "processors.h"
#include "unit.h"

// ---- pthread_create, made to fail after `may_start` threads (linked with --wrap)

static atomic_int may_start = 1000000;
int __real_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
  if (atomic_fetch_sub(&may_start, 1) <= 0) return EAGAIN;
  return __real_pthread_create(id, attributes, start, argument);
}

// ---- a run that counts; nothing here is atomic, so that TSan sees a task that is done twice or not finished when the run ends

enum { MAX_TASKS = 3000, MAX_THREADS = 16 };

struct count {
  int n_threads;
  unsigned char done[MAX_TASKS];
  struct {
    size_t tasks, last;  // one more than the task that it did last
    char pad[64];
  } by_thread[MAX_THREADS];
  atomic_int bad;  // tasks of no thread, or with another previous task than the thread's
};

static void count_task(void *context, struct tvmq_task task) {
  struct count *count = context;
  const size_t last = task.thread < 0 || task.thread >= count->n_threads ? SIZE_MAX : count->by_thread[task.thread].last;
  if (last == SIZE_MAX || task.since != (last > 0 && task.index >= last ? task.index + 1 - last : 0)) {
    count->bad++;
    return;
  }
  count->done[task.index]++;
  count->by_thread[task.thread].tasks++;
  count->by_thread[task.thread].last = task.index + 1;
}

static bool run_and_count(struct tvmq_threads *threads, size_t n_tasks) {
  static _Thread_local struct count count;
  memset(&count, 0, sizeof count);
  count.n_threads = tvmq_threads_count(threads);
  tvmq_threads_run(threads, n_tasks, count_task, &count);
  size_t once = 0, sum = 0;
  for (size_t i = 0; i < MAX_TASKS; i++) once += count.done[i] == (i < n_tasks);
  for (int i = 0; i < MAX_THREADS; i++) sum += count.by_thread[i].tasks;
  return count.bad == 0 && once == MAX_TASKS && sum == n_tasks;
}

static void check_tasks(void) {
  static const int counts[] = {1, 2, 3, 4, 16};
  static const size_t tasks[] = {0, 1, 2, 3, 7, 64, MAX_TASKS};
  for (size_t i = 0; i < N_ELEMENTS(counts); i++) {
    struct tvmq_threads *threads = tvmq_threads_create(counts[i]);
    CHECK((threads == NULL) == (counts[i] == 1), "%d threads", counts[i]);
    CHECK(tvmq_threads_count(threads) == counts[i], "%d threads", counts[i]);
    for (size_t j = 0; j < N_ELEMENTS(tasks); j++) {
      for (int again = 0; again < 3; again++) CHECK(run_and_count(threads, tasks[j]), "%d threads, %zu tasks", counts[i], tasks[j]);
    }
    tvmq_threads_destroy(threads);
  }
}

// Many short runs, with and without pauses, so that workers are met spinning, falling asleep and sleeping.
static void check_stress(void) {
  for (int n = 2; n <= 8; n += 3) {
    struct tvmq_threads *threads = tvmq_threads_create(n);
    unsigned long long state = (unsigned long long)n;
    int wrong = 0;
    for (int i = 0; i < 3000; i++) {
      wrong += !run_and_count(threads, unit_random(&state) % 20);
      if (i % 64 == 0) {
        const struct timespec pause = {.tv_nsec = (long)(unit_random(&state) % 200000)};
        nanosleep(&pause, NULL);
      }
    }
    CHECK(wrong == 0, "%d threads: %d of 3000 runs", n, wrong);
    tvmq_threads_destroy(threads);
  }
}

// Pools that are destroyed before their workers have woken up.
static void check_lives(void) {
  int wrong = 0;
  const size_t live = tvmq_alloc_fail_at(0);
  for (int i = 0; i < 200; i++) {
    struct tvmq_threads *threads = tvmq_threads_create(2 + i % 3);
    if (i % 2 == 0) wrong += !run_and_count(threads, 5);
    tvmq_threads_destroy(threads);
  }
  CHECK(wrong == 0, "%d runs", wrong);
  CHECK(tvmq_alloc_fail_at(0) == live, "nothing left");
  tvmq_threads_destroy(NULL);
}

// As many shares as there are threads, more than there are tickets now and then, and few processors for them, so that workers are late.
static void check_late_workers(void) {
  enum { THREADS = 8 };
  unit_processors(THREADS);
  struct tvmq_threads *threads = tvmq_threads_create(THREADS);
  int wrong = 0;
  for (int i = 0; i < 20000; i++) wrong += !run_and_count(threads, i % 2 == 0 ? 2 : 2 * THREADS);
  CHECK(wrong == 0, "%d runs", wrong);
  tvmq_threads_destroy(threads);
  unit_processors(0);
}

struct caller {
  struct tvmq_threads *threads;
  int wrong;
};

static void *call_often(void *argument) {
  struct caller *caller = argument;
  for (size_t i = 0; i < 300; i++) caller->wrong += !run_and_count(caller->threads, i % 40);
  return NULL;
}

static void check_callers(void) {
  struct tvmq_threads *threads = tvmq_threads_create(3);
  struct caller callers[4];
  pthread_t ids[N_ELEMENTS(callers)];
  for (size_t i = 0; i < N_ELEMENTS(callers); i++) {
    callers[i] = (struct caller){threads, 0};
    pthread_create(&ids[i], NULL, call_often, &callers[i]);
  }
  for (size_t i = 0; i < N_ELEMENTS(callers); i++) {
    pthread_join(ids[i], NULL);
    CHECK(callers[i].wrong == 0, "caller %zu: %d runs", i, callers[i].wrong);
  }
  tvmq_threads_destroy(threads);
}

static void meet(void *context, struct tvmq_task task) {
  (void)task;
  atomic_int *arrived = context;
  atomic_fetch_add(arrived, 1);
  while (atomic_load(arrived) < 2) sched_yield();
}

// Two tasks that wait for each other end only if two threads work at the same time.
static void check_parallel(void) {
  if (tvmq_cpu_count() < 2) {
    printf("SKIPPED: two threads at the same time: there is one processor\n");
    return;
  }
  struct tvmq_threads *threads = tvmq_threads_create(2);
  for (int i = 0; i < 20; i++) {
    atomic_int arrived = 0;
    tvmq_threads_run(threads, 2, meet, &arrived);
    CHECK(arrived == 2, "run %d", i);
    if (i >= 10) {
      const struct timespec pause = {.tv_nsec = 1000000};  // long enough to fall asleep
      nanosleep(&pause, NULL);
    }
  }
  tvmq_threads_destroy(threads);
}

static void check_failures(void) {
  const size_t live = tvmq_alloc_fail_at(1);
  struct tvmq_threads *threads = tvmq_threads_create(4);
  tvmq_alloc_fail_at(0);
  CHECK(threads == NULL, "out of memory");
  CHECK(run_and_count(threads, 10), "on the caller");

  for (int started = 0; started < 3; started++) {
    atomic_store(&may_start, started);
    threads = tvmq_threads_create(5);
    atomic_store(&may_start, 1000000);
    CHECK((threads == NULL) == (started == 0), "%d started", started);
    CHECK(tvmq_threads_count(threads) == started + 1, "%d started", started);
    CHECK(run_and_count(threads, 50), "%d started", started);
    tvmq_threads_destroy(threads);
  }
  CHECK(tvmq_threads_create(0) == NULL && tvmq_threads_create(-3) == NULL, "no threads");
  CHECK(tvmq_alloc_fail_at(0) == live, "nothing left");
}

// ---- fork

static atomic_bool forking;

static void do_nothing(void *context, struct tvmq_task task) { (void)context, (void)task; }

// Allocates nothing meanwhile: a child may find ASan's allocator locked for ever.
static void *run_until_forked(void *sequence) {
  while (atomic_load(&forking)) tvmq_sequence_run(sequence, 0, 1);
  return NULL;
}

static int exit_status(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define SANITIZED_THREADS 1
#else
#define SANITIZED_THREADS 0
#endif

// TSan cannot follow threads that a child starts, and qemu's user emulation loses them.
static bool child_can_start_threads(void) { return !SANITIZED_THREADS && getenv("QEMU_CPU") == NULL; }

// The pool of a parent whose child runs it, and so on down.
static bool own_pool_works(void) {
  struct tvmq_threads *own = tvmq_threads_create(2);
  bool good = own != NULL && run_and_count(own, 100);
  const pid_t child = fork();
  if (child == 0) _exit(run_and_count(own, 100) ? 0 : 1);
  good &= exit_status(child) == 0;
  tvmq_threads_destroy(own);
  return good;
}

// A child has no workers, and a caller of its parent may have held the pool. It runs everything itself, can drop the pool and make its own.
static void check_fork(void) {
  struct tvmq_threads *threads = tvmq_threads_create(3);
  run_and_count(threads, 10);
  struct tvmq_sequence *sequence = tvmq_sequence_create(threads, &(struct tvmq_sequence_pass){20, do_nothing, NULL}, 1);
  if (!CHECK(sequence != NULL, "a sequence")) return;
  pthread_t other;
  atomic_store(&forking, true);
  pthread_create(&other, NULL, run_until_forked, sequence);
  nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);  // threads that are starting allocate
  for (int i = 0; i < 10; i++) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // a hang ends by a signal
      bool good = run_and_count(threads, 100);
      tvmq_threads_destroy(threads);
      if (child_can_start_threads()) good &= own_pool_works();
      _exit(good ? 0 : 1);
    }
    const int status = exit_status(child);
    if (!CHECK(status == 0, "child %d: status %#x", i, status)) break;
  }
  if (!child_can_start_threads()) printf("SKIPPED: a pool of the child's own: threads of a child are lost under TSan and qemu\n");
  atomic_store(&forking, false);
  pthread_join(other, NULL);
  tvmq_sequence_destroy(sequence);
  CHECK(run_and_count(threads, 100), "the parent goes on");
  tvmq_threads_destroy(threads);
}

// ---- cost

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void check_idle(void) {
  struct tvmq_threads *threads = tvmq_threads_create(4);
  run_and_count(threads, 10);
  const struct timespec settle = {.tv_nsec = 50000000}, pause = {.tv_nsec = 200000000};
  nanosleep(&settle, NULL);
  const double before = seconds(CLOCK_PROCESS_CPUTIME_ID);
  nanosleep(&pause, NULL);
  const double used = seconds(CLOCK_PROCESS_CPUTIME_ID) - before;
  CHECK(used < 0.05, "%.3f s of processor time in 0.2 s of rest", used);
  tvmq_threads_destroy(threads);
}

static void some_work(void *context, struct tvmq_task task) {
  (void)task;
  volatile unsigned *sink = context;
  unsigned x = 1;
  for (int i = 0; i < 1000; i++) x = x * 1664525 + 1013904223;
  if (x == 0) *sink = x;
}

// Runs must not wait for the scheduler when there are more threads than processors: a time slice of another thread each would be seconds of processor time.
static void check_too_many_threads(void) {
  const int n_runs = 1000;
  struct tvmq_threads *threads = tvmq_threads_create(MAX_THREADS);
  unsigned sink = 0;
  struct tvmq_sequence *sequence = tvmq_sequence_create(threads, &(struct tvmq_sequence_pass){2 * MAX_THREADS, some_work, &sink}, 1);
  const double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
  for (int i = 0; i < n_runs; i++) tvmq_sequence_run(sequence, 0, 1);
  const double used = seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
  tvmq_sequence_destroy(sequence);
  printf("%d threads: %.1f us of processor time per run\n", MAX_THREADS, used / n_runs * 1e6);
  CHECK(used < 8, "%.1f s of processor time for %d runs", used, n_runs);
  tvmq_threads_destroy(threads);
}

int main(void) {
  check_tasks();
  check_stress();
  check_lives();
  check_late_workers();
  check_callers();
  check_parallel();
  check_failures();
  check_fork();
  check_idle();
  check_too_many_threads();
  return unit_report();
}
