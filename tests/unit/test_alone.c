// Operators that are planned twice with num_threads=auto: for all threads, and for one, where trials may prefer that. Both have the same weights.
#include "base/memory.h"
#include "cpu/cpu.h"
#include "fake_network.h"
#include "graph/partition.h"
#include "host/delegate.h"
#include "packing/packed.h"
#include "unit.h"

enum { OUT = 1 << 16, WEIGHTS = 2, RUNS = 100 };  // WEIGHTS: sets that the network has; RUNS: more than a trial and those that follow it

// Dimensions of an input whose convolution has two plans; found by check_sizes(), since estimates depend on the processor.
static int twice[] = {1, 0, 0, NETWORK_C, -1};

struct scene {
  struct network network;
  TfLiteDelegate *delegate;
};

static struct scene begin(const char *threads, const int *dims) {
  const char *const pairs[] = {"num_threads", threads, NULL};
  struct scene s = {.network = network_create(false), .delegate = network_delegate(pairs)};
  fake_resize(s.network.graph, s.network.in, dims);
  CHECK(s.delegate != NULL && fake_apply(s.network.graph, s.delegate) == kTfLiteOk, "%s", network_message());
  return s;
}

static void end(struct scene *s) {
  fake_destroy(s->network.fake);
  network_delegate_destroy(s->delegate);
}

static const struct tvmq_record *record_at(const struct scene *s, int node) {
  const struct tvmq_delegate *delegate = s->delegate->data_;
  return tvmq_subgraph_find(delegate->subgraphs, node);
}

static void run(struct scene *s, const int *dims, int runs) {
  static int8_t got[OUT], wanted[OUT];
  static unsigned long long seed = 1;
  size_t wrong = 0;
  for (int i = 0; i < runs; i++) {
    seed++;
    const size_t n = network_run(&s->network, seed, got, OUT), n_wanted = network_reference(false, dims, seed, wanted, OUT);
    wrong += n == 0 || n != n_wanted || memcmp(got, wanted, n) != 0;
  }
  CHECK(wrong == 0, "%zu of %d runs: %s", wrong, runs, s->network.fake->error);
}

// The second plan is that of a delegate with one thread. Large work, and work that is not divided, has one plan.
static bool check_plans(const struct scene *automatic, const int *dims) {
  struct scene one = begin("1", dims);
  const struct tvmq_record *both = record_at(automatic, one.network.conv), *single = record_at(&one, one.network.conv);
  const size_t tasks = both->implementation->n_tasks(both->op, 0);
  struct tvmq_op_info info = {0};
  both->implementation->info(both->op, &info);
  CHECK((both->alone != NULL) == (tasks > 1 && info.choice.cycles < TVMQ_SHARED_CYCLES), "%zu tasks, %.0f cycles", tasks, (double)info.choice.cycles);
  CHECK(single->alone == NULL, "one thread has one plan");
  if (both->alone != NULL) {
    const size_t tasks_alone = both->implementation->n_tasks(both->alone, 0);
    CHECK(tasks_alone == single->implementation->n_tasks(single->op, 0) && tasks_alone <= tasks, "%zu tasks, %zu on one thread", tasks, tasks_alone);
  }
  const bool has_both = both->alone != NULL;
  end(&one);
  return has_both;
}

static void check_sizes(void) {
  size_t n_both = 0, n_one = 0;
  for (int side = 4; side < 300; side += side / 4) {
    const int dims[] = {1, side, side, NETWORK_C, -1};
    struct scene s = begin("auto", dims);
    const bool has_both = check_plans(&s, dims);
    n_both += has_both;
    n_one += !has_both;
    if (has_both) twice[1] = twice[2] = side;
    end(&s);
  }
  CHECK(n_both > 0 && n_one > 0, "%zu sizes with two plans, %zu with one", n_both, n_one);
}

static void check_runs(void) {
  const size_t blocks = tvmq_alloc_live();
  const int other[] = {1, twice[1] + 1, twice[2] - 1, NETWORK_C, -1};
  struct scene s = begin("auto", twice);
  CHECK(tvmq_packed_shared() == WEIGHTS, "%zu sets of weights", tvmq_packed_shared());
  run(&s, twice, RUNS);
  fake_resize(s.network.graph, s.network.in, other);
  run(&s, other, RUNS);
  check_plans(&s, other);
  end(&s);
  CHECK(tvmq_packed_shared() == 0 && tvmq_alloc_live() == blocks, "nothing is left");
}

// Without memory for the second plan, the first serves.
static void check_failures(void) {
  size_t n_single = 0;
  for (size_t n = 1; n < 200; n++) {
    const size_t blocks = tvmq_alloc_live();
    const char *const pairs[] = {"num_threads", "auto", NULL};
    struct scene s = {.network = network_create(false), .delegate = network_delegate(pairs)};
    fake_resize(s.network.graph, s.network.in, twice);
    tvmq_alloc_fail_once(n);
    const bool applied = fake_apply(s.network.graph, s.delegate) == kTfLiteOk;
    tvmq_alloc_fail_once(0);
    const struct tvmq_delegate *delegate = s.delegate->data_;
    const struct tvmq_record *record = applied && delegate->subgraphs != NULL ? record_at(&s, s.network.conv) : NULL;
    n_single += record != NULL && record->planned && record->op != NULL && record->alone == NULL;
    if (applied) run(&s, twice, 1);
    end(&s);
    CHECK(tvmq_alloc_live() == blocks, "allocation %zu: blocks are left", n);
  }
  CHECK(n_single > 0, "the second plan never failed alone");
}

int main(void) {
  if (tvmq_cpu_auto_count() < 2) {
    puts("SKIPPED: num_threads=auto starts no threads here");
    return 77;
  }
  check_sizes();
  check_runs();
  check_failures();
  return unit_report();
}
