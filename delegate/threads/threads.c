// Waiting is by futex, so that waking costs one system call and only when somebody sleeps.
#define _GNU_SOURCE
#include "threads/threads.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/clock.h"
#include "base/fp_mode.h"
#include "base/memory.h"
#include "cpu/cpu.h"
#include "threads/share.h"
#include "threads/spin.h"

// Every thread goes through the stages by itself. A stage's tiles are in shares, one a thread, each of which is one word in memory: the number of the run of
// the sequence, how many tickets are left to take, and how many are not done. To take a ticket, which stands for a tile, is one compare-and-swap. A stage is
// over when no share has tickets that are not done; until then nobody takes one of the next. A thread that has taken nothing is not waited for: a worker that
// the system does not schedule, because there are more threads than processors, delays nobody, and finds by the numbers that others have gone on.
//
// What a stage costs is a line of the cache that passes from core to core, some 60 ns: another's share, which says both whether there is something left of it
// and whether it is done.

// Runs of a sequence until their numbers begin anew: far fewer than a word can count, so that it is tested.
enum { MOST_RUNS = 1 << 16 };

struct stage {
  uint32_t n_tickets;
  size_t n_tiles, tiles;  // of the stage, and of a ticket (of the last perhaps fewer)
  tvmq_tile_fn fn;
  void *context;
};

struct tvmq_sequence {
  struct tvmq_threads *threads;
  uint32_t run;  // the number of the last
  size_t n;
  struct tvmq_share *shares;  // [n][n_shares]
  struct stage stages[];
};

// A run of stages. Written by the caller while workers may still read that of the run before the last: hence atomic.
struct job {
  _Atomic(struct tvmq_sequence *) sequence;  // NULL: nothing
  _Atomic size_t begin, end;
  _Atomic uint32_t run;  // of the sequence
};

struct worker {
  _Alignas(64) struct tvmq_threads *pool;
  pthread_t id;
  int thread;
  atomic_bool inside;  // may look at a sequence
};

struct tvmq_threads {
  int n;                     // threads, the caller included
  size_t helpers;            // workers that can have a processor of their own
  unsigned forks;            // of the process when the pool was made
  pthread_mutex_t callers;   // held during a run
  struct tvmq_trace *trace;  // NULL: not recorded
  atomic_bool stop;

  _Alignas(64) _Atomic uint32_t job;  // the number of the last; workers sleep on it
  _Atomic uint32_t sleepers;
  struct job jobs[2];  // by the parity of their numbers

  struct worker workers[];
};

// Workers do not survive fork(): a child finds its pool older than itself and runs everything on the caller.
static atomic_uint forks;
static void count_fork(void) { atomic_fetch_add_explicit(&forks, 1, memory_order_relaxed); }
static void watch_forks(void) { pthread_atfork(NULL, NULL, count_fork); }

static bool forked(const struct tvmq_threads *threads) { return threads->forks != atomic_load_explicit(&forks, memory_order_relaxed); }

static void futex_wait(_Atomic uint32_t *word, uint32_t expected) { syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0); }
static void futex_wake(_Atomic uint32_t *word, int n) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0); }

// ---- shares

// There are as many as threads can run at a time, all of about the same size.
static uint32_t n_shares(const struct tvmq_threads *threads) { return (uint32_t)tvmq_min(threads->helpers + 1, (size_t)threads->n); }

static uint32_t share_size(const struct tvmq_threads *threads, uint32_t n_tickets, uint32_t share) {
  const uint32_t n = n_shares(threads);
  return n_tickets / n + (share < n_tickets % n);
}

static uint32_t share_begin(const struct tvmq_threads *threads, uint32_t n_tickets, uint32_t share) {
  const uint32_t n = n_shares(threads);
  return n_tickets / n * share + (uint32_t)tvmq_min(share, n_tickets % n);
}

// ---- runs

static void set_stage(struct stage *stage, const struct tvmq_sequence_stage *from) {
  stage->n_tiles = from->n_tiles;
  stage->tiles = tvmq_max(tvmq_ceil_div(from->n_tiles, TVMQ_MOST_TICKETS), 1);
  stage->fn = from->fn;
  stage->context = from->context;
  stage->n_tickets = (uint32_t)tvmq_ceil_div(from->n_tiles, stage->tiles);
}

struct run {
  struct tvmq_sequence *sequence;
  size_t begin, end;
  uint32_t number;
};

// By the caller alone.
static void run_stage(const struct stage *stage) {
  for (size_t i = 0; i < stage->n_tiles; i++) stage->fn(stage->context, (struct tvmq_tile){.index = i, .previous = i - 1});
}

static void run_ticket(const struct tvmq_threads *threads, const struct stage *stage, uint32_t ticket, struct tvmq_tile *tile) {
  const size_t begin = ticket * stage->tiles, end = tvmq_min(begin + stage->tiles, stage->n_tiles);
  for (size_t i = begin; i < end; tile->previous = i++) {
    tile->index = i;
    const uint64_t start = threads->trace != NULL ? tvmq_now_ns() : 0;
    stage->fn(stage->context, *tile);
    if (threads->trace != NULL) tvmq_trace_add(threads->trace, tile->thread, (int)i, start, tvmq_now_ns());
  }
}

// The tickets of a thread's own share, then what is left of the others'.
static void work(const struct tvmq_threads *threads, int thread, uint32_t run, const struct stage *stage, uint32_t n_tickets, struct tvmq_share *shares) {
  struct tvmq_tile tile = {.previous = SIZE_MAX, .thread = thread};
  const uint32_t n = n_shares(threads);
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t owner = ((uint32_t)thread + i) % n, size = share_size(threads, n_tickets, owner), end = share_begin(threads, n_tickets, owner) + size;
    uint32_t done = 0;
    for (uint32_t left; (left = tvmq_take(&shares[owner], run, size)) > 0; done++) run_ticket(threads, stage, end - left, &tile);
    if (done > 0) atomic_fetch_sub_explicit(&shares[owner].word, done, memory_order_release);
  }
}

static bool await_stage(const struct tvmq_threads *threads, uint32_t run, uint32_t n_tickets, const struct tvmq_share *shares) {
  for (uint32_t i = 0; i < n_shares(threads); i++) {
    if (!tvmq_await_share(&shares[i], run, share_size(threads, n_tickets, i))) return false;
  }
  return true;
}

// Stages of one ticket are the caller's. The others wait for the last of them before a stage that is shared, the only one of which the caller tells the end.
static void go_through(const struct tvmq_threads *threads, int thread, const struct run *r) {
  const struct tvmq_sequence *sequence = r->sequence;
  struct tvmq_share *shares = sequence->shares + r->begin * n_shares(threads);
  for (size_t i = r->begin; i < r->end; i++, shares += n_shares(threads)) {
    const uint32_t n_tickets = sequence->stages[i].n_tickets;
    const bool last = i + 1 == r->end, told = !last && sequence->stages[i + 1].n_tickets > 1;
    if (told) tvmq_prefetch_share(shares + n_shares(threads) + (uint32_t)thread % n_shares(threads));
    if (n_tickets > 1) {
      work(threads, thread, r->number, &sequence->stages[i], n_tickets, shares);
      if (last && thread > 0) return;  // only the caller needs to know
      if (!await_stage(threads, r->number, n_tickets, shares)) return;
    } else if (thread == 0) {
      run_stage(&sequence->stages[i]);
      if (told) tvmq_finish_share(shares, r->number);
    } else if (told && !tvmq_await_share(shares, r->number, 1)) {
      return;
    }
  }
}

// ---- the pool

// The last job that there is; returns its number.
static uint32_t read_job(struct tvmq_threads *threads, struct run *r) {
  for (;;) {
    const uint32_t number = atomic_load(&threads->job);
    struct job *job = &threads->jobs[number % 2];
    r->sequence = atomic_load_explicit(&job->sequence, memory_order_acquire);
    r->begin = atomic_load_explicit(&job->begin, memory_order_acquire);
    r->end = atomic_load_explicit(&job->end, memory_order_acquire);
    r->number = atomic_load_explicit(&job->run, memory_order_acquire);
    if (atomic_load_explicit(&threads->job, memory_order_relaxed) == number) return number;  // else it may be written anew already
  }
}

static void write_job(struct tvmq_threads *threads, const struct run *r) {
  const uint32_t number = atomic_load_explicit(&threads->job, memory_order_relaxed) + 1;
  struct job *job = &threads->jobs[number % 2];
  atomic_store_explicit(&job->sequence, r->sequence, memory_order_release);
  atomic_store_explicit(&job->begin, r->begin, memory_order_release);
  atomic_store_explicit(&job->end, r->end, memory_order_release);
  atomic_store_explicit(&job->run, r->number, memory_order_release);
  atomic_store(&threads->job, number);
}

static void *worker_main(void *argument) {
  struct worker *worker = argument;
  struct tvmq_threads *threads = worker->pool;
  uint32_t seen = 0;
  tvmq_fp_enter();  // for the thread's life
  while (!atomic_load_explicit(&threads->stop, memory_order_acquire)) {
    struct tvmq_spin spin = {0};
    while (atomic_load_explicit(&threads->job, memory_order_acquire) == seen && tvmq_spin_on(&spin)) continue;
    if (atomic_load_explicit(&threads->job, memory_order_acquire) == seen) {
      // The caller numbers the job, then looks for sleepers; here the other way round. So either it sees the sleeper or the kernel sees another number.
      atomic_fetch_add(&threads->sleepers, 1);
      futex_wait(&threads->job, seen);
      atomic_fetch_sub(&threads->sleepers, 1);
      continue;
    }
    // Who destroys a sequence numbers another job, then looks who is inside; here the other way round.
    struct run run;
    atomic_store(&worker->inside, true);
    seen = read_job(threads, &run);
    if (run.sequence != NULL) go_through(threads, worker->thread, &run);
    atomic_store_explicit(&worker->inside, false, memory_order_release);
  }
  return NULL;
}

// Wakes no more workers than there are tickets and processors for: beside the caller and those that are awake, spinning or still at work.
static void wake_workers(struct tvmq_threads *threads, uint32_t n_tickets) {
  const size_t awake = (size_t)threads->n - 1 - atomic_load(&threads->sleepers), wanted = tvmq_min(n_tickets - 1, threads->helpers);
  if (wanted > awake) futex_wake(&threads->job, (int)(wanted - awake));
}

// Workers that were late may still be looking for something to do.
static void expel_workers(struct tvmq_threads *threads) {
  write_job(threads, &(struct run){0});
  for (int i = 0; i < threads->n - 1; i++) {
    for (struct tvmq_spin spin = {0}; atomic_load(&threads->workers[i].inside);) {
      if (!tvmq_spin_on(&spin)) tvmq_nap();
    }
  }
}

static bool runs_alone(const struct tvmq_threads *threads) { return threads == NULL || forked(threads) || threads->helpers == 0; }

static uint32_t most_tickets(const struct tvmq_sequence *sequence, size_t begin, size_t end) {
  uint32_t most = 0;
  for (size_t i = begin; i < end; i++) most = (uint32_t)tvmq_max(most, sequence->stages[i].n_tickets);
  return most;
}

// Once in a while, so that no number is ever met again.
static void renumber(struct tvmq_sequence *sequence) {
  expel_workers(sequence->threads);
  for (size_t i = 0; i < sequence->n * n_shares(sequence->threads); i++) atomic_store_explicit(&sequence->shares[i].word, 0, memory_order_relaxed);
  sequence->run = 0;
}

static void run_stages(struct tvmq_sequence *sequence, size_t begin, size_t end) {
  struct tvmq_threads *threads = sequence->threads;
  const uint32_t tickets = runs_alone(threads) ? 0 : most_tickets(sequence, begin, end);
  if (tickets < 2) {
    for (size_t i = begin; i < end; i++) run_stage(&sequence->stages[i]);
    return;
  }
  if (sequence->run == MOST_RUNS) renumber(sequence);
  const struct run run = {sequence, begin, end, ++sequence->run};
  write_job(threads, &run);
  wake_workers(threads, tickets);
  go_through(threads, 0, &run);
}

static void enter(struct tvmq_threads *threads) {
  if (!runs_alone(threads)) pthread_mutex_lock(&threads->callers);
}

static void leave(struct tvmq_threads *threads) {
  if (!runs_alone(threads)) pthread_mutex_unlock(&threads->callers);
}

void tvmq_sequence_run(struct tvmq_sequence *sequence, size_t begin, size_t end) {
  enter(sequence->threads);
  run_stages(sequence, begin, tvmq_min(end, sequence->n));
  leave(sequence->threads);
}

// ---- sequences

struct tvmq_sequence *tvmq_sequence_create(struct tvmq_threads *threads, const struct tvmq_sequence_stage *stages, size_t n) {
  size_t bytes, share_bytes;
  if (!tvmq_mul_size(n, sizeof(struct stage), &bytes) || !tvmq_add_size(bytes, sizeof(struct tvmq_sequence), &bytes)) return NULL;
  if (!tvmq_mul_size(n, (threads != NULL ? n_shares(threads) : 0) * sizeof(struct tvmq_share), &share_bytes)) return NULL;
  struct tvmq_sequence *sequence = tvmq_alloc(bytes);
  struct tvmq_share *shares = tvmq_alloc(share_bytes);
  if (sequence == NULL || shares == NULL) {
    tvmq_free(sequence);
    tvmq_free(shares);
    return NULL;
  }
  sequence->threads = threads;
  sequence->n = n;
  sequence->shares = shares;
  for (size_t i = 0; i < n; i++) set_stage(&sequence->stages[i], &stages[i]);
  return sequence;
}

void tvmq_sequence_destroy(struct tvmq_sequence *sequence) {
  if (sequence == NULL) return;
  if (!runs_alone(sequence->threads)) {
    enter(sequence->threads);
    expel_workers(sequence->threads);
    leave(sequence->threads);
  }
  tvmq_free(sequence->shares);
  tvmq_free(sequence);
}

void tvmq_threads_run(struct tvmq_threads *threads, size_t n_tiles, tvmq_tile_fn fn, void *context) {
  const struct tvmq_sequence_stage stage = {n_tiles, fn, context};
  struct tvmq_sequence *sequence = runs_alone(threads) ? NULL : tvmq_sequence_create(threads, &stage, 1);
  if (sequence != NULL) {
    tvmq_sequence_run(sequence, 0, 1);
  } else {
    for (size_t i = 0; i < n_tiles; i++) fn(context, (struct tvmq_tile){.index = i, .previous = i - 1});
  }
  tvmq_sequence_destroy(sequence);
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
    write_job(threads, &(struct run){0});
    futex_wake(&threads->job, INT_MAX);
    for (int i = 0; i < threads->n - 1; i++) pthread_join(threads->workers[i].id, NULL);
    pthread_mutex_destroy(&threads->callers);
  }
  tvmq_free(threads);
}

void tvmq_threads_trace(struct tvmq_threads *threads, struct tvmq_trace *trace) { threads->trace = trace; }

int tvmq_threads_count(const struct tvmq_threads *threads) { return threads != NULL ? threads->n : 1; }
