// Whether threads share a run (cpu/threads/pace.h), with times that are told instead of measured.
#include "cpu/threads/pace.h"
#include "unit.h"

struct told {
  uint64_t shared_ns, alone_ns;
  uint64_t disturbed_ns;  // that every third run takes longer
};

// Does so many runs; returns how many were done alone.
static unsigned run(struct tvmq_pace *pace, unsigned n, const struct told *told) {
  unsigned alone = 0;
  for (unsigned i = 0; i < n; i++) {
    const struct tvmq_pace_run next = tvmq_pace_next(pace);
    alone += next.alone;
    tvmq_pace_done(pace, next, next.timed ? (next.alone ? told->alone_ns : told->shared_ns) + (i % 3 == 0 ? told->disturbed_ns : 0) : 0);
  }
  return alone;
}

enum { TRIAL = PACE_FIRST + 2 * PACE_HALF, REST = PACE_LEAST_PERIOD - TRIAL };

static void check_verdict(const struct told *told, bool alone) {
  struct tvmq_pace pace = {0};
  CHECK(run(&pace, TRIAL, told) == PACE_HALF, "half of a trial is done alone");
  CHECK(run(&pace, REST, told) == (alone ? REST : 0), "shared %d ns, alone %d ns", (int)told->shared_ns, (int)told->alone_ns);
}

// A first verdict that was wrong does not stand for long, and in the long run trials are rare.
static void check_periods(void) {
  struct tvmq_pace pace = {0};
  run(&pace, PACE_LEAST_PERIOD, &(struct told){.shared_ns = 140, .alone_ns = 100});
  CHECK(pace.alone, "alone, as the first trial has found");
  CHECK(run(&pace, 2 * PACE_HALF, &(struct told){.shared_ns = 60, .alone_ns = 100}) == PACE_HALF && !pace.alone, "the second trial follows at once");
  unsigned trials = 0;
  for (unsigned i = 0; i < 100 * PACE_PERIOD; i += PACE_PERIOD) trials += run(&pace, PACE_PERIOD, &(struct told){.shared_ns = 60, .alone_ns = 100}) / PACE_HALF;
  CHECK(trials >= 100 && trials <= 104, "%u trials in 100 periods", trials);
}

static void check_change(void) {
  struct tvmq_pace pace = {.period = PACE_PERIOD};
  run(&pace, PACE_PERIOD, &(struct told){.shared_ns = 60, .alone_ns = 100});
  CHECK(!pace.alone, "shared while that is faster");
  run(&pace, PACE_PERIOD - PACE_FIRST, &(struct told){.shared_ns = 160, .alone_ns = 100});
  CHECK(pace.alone, "alone when it has become slower");
  run(&pace, PACE_PERIOD - PACE_FIRST, &(struct told){.shared_ns = 99, .alone_ns = 100});
  CHECK(pace.alone, "as before where hardly anything would be gained");
  run(&pace, PACE_PERIOD - PACE_FIRST, &(struct told){.shared_ns = 60, .alone_ns = 100});
  CHECK(!pace.alone, "shared again");
}

// Long runs: shared where nothing says otherwise, or as measured, in short trials that find a change soon.
static void check_long(void) {
  const struct told slower = {.shared_ns = 3 * PACE_MOST_NS, .alone_ns = 2 * PACE_MOST_NS},
                    faster = {.shared_ns = 2 * PACE_MOST_NS, .alone_ns = 3 * PACE_MOST_NS};
  struct tvmq_pace never = {0}, pace = {.wary = true};
  CHECK(run(&never, 3 * PACE_PERIOD, &slower) == 0 && !never.alone, "long runs are not tried alone");
  CHECK(run(&pace, PACE_LEAST_PERIOD, &faster) == PACE_LONG && !pace.alone, "shared, as the first trial has found");
  run(&pace, PACE_LONG_PERIOD, &slower);
  CHECK(pace.alone, "alone when sharing has become slower");
  run(&pace, PACE_LONG_PERIOD, &(struct told){.shared_ns = 2 * PACE_MOST_NS - 1, .alone_ns = 2 * PACE_MOST_NS});
  CHECK(pace.alone, "alone where hardly anything would be gained");
  run(&pace, 100 * PACE_LONG_PERIOD, &faster);
  CHECK(!pace.alone, "shared again");
  const unsigned alone = run(&pace, 100 * PACE_LONG_PERIOD, &faster);
  CHECK(alone >= 99 * PACE_LONG && alone <= 110 * PACE_LONG, "%u runs alone in 100 periods", alone);
}

int main(void) {
  check_verdict(&(struct told){.shared_ns = 60, .alone_ns = 100}, false);
  check_verdict(&(struct told){.shared_ns = 140, .alone_ns = 100}, true);
  check_verdict(&(struct told){.shared_ns = 60, .alone_ns = 100, .disturbed_ns = 1000}, false);
  check_verdict(&(struct told){.shared_ns = 99, .alone_ns = 98}, false);
  check_periods();
  check_change();
  check_long();
  return unit_report();
}
