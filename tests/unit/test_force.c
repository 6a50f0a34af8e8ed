// Forcing candidates: whatever is listed can be forced and computes the same; what is forced stays so, is refused with a reason where shapes make it illegal,
// and can be undone.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "fake_network.h"
#include "tvmq_delegate.h"
#include "unit.h"

enum { OUT = 4096, NODES = 3 };

struct scene {
  struct network network;
  TfLiteDelegate *delegate;
  size_t blocks;
};

static struct scene begin(const char *threads) {
  struct scene s = {.blocks = tvmq_alloc_live(), .network = network_create(false)};
  s.delegate = network_delegate((const char *const[]){"num_threads", threads, NULL});
  CHECK(fake_apply(s.network.graph, s.delegate) == kTfLiteOk, "%s", s.network.fake->error);
  return s;
}

static void end(struct scene *s) {
  fake_destroy(s->network.fake);
  network_delegate_destroy(s->delegate);
  CHECK(tvmq_alloc_live() == s->blocks, "%zu blocks left", tvmq_alloc_live() - s->blocks);
}

static void check_run(struct scene *s, const int *dims, const char *what) {
  static unsigned long long seed = 1;
  int8_t got[OUT], wanted[OUT];
  seed++;
  const size_t n = network_run(&s->network, seed, got, OUT), n_wanted = network_reference(false, dims, seed, wanted, OUT);
  CHECK(n == n_wanted && n > 0, "%s: %zu bytes instead of %zu: %s", what, n, n_wanted, s->network.fake->error);
  CHECK(n == n_wanted && memcmp(got, wanted, n) == 0, "%s", what);
}

static int count(const struct scene *s, int node) {
  int n = 0;
  while (tvmq_get_candidate(s->delegate, node, n) != NULL) n++;
  return n;
}

// The one that runs; -1: none of those that are listed.
static int running(const struct scene *s, int node) {
  const struct tvmq_candidate_info *info;
  int found = -1, n = 0;
  for (int i = 0; (info = tvmq_get_candidate(s->delegate, node, i)) != NULL; i++) {
    if (!info->runs) continue;
    found = i;
    n++;
  }
  CHECK(n <= 1, "%d candidates of node %d run", n, node);
  return found;
}

static void check_all(const char *threads) {
  struct scene s = begin(threads);
  check_run(&s, NULL, "by default");
  for (int node = 0; node < NODES; node++) {
    const int n = count(&s, node);
    CHECK(n > 0 && running(&s, node) == 0, "%d candidates of node %d, %d runs", n, node, running(&s, node));
    double before = 0;
    for (int i = 0; i < n; i++) {
      const struct tvmq_candidate_info info = *tvmq_get_candidate(s.delegate, node, i == 0 ? 0 : i);
      CHECK(info.cycles >= before && info.algorithm[0] != '\0' && info.kernel[0] != '\0', "node %d, candidate %d", node, i);
      before = info.cycles;
      CHECK(tvmq_force(s.delegate, node, i) == 0 && running(&s, node) == i, "node %d: %s, %s is not forced", node, info.algorithm, info.kernel);
      CHECK(tvmq_get_node(s.delegate, node)->forced && tvmq_get_node(s.delegate, node)->refusal[0] == '\0', "node %d", node);
      CHECK_STRING(tvmq_get_node(s.delegate, node)->kernel, info.kernel, "kernel");
      check_run(&s, NULL, info.kernel);
    }
    if (node == 1) continue;  // stays forced while the next one is
    CHECK(tvmq_force(s.delegate, node, -1) == 0 && running(&s, node) == 0 && !tvmq_get_node(s.delegate, node)->forced, "node %d", node);
  }
  check_run(&s, NULL, "in part by default again");
  end(&s);
}

static void check_signatures(void) {
  struct scene one = begin("1"), two = begin("2");
  char first[256];
  check_run(&one, NULL, "one thread");
  check_run(&two, NULL, "two threads");
  snprintf(first, sizeof first, "%s", tvmq_get_signature(one.delegate, 0));
  CHECK(strstr(first, "CONV_2D in=s8[1,9,9,5] filter=s8[") == first && strstr(first, " threads=1") != NULL, "%s", first);
  CHECK_STRING(tvmq_get_signature(one.delegate, 0), first, "the same when asked again");
  CHECK(strcmp(tvmq_get_signature(one.delegate, 1), first) != 0, "another node");
  CHECK(strcmp(tvmq_get_signature(two.delegate, 0), first) != 0, "another number of threads");
  fake_resize(one.network.graph, one.network.in, (const int[]){2, NETWORK_H, NETWORK_H, NETWORK_C, -1});
  check_run(&one, (const int[]){2, NETWORK_H, NETWORK_H, NETWORK_C, -1}, "another size");
  CHECK(strstr(tvmq_get_signature(one.delegate, 0), "in=s8[2,9,9,5]") != NULL, "another size: %s", tvmq_get_signature(one.delegate, 0));
  CHECK(tvmq_get_signature(one.delegate, NODES) == NULL && tvmq_get_signature(NULL, 0) == NULL, "no such node");
  CHECK(strlen(tvmq_kernels_checksum()) == 16, "%s", tvmq_kernels_checksum());
  fake_destroy(two.network.fake);
  network_delegate_destroy(two.delegate);
  end(&one);
}

// A record for node 0, of a candidate but with other rows where they are given.
static void write_record(const char *path, const struct scene *s, const struct tvmq_candidate_info *choice, unsigned long long rows) {
  FILE *file = fopen(path, "a");
  if (!CHECK(file != NULL, "%s", path)) return;
  fprintf(file,
          "{\"version\": 1, \"cpu\": \"%s\", \"in_order\": %s, \"task\": \"%s\", \"choice\": {\"algorithm\": \"%s\", \"kernel\": \"%s\", \"flipped_copy\": %s, "
          "\"rows\": %llu, \"panels\": %llu}, \"times_ns\": [100], \"default_times_ns\": [200], \"proven\": true}\n",
          tvmq_get_cpu()->name, tvmq_get_cpu()->in_order ? "true" : "false", tvmq_get_signature(s->delegate, 0), choice->algorithm, choice->kernel,
          choice->flipped_copy ? "true" : "false", rows > 0 ? rows : choice->rows, choice->panels);
  fclose(file);
}

static struct scene begin_tuned(const char *path) {
  struct scene s = {.blocks = tvmq_alloc_live(), .network = network_create(false)};
  s.delegate = network_delegate((const char *const[]){"num_threads", "1", "tuning_records", path, NULL});
  CHECK(s.delegate != NULL && fake_apply(s.network.graph, s.delegate) == kTfLiteOk, "%s", s.network.fake->error);
  return s;
}

// A node runs as a record has it, forced or by default where it is not legal, and its results are the same.
static void check_records(void) {
  char path[] = "/tmp/tvmq_force_XXXXXX";
  const int file = mkstemp(path);
  CHECK(file >= 0 && close(file) == 0, "%s", path);
  struct scene s = begin("1");
  check_run(&s, NULL, "untuned");
  CHECK(!tvmq_get_node(s.delegate, 0)->tuned, "untuned");
  const int last = count(&s, 0) - 1;
  const struct tvmq_candidate_info slowest = *tvmq_get_candidate(s.delegate, 0, last);
  write_record(path, &s, &slowest, 0);
  struct scene tuned = begin_tuned(path);
  check_run(&tuned, NULL, "tuned");
  CHECK(running(&tuned, 0) == last && tvmq_get_node(tuned.delegate, 0)->tuned && !tvmq_get_node(tuned.delegate, 0)->forced, "candidate %d", running(&tuned, 0));
  CHECK(!tvmq_get_node(tuned.delegate, 1)->tuned && running(&tuned, 1) == 0, "a node without a record");
  CHECK(tvmq_force(tuned.delegate, 0, 0) == 0 && running(&tuned, 0) == 0 && !tvmq_get_node(tuned.delegate, 0)->tuned, "forced");
  check_run(&tuned, NULL, "forced");
  CHECK(tvmq_force(tuned.delegate, 0, -1) == 0 && running(&tuned, 0) == last, "tuned again");
  fake_resize(tuned.network.graph, tuned.network.in, (const int[]){2, NETWORK_H, NETWORK_H, NETWORK_C, -1});
  check_run(&tuned, (const int[]){2, NETWORK_H, NETWORK_H, NETWORK_C, -1}, "another size");
  CHECK(!tvmq_get_node(tuned.delegate, 0)->tuned, "another size");
  fake_destroy(tuned.network.fake);
  network_delegate_destroy(tuned.delegate);
  unlink(path);

  write_record(path, &s, &slowest, 12345);
  tuned = begin_tuned(path);
  check_run(&tuned, NULL, "a record that is not legal");
  const struct tvmq_node_info *node = tvmq_get_node(tuned.delegate, 0);
  CHECK(running(&tuned, 0) == 0 && !node->tuned && strstr(node->refusal, "not legal here") != NULL, "%s", node->refusal);
  fake_destroy(tuned.network.fake);
  network_delegate_destroy(tuned.delegate);
  unlink(path);
  tuned = begin_tuned("/nowhere:/tmp");
  check_run(&tuned, NULL, "without files");
  fake_destroy(tuned.network.fake);
  network_delegate_destroy(tuned.delegate);
  end(&s);
}

static void check_errors(void) {
  struct scene s = begin("1");
  CHECK(tvmq_get_candidate(s.delegate, NODES, 0) == NULL && tvmq_get_candidate(s.delegate, -1, 0) == NULL && tvmq_get_candidate(NULL, 0, 0) == NULL, "none");
  CHECK(tvmq_get_candidate(s.delegate, 0, -1) == NULL && tvmq_get_candidate(s.delegate, 0, 1 << 20) == NULL, "past the ends");
  CHECK(tvmq_force(s.delegate, NODES, 0) == -1 && tvmq_force(NULL, 0, 0) == -1 && tvmq_force(s.delegate, 0, count(&s, 0)) == -1, "nothing to force");
  CHECK(!tvmq_get_node(s.delegate, 0)->forced, "nothing was forced");
  check_run(&s, NULL, "after errors");
  end(&s);
}

// A forced candidate stays so for other shapes, or is refused with a reason.
static void check_resize(void) {
  static const int small[] = {1, 3, 3, NETWORK_C, -1}, large[] = {2, NETWORK_H + 4, NETWORK_H + 4, NETWORK_C, -1};
  struct scene s = begin("1");
  bool kept = false, refused = false;
  const int n = count(&s, 0);
  for (int i = 0; i < n; i++) {
    const struct tvmq_candidate_info forced = *tvmq_get_candidate(s.delegate, 0, i);
    CHECK(tvmq_force(s.delegate, 0, i) == 0, "%s", forced.kernel);
    for (int smaller = 0; smaller < 2; smaller++) {
      const int *dims = smaller ? small : large;
      fake_resize(s.network.graph, s.network.in, dims);
      check_run(&s, dims, "another size");
      const struct tvmq_node_info *node = tvmq_get_node(s.delegate, 0);
      CHECK(node->forced == (node->refusal[0] == '\0'), "%s", node->refusal);
      CHECK(!node->forced || strcmp(node->kernel, forced.kernel) == 0, "%s", node->kernel);
      kept |= node->forced;
      refused |= !node->forced;
    }
    fake_resize(s.network.graph, s.network.in, (const int[]){1, NETWORK_H, NETWORK_H, NETWORK_C, -1});
    check_run(&s, NULL, "the first size");
  }
  CHECK(kept && refused, "both happen");
  end(&s);
}

// Whichever allocation fails: the node keeps a plan that computes the same, or the interpreter has to prepare again.
static void check_memory(void) {
  struct scene s = begin("1");
  check_run(&s, NULL, "before");
  for (int node = 0; node < NODES; node++) {
    const int last = count(&s, node) - 1;
    for (size_t at = 1; at < 8; at++) {
      tvmq_alloc_fail_at(at);
      const int failed = tvmq_force(s.delegate, node, last);
      tvmq_alloc_fail_at(0);
      CHECK(failed == 0 || failed == -2, "node %d, allocation %zu: %d", node, at, failed);
      CHECK((fake_invoke(s.network.graph) == kTfLiteOk) == (failed == 0), "node %d, allocation %zu", node, at);
      check_run(&s, NULL, "after an allocation failed");
    }
  }
  end(&s);
}

// Likewise of a graph that was never prepared: preparing makes good whatever is missing.
static void check_memory_before(void) {
  for (size_t at = 1; at < 12; at++) {
    struct scene s = begin("1");
    const int last = count(&s, 0) - 1;
    tvmq_alloc_fail_at(at);
    const int failed = tvmq_force(s.delegate, 0, last);
    tvmq_alloc_fail_at(0);
    CHECK(failed == 0 || failed == -2, "allocation %zu: %d", at, failed);
    check_run(&s, NULL, "forced before the graph was prepared");
    end(&s);
  }
}

int main(void) {
  check_all("1");
  check_all("2");
  check_signatures();
  check_records();
  check_errors();
  check_resize();
  check_memory();
  check_memory_before();
  return unit_report();
}
