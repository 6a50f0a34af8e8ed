// Threads sleep on a futex, so waking costs one system call, and none if no thread sleeps.
#define _GNU_SOURCE
#include "cpu/threads/threads.h"

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
#include "cpu/threads/share.h"
#include "cpu/threads/spin.h"

// Each thread walks through the passes on its own. The tasks of a pass are divided into chunks called shares, one for
// each thread. A share is one word in memory: the run's number, the tickets left to take, and the tickets not yet done.
// A ticket stands for a task; taking one is a compare-and-swap. Threads take tickets of the next pass only when all
// tickets of this pass are done. No thread waits for one that has taken nothing. So a worker that is not scheduled,
// because there are more threads than processors, delays no other thread. Later, the run numbers tell it that the
// others have gone on.
//
// A pass costs the transfer of one cache line between cores, about 60 ns: another thread's share, which tells whether
// tickets are left and whether all are done. docs/threads.md explains why this is correct.

// Run numbers restart after this many runs: far below the range of a word, so that tests reach it.
enum { MOST_RUNS = 1 << 16 };

struct pass {
  uint32_t n_tickets;
  size_t n_tasks, tasks;  // tasks of the pass, and of one ticket (the last ticket may have fewer)
  tvmq_task_fn fn;
  void *context;
};

struct tvmq_sequence {
  struct tvmq_threads *threads;
  uint32_t run;  // number of the latest run
  size_t n;
  struct tvmq_share *shares;  // [n][n_shares]
  struct pass passes[];
};

// The message that tells workers about a run. Its members are atomic because late workers may still read the previous
// job in this slot while the caller writes a new one.
struct job {
  _Atomic(struct tvmq_sequence *) sequence;  // NULL: nothing to do
  _Atomic size_t begin, end;                 // range of passes
  _Atomic uint32_t run;                      // number of the run in its sequence
};

struct worker {
  _Alignas(64) struct tvmq_threads *pool;
  pthread_t id;
  int thread;
  atomic_bool inside;  // the worker may be accessing a sequence
};

struct tvmq_threads {
  int n;                     // threads, including the caller
  size_t helpers;            // workers for which there are processors
  unsigned forks;            // value of the fork counter when the pool was created
  pthread_mutex_t callers;   // held during a run
  struct tvmq_trace *trace;  // NULL: tasks are not traced
  atomic_bool stop;

  _Alignas(64) _Atomic uint32_t job;  // number of the latest job, and the futex that workers sleep on
  _Atomic uint32_t sleepers;
  struct job jobs[2];  // job number N is jobs[N % 2]

  struct worker workers[];
};

// Workers do not survive fork(). If the process has forked since, the pool runs everything on the caller.
static atomic_uint forks;
static void count_fork(void) { atomic_fetch_add_explicit(&forks, 1, memory_order_relaxed); }
static void watch_forks(void) { pthread_atfork(NULL, NULL, count_fork); }

static bool forked(const struct tvmq_threads *threads) { return threads->forks != atomic_load_explicit(&forks, memory_order_relaxed); }

static void futex_wait(_Atomic uint32_t *word, uint32_t expected) { syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0); }
static void futex_wake(_Atomic uint32_t *word, int n) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0); }

// ---- shares

// Returns the number of shares: one for each thread that can run at the same time. Shares differ by at most one ticket.
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

static void set_pass(struct pass *pass, const struct tvmq_sequence_pass *from) {
  pass->n_tasks = from->n_tasks;
  pass->tasks = tvmq_max(tvmq_ceil_div(from->n_tasks, TVMQ_MOST_TICKETS), 1);
  pass->fn = from->fn;
  pass->context = from->context;
  pass->n_tickets = (uint32_t)tvmq_ceil_div(from->n_tasks, pass->tasks);
}

struct run {
  struct tvmq_sequence *sequence;
  size_t begin, end;
  uint32_t number;
};

// Runs all tasks on the calling thread.
static void run_alone(size_t n_tasks, tvmq_task_fn fn, void *context) {
  for (size_t i = 0; i < n_tasks; i++) fn(context, (struct tvmq_task){.index = i, .since = i > 0});
}

static void run_pass(const struct pass *pass) { run_alone(pass->n_tasks, pass->fn, pass->context); }

// Advances to task `index`, which may be lower than the last index when the thread starts on another share.
static void move_to(struct tvmq_task *task, size_t index, bool first) {
  task->since = !first && index > task->index && index - task->index <= UINT32_MAX ? (uint32_t)(index - task->index) : 0;
  task->index = index;
}

static void run_ticket(const struct tvmq_threads *threads, const struct pass *pass, uint32_t ticket, bool first, struct tvmq_task *task) {
  const size_t begin = ticket * pass->tasks, end = tvmq_min(begin + pass->tasks, pass->n_tasks);
  for (size_t i = begin; i < end; i++) {
    move_to(task, i, first && i == begin);
    const uint64_t start = threads->trace != NULL ? tvmq_now_ns() : 0;
    pass->fn(pass->context, *task);
    if (threads->trace != NULL) tvmq_trace_add(threads->trace, task->thread, (int)i, start, tvmq_now_ns());
  }
}

// Takes the tickets of the thread's own share, then steals those left in the other shares.
static void take_tickets(const struct tvmq_threads *threads, int thread, uint32_t run, const struct pass *pass, uint32_t n_tickets, struct tvmq_share *shares) {
  struct tvmq_task task = {.thread = thread};
  bool first = true;
  const uint32_t n = n_shares(threads);
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t owner = ((uint32_t)thread + i) % n, size = share_size(threads, n_tickets, owner), end = share_begin(threads, n_tickets, owner) + size;
    uint32_t done = 0;
    for (uint32_t left; (left = tvmq_take(&shares[owner], run, size)) > 0; done++, first = false) run_ticket(threads, pass, end - left, first, &task);
    if (done > 0) atomic_fetch_sub_explicit(&shares[owner].word, done, memory_order_release);
  }
}

static bool await_pass(const struct tvmq_threads *threads, uint32_t run, uint32_t n_tickets, const struct tvmq_share *shares) {
  for (uint32_t i = 0; i < n_shares(threads); i++) {
    if (!tvmq_await_share(&shares[i], run, share_size(threads, n_tickets, i))) return false;
  }
  return true;
}

// Runs the passes of `r` on one thread. Single-ticket passes run on the calling thread. Workers skip them and wait only
// for the last one before a shared pass, because the caller announces no other end.
static void go_through(const struct tvmq_threads *threads, int thread, const struct run *r) {
  const struct tvmq_sequence *sequence = r->sequence;
  struct tvmq_share *shares = sequence->shares + r->begin * n_shares(threads);
  for (size_t i = r->begin; i < r->end; i++, shares += n_shares(threads)) {
    const uint32_t n_tickets = sequence->passes[i].n_tickets;
    const bool last = i + 1 == r->end, told = !last && sequence->passes[i + 1].n_tickets > 1;
    if (told) tvmq_prefetch_share(shares + n_shares(threads) + (uint32_t)thread % n_shares(threads));
    if (n_tickets > 1) {
      take_tickets(threads, thread, r->number, &sequence->passes[i], n_tickets, shares);
      if (last && thread > 0) return;  // only the caller needs to know that the run is over
      if (!await_pass(threads, r->number, n_tickets, shares)) return;
    } else if (thread == 0) {
      run_pass(&sequence->passes[i]);
      if (told) tvmq_finish_share(shares, r->number);
    } else if (told && !tvmq_await_share(shares, r->number, 1)) {
      return;
    }
  }
}

// ---- the pool

// Reads the latest job and returns its number.
static uint32_t read_job(struct tvmq_threads *threads, struct run *r) {
  for (;;) {
    const uint32_t number = atomic_load(&threads->job);
    struct job *job = &threads->jobs[number % 2];
    r->sequence = atomic_load_explicit(&job->sequence, memory_order_acquire);
    r->begin = atomic_load_explicit(&job->begin, memory_order_acquire);
    r->end = atomic_load_explicit(&job->end, memory_order_acquire);
    r->number = atomic_load_explicit(&job->run, memory_order_acquire);
    if (atomic_load_explicit(&threads->job, memory_order_relaxed) == number) return number;  // else the slot may hold a newer job
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
      // The caller stores the job's number, then reads `sleepers`. A worker increments `sleepers`, then the kernel
      // reads the number. So either the caller sees the sleeper, or the kernel sees the new number and does not put the
      // worker to sleep.
      atomic_fetch_add(&threads->sleepers, 1);
      futex_wait(&threads->job, seen);
      atomic_fetch_sub(&threads->sleepers, 1);
      continue;
    }
    // The destroyer publishes an empty job, then checks the `inside` flags. A worker sets its flag, then reads the job.
    // So one of them always sees the other.
    struct run run;
    atomic_store(&worker->inside, true);
    seen = read_job(threads, &run);
    if (run.sequence != NULL) go_through(threads, worker->thread, &run);
    atomic_store_explicit(&worker->inside, false, memory_order_release);
  }
  return NULL;
}

// Wakes enough workers for the available tickets and processors. The caller takes one ticket, and workers that spin or
// still work need no waking.
static void wake_workers(struct tvmq_threads *threads, uint32_t n_tickets) {
  const size_t awake = (size_t)threads->n - 1 - atomic_load(&threads->sleepers), wanted = tvmq_min(n_tickets - 1, threads->helpers);
  if (wanted > awake) futex_wake(&threads->job, (int)(wanted - awake));
}

// Waits until no worker is inside a sequence. Late workers may still be looking for tickets.
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
  for (size_t i = begin; i < end; i++) most = (uint32_t)tvmq_max(most, sequence->passes[i].n_tickets);
  return most;
}

// Restarts run numbers at 0 and clears all shares, so that no share holds a number that will be used again.
static void renumber(struct tvmq_sequence *sequence) {
  expel_workers(sequence->threads);
  for (size_t i = 0; i < sequence->n * n_shares(sequence->threads); i++) atomic_store_explicit(&sequence->shares[i].word, 0, memory_order_relaxed);
  sequence->run = 0;
}

static void run_passes(struct tvmq_sequence *sequence, size_t begin, size_t end) {
  struct tvmq_threads *threads = sequence->threads;
  const uint32_t tickets = runs_alone(threads) ? 0 : most_tickets(sequence, begin, end);
  if (tickets < 2) {
    for (size_t i = begin; i < end; i++) run_pass(&sequence->passes[i]);
    return;
  }
  if (sequence->run == MOST_RUNS) renumber(sequence);
  const struct run run = {sequence, begin, end, ++sequence->run};
  write_job(threads, &run);
  wake_workers(threads, tickets);
  go_through(threads, 0, &run);
}

static void lock_pool(struct tvmq_threads *threads) {
  if (!runs_alone(threads)) pthread_mutex_lock(&threads->callers);
}

static void unlock_pool(struct tvmq_threads *threads) {
  if (!runs_alone(threads)) pthread_mutex_unlock(&threads->callers);
}

void tvmq_sequence_run(struct tvmq_sequence *sequence, size_t begin, size_t end) {
  lock_pool(sequence->threads);
  run_passes(sequence, begin, tvmq_min(end, sequence->n));
  unlock_pool(sequence->threads);
}

void tvmq_sequence_run_alone(struct tvmq_sequence *sequence) {
  lock_pool(sequence->threads);
  for (size_t i = 0; i < sequence->n; i++) run_pass(&sequence->passes[i]);
  unlock_pool(sequence->threads);
}

// ---- sequences

struct tvmq_sequence *tvmq_sequence_create(struct tvmq_threads *threads, const struct tvmq_sequence_pass *passes, size_t n) {
  size_t bytes, share_bytes;
  if (!tvmq_mul_size(n, sizeof(struct pass), &bytes) || !tvmq_add_size(bytes, sizeof(struct tvmq_sequence), &bytes)) return NULL;
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
  for (size_t i = 0; i < n; i++) set_pass(&sequence->passes[i], &passes[i]);
  return sequence;
}

void tvmq_sequence_destroy(struct tvmq_sequence *sequence) {
  if (sequence == NULL) return;
  if (!runs_alone(sequence->threads)) {
    lock_pool(sequence->threads);
    expel_workers(sequence->threads);
    unlock_pool(sequence->threads);
  }
  tvmq_free(sequence->shares);
  tvmq_free(sequence);
}

void tvmq_threads_run(struct tvmq_threads *threads, size_t n_tasks, tvmq_task_fn fn, void *context) {
  const struct tvmq_sequence_pass pass = {n_tasks, fn, context};
  struct tvmq_sequence *sequence = runs_alone(threads) ? NULL : tvmq_sequence_create(threads, &pass, 1);
  if (sequence != NULL) {
    tvmq_sequence_run(sequence, 0, 1);
  } else {
    run_alone(n_tasks, fn, context);
  }
  tvmq_sequence_destroy(sequence);
}

// Starts a worker with all signals blocked, because the host program handles them.
static bool start_worker(struct worker *worker) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool started = pthread_create(&worker->id, NULL, worker_main, worker) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}

struct tvmq_threads *tvmq_threads_create(int n) { return tvmq_threads_create_on(tvmq_cpu_count(), n); }

struct tvmq_threads *tvmq_threads_create_on(int processors, int n) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
  if (n < 2) return NULL;

  size_t size;
  struct tvmq_threads *threads = NULL;
  if (tvmq_mul_size((size_t)n - 1, sizeof(struct worker), &size) && tvmq_add_size(size, sizeof *threads, &size)) threads = tvmq_alloc(size);
  if (threads == NULL) return NULL;

  threads->helpers = tvmq_min((size_t)n, (size_t)processors) - 1;
  threads->forks = atomic_load_explicit(&forks, memory_order_relaxed);
  pthread_mutex_init(&threads->callers, NULL);
  for (threads->n = 1; threads->n < n; threads->n++) {
    struct worker *worker = &threads->workers[threads->n - 1];
    worker->pool = threads;
    worker->thread = threads->n;
    if (!start_worker(worker)) break;
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

bool tvmq_threads_traced(const struct tvmq_threads *threads) { return threads != NULL && threads->trace != NULL; }

int tvmq_threads_count(const struct tvmq_threads *threads) { return threads != NULL ? threads->n : 1; }
