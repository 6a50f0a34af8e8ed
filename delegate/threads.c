// Waiting is by futex, so that waking costs one system call and only when somebody sleeps.
#define _GNU_SOURCE
#include "threads.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arith.h"
#include "clock.h"
#include "cpu.h"
#include "memory.h"

// `state` is this bit while the tiles of a run are handed out, plus the number of workers inside the run.
//
// A run never waits for a worker that has not come: the caller closes the run when the tiles are gone and waits only for those inside. So a worker that the
// system does not schedule, because there are more threads than processors, delays nobody.
enum { OPEN = 1 << 30, CALLER_SLEEPS = 1 << 29, INSIDE = CALLER_SLEEPS - 1 };

// How long to spin before sleeping: longer than what the runtime does between two operators of the delegate, much shorter than a scheduler's time slice.
enum { SPIN_NS = 150 * 1000, SPINS_PER_LOOK = 64 };

// Tiles that a thread takes before those of others: about the same part of each operator, so that what it reads is what it wrote and lies in its own cache.
struct share {
  _Alignas(64) _Atomic size_t next;
  size_t end;
};

struct worker {
  struct tvmq_threads *pool;
  pthread_t id;
  int thread;
  struct share share;
};

struct tvmq_threads {
  int n;                    // threads, the caller included
  size_t helpers;           // workers that can have a processor of their own
  unsigned forks;           // of the process when the pool was made
  pthread_mutex_t callers;  // held during a run

  // The run: written by the caller before `state` opens, read by workers that are inside.
  tvmq_tile_fn fn;
  void *context;
  size_t n_tiles;
  struct tvmq_trace *trace;  // NULL: not recorded

  // Each on a cache line of its own: workers that look for work must not slow down those that have some.
  struct share share;  // the caller's
  _Alignas(64) _Atomic uint32_t state;
  _Alignas(64) _Atomic uint32_t runs;  // counts runs; workers sleep on it
  _Atomic uint32_t sleepers;
  atomic_bool stop;

  _Alignas(64) struct worker workers[];
};

// Workers do not survive fork(): a child finds its pool older than itself and runs everything on the caller.
static atomic_uint forks;
static void count_fork(void) { atomic_fetch_add_explicit(&forks, 1, memory_order_relaxed); }
static void watch_forks(void) { pthread_atfork(NULL, NULL, count_fork); }

static bool forked(const struct tvmq_threads *threads) { return threads->forks != atomic_load_explicit(&forks, memory_order_relaxed); }

static void futex_wait(_Atomic uint32_t *word, uint32_t expected) { syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0); }
static void futex_wake(_Atomic uint32_t *word, int n) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0); }

static void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");  // yield is a no-op on most cores, isb waits a little
#endif
}

// Spins until `done(threads, seen)` or the time is over; returns whether it is done. Yields now and then: where processors are short, the one that spins may
// hold the very processor that the one it waits for needs.
static bool spin_until(struct tvmq_threads *threads, bool (*done)(struct tvmq_threads *, uint32_t), uint32_t seen) {
  if (done(threads, seen)) return true;
  const uint64_t end = tvmq_now_ns() + SPIN_NS;
  do {
    for (int i = 0; i < SPINS_PER_LOOK; i++) {
      if (done(threads, seen)) return true;
      relax();
    }
    sched_yield();
  } while (tvmq_now_ns() < end);
  return false;
}

static bool new_run(struct tvmq_threads *threads, uint32_t seen) { return atomic_load_explicit(&threads->runs, memory_order_acquire) != seen; }
static bool nobody_inside(struct tvmq_threads *threads, uint32_t unused) {
  (void)unused;
  return (atomic_load_explicit(&threads->state, memory_order_acquire) & INSIDE) == 0;
}

static struct share *share_of(struct tvmq_threads *threads, int thread) { return thread == 0 ? &threads->share : &threads->workers[thread - 1].share; }

// As many shares as threads can run at a time, all of about the same size.
static void set_shares(struct tvmq_threads *threads) {
  const size_t n = tvmq_min(threads->helpers + 1, (size_t)threads->n), size = threads->n_tiles / n, larger = threads->n_tiles % n;
  size_t begin = 0;
  for (int i = 0; i < threads->n; i++) {
    const size_t tiles = (size_t)i < n ? size + ((size_t)i < larger) : 0;
    struct share *share = share_of(threads, i);
    atomic_store_explicit(&share->next, begin, memory_order_relaxed);
    share->end = begin += tiles;
  }
}

// The tiles of a thread's own share, then what is left of the others'.
static void work(struct tvmq_threads *threads, int thread) {
  uint64_t start = threads->trace != NULL ? tvmq_now_ns() : 0;
  struct tvmq_tile tile = {.previous = SIZE_MAX, .thread = thread};
  for (int i = 0; i < threads->n; i++) {
    struct share *share = share_of(threads, (thread + i) % threads->n);
    for (;; tile.previous = tile.index) {
      tile.index = atomic_fetch_add_explicit(&share->next, 1, memory_order_relaxed);
      if (tile.index >= share->end) break;
      threads->fn(threads->context, tile);
      if (threads->trace == NULL) continue;
      const uint64_t end = tvmq_now_ns();
      tvmq_trace_add(threads->trace, thread, (int)tile.index, start, end);
      start = end;
    }
  }
}

static bool enter(struct tvmq_threads *threads) {
  uint32_t state = atomic_load_explicit(&threads->state, memory_order_relaxed);
  while ((state & OPEN) != 0) {
    if (atomic_compare_exchange_weak_explicit(&threads->state, &state, state + 1, memory_order_acquire, memory_order_relaxed)) return true;
  }
  return false;
}

static void leave(struct tvmq_threads *threads) {
  const uint32_t state = atomic_fetch_sub_explicit(&threads->state, 1, memory_order_release) - 1;
  if (state == CALLER_SLEEPS) futex_wake(&threads->state, 1);
}

static void *worker_main(void *argument) {
  const struct worker *worker = argument;
  struct tvmq_threads *threads = worker->pool;
  uint32_t seen = 0;
  while (!atomic_load_explicit(&threads->stop, memory_order_acquire)) {
    if (spin_until(threads, new_run, seen)) {
      seen = atomic_load_explicit(&threads->runs, memory_order_acquire);
      if (enter(threads)) {
        work(threads, worker->thread);
        leave(threads);
      }
    } else {
      // The caller counts the run, then looks for sleepers; here the other way round. So either it sees the sleeper or the kernel sees another count.
      atomic_fetch_add(&threads->sleepers, 1);
      futex_wait(&threads->runs, seen);
      atomic_fetch_sub(&threads->sleepers, 1);
    }
  }
  return NULL;
}

// Wakes no more workers than there are tiles and processors for: beside the caller and those that are awake, spinning or still at work.
static void call_workers(struct tvmq_threads *threads) {
  atomic_fetch_add(&threads->runs, 1);
  const size_t awake = (size_t)threads->n - 1 - atomic_load(&threads->sleepers), wanted = tvmq_min(threads->n_tiles - 1, threads->helpers);
  if (wanted > awake) futex_wake(&threads->runs, (int)(wanted - awake));
}

static void wait_for_workers(struct tvmq_threads *threads) {
  atomic_fetch_and_explicit(&threads->state, ~(uint32_t)OPEN, memory_order_relaxed);
  if (spin_until(threads, nobody_inside, 0)) return;
  uint32_t state = atomic_fetch_or_explicit(&threads->state, CALLER_SLEEPS, memory_order_acquire) | CALLER_SLEEPS;
  while ((state & INSIDE) != 0) {
    futex_wait(&threads->state, state);
    state = atomic_load_explicit(&threads->state, memory_order_acquire);
  }
}

static void run_alone(size_t n_tiles, tvmq_tile_fn fn, void *context) {
  for (size_t i = 0; i < n_tiles; i++) fn(context, (struct tvmq_tile){.index = i, .previous = i - 1});
}

void tvmq_threads_run(struct tvmq_threads *threads, size_t n_tiles, tvmq_tile_fn fn, void *context) {
  if (threads == NULL || forked(threads)) {
    run_alone(n_tiles, fn, context);
    return;
  }
  pthread_mutex_lock(&threads->callers);
  if (n_tiles < 2 || threads->helpers == 0) {
    run_alone(n_tiles, fn, context);
  } else {
    threads->fn = fn;
    threads->context = context;
    threads->n_tiles = n_tiles;
    set_shares(threads);
    atomic_store_explicit(&threads->state, OPEN, memory_order_release);
    call_workers(threads);
    work(threads, 0);
    wait_for_workers(threads);
  }
  pthread_mutex_unlock(&threads->callers);
}

// Workers take no signals: those are the host program's.
static bool start(struct worker *worker) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool started = pthread_create(&worker->id, NULL, worker_main, worker) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}

struct tvmq_threads *tvmq_threads_create(int n) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
  if (n < 2) return NULL;

  size_t size;
  struct tvmq_threads *threads = NULL;
  if (tvmq_mul_size((size_t)n - 1, sizeof(struct worker), &size) && tvmq_add_size(size, sizeof *threads, &size)) threads = tvmq_alloc(size);
  if (threads == NULL) return NULL;

  threads->helpers = tvmq_min((size_t)n, (size_t)tvmq_cpu_count()) - 1;
  threads->forks = atomic_load_explicit(&forks, memory_order_relaxed);
  pthread_mutex_init(&threads->callers, NULL);
  for (threads->n = 1; threads->n < n; threads->n++) {
    struct worker *worker = &threads->workers[threads->n - 1];
    worker->pool = threads;
    worker->thread = threads->n;
    if (!start(worker)) break;
  }
  if (threads->n > 1) return threads;
  tvmq_threads_destroy(threads);
  return NULL;
}

void tvmq_threads_destroy(struct tvmq_threads *threads) {
  if (threads == NULL) return;
  if (!forked(threads)) {
    atomic_store_explicit(&threads->stop, true, memory_order_release);
    atomic_fetch_add(&threads->runs, 1);
    futex_wake(&threads->runs, INT_MAX);
    for (int i = 0; i < threads->n - 1; i++) pthread_join(threads->workers[i].id, NULL);
    pthread_mutex_destroy(&threads->callers);
  }
  tvmq_free(threads);
}

void tvmq_threads_trace(struct tvmq_threads *threads, struct tvmq_trace *trace) { threads->trace = trace; }

int tvmq_threads_count(const struct tvmq_threads *threads) { return threads != NULL ? threads->n : 1; }
