// Interpreters of one network have one set of packed weights, whoever goes first; what one of them changes is its own. A cache file serves the next process.
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "fake_network.h"
#include "packing/packed.h"
#include "tvmq_delegate.h"
#include "unit.h"

enum { OUT = 4096, WEIGHTS = 2 };  // sets that the network has

struct scene {
  struct network network;
  TfLiteDelegate *delegate;
};

static void run(const char *name, struct network *network) {
  static unsigned long long seed = 1;
  int8_t got[OUT], wanted[OUT];
  seed++;
  const size_t n = network_run(network, seed, got, OUT), n_wanted = network_reference(false, NULL, seed, wanted, OUT);
  CHECK(n == n_wanted && n > 0 && memcmp(got, wanted, n) == 0, "%s: %s", name, network->fake->error);
}

static struct scene begin(const char *const *pairs) {
  struct scene s = {.network = network_create(false), .delegate = network_delegate(pairs)};
  CHECK(s.delegate != NULL && fake_apply(s.network.graph, s.delegate) == kTfLiteOk, "%s", network_message());
  return s;
}

static void end(struct scene *s) {
  fake_destroy(s->network.fake);
  network_delegate_destroy(s->delegate);
}

// The instruction set is given, as kernels that are chosen for two threads may be others, with weights of their own.
static void check_order(int first) {
  const size_t blocks = tvmq_alloc_live();
  struct scene s[2] = {begin((const char *const[]){"isa", "c", "num_threads", "1", NULL}), begin((const char *const[]){"isa", "c", "num_threads", "2", NULL})};
  CHECK(tvmq_packed_shared() == WEIGHTS, "%zu sets of weights", tvmq_packed_shared());
  run("first", &s[0].network);
  run("second", &s[1].network);
  end(&s[first]);
  CHECK(tvmq_packed_shared() == WEIGHTS, "they live");
  run("the other", &s[!first].network);
  end(&s[!first]);
  CHECK(tvmq_packed_shared() == 0 && tvmq_alloc_live() == blocks, "nothing is left");
}

// Tensors move now and then.
static void set_filter(struct network *network, void *data) { network->graph->tensors[network->filter].data = data; }

// A filter that one of two interpreters changes. Constants are the test's to write to.
static void check_change(const char *cache) {
  const size_t blocks = tvmq_alloc_live();
  const char *const verify[] = {"constants", "verify", "weight_cache", cache, NULL};
  struct scene a = begin(verify), b = begin(verify);
  run("before", &a.network);
  const TfLiteTensor *filter = &a.network.graph->tensors[a.network.filter];
  int8_t *changed = malloc(filter->bytes), *const kept = filter->data;
  memcpy(changed, kept, filter->bytes);
  changed[0] = (int8_t)(changed[0] == 1 ? 2 : 1);
  set_filter(&a.network, changed);
  int8_t out[2][OUT];
  const size_t n = network_run(&a.network, 5, out[0], OUT);
  CHECK(n > 0 && network_run(&b.network, 5, out[1], OUT) == n && memcmp(out[0], out[1], n) != 0, "other weights give other results");
  CHECK(tvmq_packed_shared() == WEIGHTS + 1, "%zu sets of weights", tvmq_packed_shared());
  run("whoever did not change anything", &b.network);
  set_filter(&a.network, kept);
  run("changed back", &a.network);
  CHECK(tvmq_packed_shared() == WEIGHTS, "%zu sets of weights", tvmq_packed_shared());
  end(&a);
  run("alone", &b.network);
  end(&b);
  free(changed);
  CHECK(tvmq_packed_shared() == 0 && tvmq_alloc_live() == blocks, "nothing is left");
}

// The second interpreter runs out of memory at any point, and the first does not notice.
static void check_failures(const char *cache) {
  struct scene a = begin((const char *const[]){"weight_cache", cache, NULL});
  bool reached = false;
  size_t n = 0;
  while (!reached && n < 200) {
    const size_t blocks = tvmq_alloc_live();
    struct scene b = {.network = network_create(false)};
    tvmq_alloc_fail_at(++n);
    b.delegate = network_delegate((const char *const[]){"weight_cache", cache, NULL});
    if (b.delegate != NULL) reached = fake_apply(b.network.graph, b.delegate) == kTfLiteOk && fake_allocate(b.network.graph) == kTfLiteOk;
    reached &= b.delegate != NULL && tvmq_get_delegate(b.delegate)->claimed == 3;
    tvmq_alloc_fail_at(0);
    run("out of memory", &b.network);
    end(&b);
    CHECK(tvmq_alloc_live() == blocks, "failure from %zu on", n);
  }
  CHECK(reached && n > 10, "%zu allocations", n);
  run("not disturbed", &a.network);
  end(&a);
}

// The weights come from the file once it is there, and the results are the same.
static void check_file(const char *cache) {
  const char *const pairs[] = {"weight_cache", cache, NULL};
  for (int start = 0; start < 3; start++) {
    CHECK((access(cache, R_OK) == 0) == (start > 0), "start %d", start);
    struct scene s = begin(pairs);
    run("with a cache file", &s.network);
    end(&s);
    CHECK(tvmq_packed_shared() == 0, "none left");
  }
  CHECK(truncate(cache, 500) == 0, "cut off");
  struct scene s = begin((const char *const[]){"log_severity", "silent", "weight_cache", cache, NULL});
  run("with half a file", &s.network);
  end(&s);
  s = begin(pairs);
  run("with the file that took its place", &s.network);
  end(&s);
}

int main(void) {
  char folder[] = "/tmp/tvmq-sharing-XXXXXX", cache[sizeof folder + 16];
  if (!CHECK(mkdtemp(folder) != NULL, "a folder")) return unit_report();
  snprintf(cache, sizeof cache, "%s/weights", folder);
  check_order(0);
  check_order(1);
  check_change("none");
  check_change(cache);
  unlink(cache);
  check_failures("none");
  check_file(cache);
  check_failures(cache);
  unlink(cache);
  CHECK(rmdir(folder) == 0, "no temporary file is left");
  return unit_report();
}
