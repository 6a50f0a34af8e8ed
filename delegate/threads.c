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
#include "fp_mode.h"
#include "memory.h"

// Each run has a number. To take a tile is one compare-and-swap on a share that bears it: it fails once the run is over, and as long as it has not been said
// that a tile is done the run is not over. So workers neither come nor go, and a run never waits for one that has taken no tile: a worker that the system does
// not schedule, because there are more threads than processors, delays nobody.
//
// What a hand-over costs is lines of the cache that pass from core to core, some 60 ns each: that of the run, that of the share, and in the end that of the
// tiles done.

// How long to spin before sleeping: longer than what the runtime does between two operators of the delegate, much shorter than a scheduler's time slice.
// At first without a pause, which alone may take longer than another core's store.
enum { SPIN_NS = 150 * 1000, SPINS_PER_LOOK = 64, SPINS_AT_ONCE = 256 };

// Tiles that a thread takes before those of others: about the same part of each operator, so that what it reads is what it wrote and lies in its own cache.
struct share {
  _Alignas(64) _Atomic uint64_t left;  // the run in the upper half, how many tiles are left in the lower one
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

  struct share share;  // the caller's

  // The run: written by the caller before it has a number, read by those who have a tile of it.
  _Alignas(64) _Atomic uint32_t run;  // its number; workers sleep on it
  _Atomic uint32_t sleepers;
  atomic_bool stop;
  _Atomic uint32_t n_tiles;
  tvmq_tile_fn fn;
  void *context;
  struct tvmq_trace *trace;  // NULL: not recorded

  // Tiles that workers have done, of all runs. The caller sleeps on it.
  _Alignas(64) _Atomic uint32_t done;
  atomic_bool caller_sleeps;
  uint32_t expected;  // when the run is over

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

// Spins until `word` is, or is no longer, `value`, or the time is over; returns whether it came to that. Yields now and then: where processors are short, the
// one that spins may hold the very processor that the one it waits for needs.
static bool spin_until(_Atomic uint32_t *word, bool equal, uint32_t value) {
  for (int i = 0; i < SPINS_AT_ONCE; i++) {
    if ((atomic_load_explicit(word, memory_order_acquire) == value) == equal) return true;
  }
  const uint64_t end = tvmq_now_ns() + SPIN_NS;
  do {
    for (int i = 0; i < SPINS_PER_LOOK; i++) {
      if ((atomic_load_explicit(word, memory_order_acquire) == value) == equal) return true;
      relax();
    }
    sched_yield();
  } while (tvmq_now_ns() < end);
  return false;
}

static struct share *share_of(struct tvmq_threads *threads, int thread) { return thread == 0 ? &threads->share : &threads->workers[thread - 1].share; }

// What a whole share says. There are as many as threads can run at a time, all of about the same size; those of other threads remain of earlier runs.
static uint64_t whole_share(const struct tvmq_threads *threads, int thread, uint32_t run, uint32_t n_tiles) {
  const uint32_t n = (uint32_t)tvmq_min(threads->helpers + 1, (size_t)threads->n), i = (uint32_t)thread;
  return (uint64_t)run << 32 | (i < n ? n_tiles / n + (i < n_tiles % n) : 0);
}

static void set_shares(struct tvmq_threads *threads, uint32_t run, uint32_t n_tiles) {
  size_t end = 0;
  for (int i = 0; end < n_tiles; i++) {
    struct share *share = share_of(threads, i);
    const uint64_t left = whole_share(threads, i, run, n_tiles);
    share->end = end += (uint32_t)left;
    atomic_store_explicit(&share->left, left, memory_order_release);
  }
}

// Takes a tile of a share that was last seen to say `left`.
static bool take(struct share *share, uint32_t run, uint64_t *left, size_t *tile) {
  while (*left >> 32 == run && (uint32_t)*left > 0) {
    if (!atomic_compare_exchange_weak_explicit(&share->left, left, *left - 1, memory_order_acquire, memory_order_acquire)) continue;
    *tile = share->end - (uint32_t)*left;
    --*left;
    return true;
  }
  return false;
}

static void tell_done(struct tvmq_threads *threads, uint32_t n_tiles) {
  atomic_fetch_add(&threads->done, n_tiles);
  if (atomic_load(&threads->caller_sleeps)) futex_wake(&threads->done, 1);
}

// The tiles of a thread's own share, then what is left of the others'. Returns how many the caller has done; workers tell.
static uint32_t work(struct tvmq_threads *threads, int thread, uint32_t run) {
  struct tvmq_tile tile = {.previous = SIZE_MAX, .thread = thread};
  // Nobody has taken of the own share, mostly: that saves to look.
  uint64_t left = whole_share(threads, thread, run, atomic_load_explicit(&threads->n_tiles, memory_order_relaxed));
  uint32_t by_caller = 0;
  for (int i = 0; i < threads->n; i++) {
    struct share *share = share_of(threads, (thread + i) % threads->n);
    if (i > 0) left = atomic_load_explicit(&share->left, memory_order_relaxed);
    uint32_t n = 0;
    for (; take(share, run, &left, &tile.index); n++, tile.previous = tile.index) {
      const uint64_t start = threads->trace != NULL ? tvmq_now_ns() : 0;
      threads->fn(threads->context, tile);
      if (threads->trace != NULL) tvmq_trace_add(threads->trace, thread, (int)tile.index, start, tvmq_now_ns());
    }
    if (thread == 0)
      by_caller += n;
    else if (n > 0)
      tell_done(threads, n);
  }
  return by_caller;
}

static void *worker_main(void *argument) {
  const struct worker *worker = argument;
  struct tvmq_threads *threads = worker->pool;
  uint32_t seen = 0;
  tvmq_fp_enter();  // for the thread's life
  while (!atomic_load_explicit(&threads->stop, memory_order_acquire)) {
    if (spin_until(&threads->run, false, seen)) {
      seen = atomic_load_explicit(&threads->run, memory_order_acquire);
      work(threads, worker->thread, seen);
    } else {
      // The caller numbers the run, then looks for sleepers; here the other way round. So either it sees the sleeper or the kernel sees another number.
      atomic_fetch_add(&threads->sleepers, 1);
      futex_wait(&threads->run, seen);
      atomic_fetch_sub(&threads->sleepers, 1);
    }
  }
  return NULL;
}

// Wakes no more workers than there are tiles and processors for: beside the caller and those that are awake, spinning or still at work.
static void call_workers(struct tvmq_threads *threads, uint32_t run, size_t n_tiles) {
  atomic_store(&threads->run, run);
  const size_t awake = (size_t)threads->n - 1 - atomic_load(&threads->sleepers), wanted = tvmq_min(n_tiles - 1, threads->helpers);
  if (wanted > awake) futex_wake(&threads->run, (int)(wanted - awake));
}

static void wait_for_workers(struct tvmq_threads *threads) {
  if (spin_until(&threads->done, true, threads->expected)) return;
  atomic_store(&threads->caller_sleeps, true);
  for (uint32_t done; (done = atomic_load(&threads->done)) != threads->expected;) futex_wait(&threads->done, done);
  atomic_store(&threads->caller_sleeps, false);
}

static void share_out(struct tvmq_threads *threads, uint32_t n_tiles, tvmq_tile_fn fn, void *context) {
  const uint32_t run = atomic_load_explicit(&threads->run, memory_order_relaxed) + 1;
  threads->fn = fn;
  threads->context = context;
  atomic_store_explicit(&threads->n_tiles, n_tiles, memory_order_relaxed);
  set_shares(threads, run, n_tiles);
  call_workers(threads, run, n_tiles);
  threads->expected += n_tiles - work(threads, 0, run);
  wait_for_workers(threads);
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
  if (n_tiles < 2 || n_tiles > UINT32_MAX || threads->helpers == 0)
    run_alone(n_tiles, fn, context);
  else
    share_out(threads, (uint32_t)n_tiles, fn, context);
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
    atomic_fetch_add(&threads->run, 1);
    futex_wake(&threads->run, INT_MAX);
    for (int i = 0; i < threads->n - 1; i++) pthread_join(threads->workers[i].id, NULL);
    pthread_mutex_destroy(&threads->callers);
  }
  tvmq_free(threads);
}

void tvmq_threads_trace(struct tvmq_threads *threads, struct tvmq_trace *trace) { threads->trace = trace; }

int tvmq_threads_count(const struct tvmq_threads *threads) { return threads != NULL ? threads->n : 1; }
