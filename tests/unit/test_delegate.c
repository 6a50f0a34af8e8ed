// The whole delegate on the fake runtime: what it claims, computes, keeps and gives back, in every order of events.
#include <limits.h>

#include "base/memory.h"
#include "fake_network.h"
#include "tvmq_delegate.h"
#include "unit.h"

enum { OUT = 4096 };

// Runs the network and compares with what the fake runtime's own kernels compute.
static bool check_run(const char *name, struct network *network, bool interrupted, const int *dims) {
  static unsigned long long seed = 1;
  int8_t got[OUT], wanted[OUT];
  seed++;
  const size_t n = network_run(network, seed, got, OUT), n_wanted = network_reference(interrupted, dims, seed, wanted, OUT);
  if (!CHECK(n == n_wanted && n > 0, "%s: %zu bytes instead of %zu: %s", name, n, n_wanted, network->fake->error)) return false;
  return CHECK(memcmp(got, wanted, n) == 0, "%s", name) && CHECK(network->fake->misuses == 0, "%s: %d misuses", name, network->fake->misuses);
}

struct scene {
  struct network network;
  TfLiteDelegate *delegate;
  bool interrupted;
  size_t blocks;
};

static struct scene begin(bool interrupted, const char *const *pairs) {
  struct scene scene = {.blocks = tvmq_alloc_live(), .interrupted = interrupted};
  scene.network = network_create(interrupted);
  scene.delegate = network_delegate(pairs);
  CHECK(scene.delegate != NULL, "%s", network_message());
  return scene;
}
#define BEGIN(interrupted, ...) begin((interrupted), (const char *const[]){__VA_ARGS__, NULL})

static void end(struct scene *scene) {
  fake_destroy(scene->network.fake);
  network_delegate_destroy(scene->delegate);
  CHECK(tvmq_alloc_live() == scene->blocks, "%zu blocks left", tvmq_alloc_live() - scene->blocks);
}

static TfLiteStatus apply(struct scene *scene) { return fake_apply(scene->network.graph, scene->delegate); }

static const char *reason_of(const struct scene *scene, int node) {
  const struct tvmq_node_info *info;
  for (int i = 0; (info = tvmq_get_node(scene->delegate, i)) != NULL; i++) {
    if (info->node == node) return info->reason;
  }
  return NULL;
}

// Nothing is claimed, and all of the `n` nodes say why.
static void check_undone(const struct scene *scene, int n) {
  const struct tvmq_delegate_info *info = tvmq_get_delegate(scene->delegate);
  CHECK(info->nodes == n && info->claimed == 0 && info->partitions == 0 && info->arena_bytes == 0 && info->packed_bytes == 0, "%d claimed", info->claimed);
  const struct tvmq_node_info *node;
  for (int i = 0; (node = tvmq_get_node(scene->delegate, i)) != NULL; i++)
    CHECK(!node->claimed && node->partition == -1 && node->reason[0] != '\0' && node->kernel[0] == '\0', "node %d: \"%s\"", i, node->reason);
}

// ---- what is claimed

static void check_claim(void) {
  struct scene s = BEGIN(false, "profile", "true");
  CHECK(apply(&s) == kTfLiteOk, "%s", s.network.fake->error);
  CHECK(fake_delegate_nodes(s.network.graph) == 1 && s.network.graph->n_plan == 1, "one partition");
  const struct tvmq_delegate_info *info = tvmq_get_delegate(s.delegate);
  CHECK(info->subgraphs == 1 && info->nodes == 3 && info->claimed == 3 && info->partitions == 1 && info->plans == 3 && info->packs == 2, "packs %llu",
        info->packs);
  CHECK(info->arena_bytes > 0 && info->packed_bytes > 0 && info->threads == 1 && info->error[0] == '\0', "sizes");
  const struct tvmq_node_info *node = tvmq_get_node(s.delegate, 1);
  CHECK_STRING(node->op, "DEPTHWISE_CONV_2D", "operator");
  CHECK(node->claimed && node->partition == 0 && node->macs == 4 * 4 * 3 * 9 && node->kernel[0] != '\0' && node->packing[0] != '\0', "macs %llu", node->macs);
  CHECK(tvmq_get_node(s.delegate, 3) == NULL && tvmq_get_node(s.delegate, -1) == NULL, "past the ends");

  check_run("first", &s.network, false, NULL);
  check_run("second", &s.network, false, NULL);
  CHECK(tvmq_get_delegate(s.delegate)->plans == 3, "preparing again plans nothing");
  const struct tvmq_profile_info *profile = tvmq_get_profile(s.delegate, 2);
  CHECK(profile->count == 2 && profile->min_ns <= profile->max_ns && profile->total_ns == profile->first_ns + profile->last_ns, "count %llu", profile->count);
  CHECK(tvmq_reset_profile(s.delegate) == 0 && tvmq_get_profile(s.delegate, 2)->count == 0, "reset");
  end(&s);
}

// One span for each run of a node, in order, as long as its profile says.
static void check_spans(void) {
  struct scene s = BEGIN(true, "profile", "true", "num_threads", "2");
  CHECK(apply(&s) == kTfLiteOk && tvmq_get_span(s.delegate, 0) == NULL, "before the first run");
  for (int runs = 1; runs <= 3; runs++) {
    tvmq_reset_profile(s.delegate);
    for (int i = 0; i < runs; i++) check_run("traced", &s.network, true, NULL);
    const int nodes[] = {s.network.conv, s.network.depthwise, s.network.quantize};
    unsigned long long total[N_ELEMENTS(nodes)] = {0}, last = 0;
    const struct tvmq_span_info *span;
    int n = 0;
    for (int i = 0; (span = tvmq_get_span(s.delegate, i)) != NULL; i++) {
      if (span->task >= 0) continue;
      CHECK(span->node == nodes[n % 3] && span->subgraph == 0 && span->thread == 0, "span %d: node %d", n, span->node);
      CHECK(span->start_ns >= last && span->end_ns >= span->start_ns, "span %d", n);
      total[n++ % 3] += span->end_ns - span->start_ns;
      last = span->end_ns;
    }
    CHECK(n == 3 * runs, "%d spans in %d runs", n, runs);
    for (size_t i = 0; i < N_ELEMENTS(nodes); i++) {
      const struct tvmq_profile_info *profile = tvmq_get_profile(s.delegate, nodes[i]);
      CHECK(profile->total_ns == total[i], "node %d: %llu and %llu ns", nodes[i], profile->total_ns, total[i]);
    }
  }
  CHECK(tvmq_reset_profile(s.delegate) == 0 && tvmq_get_span(s.delegate, 0) == NULL && tvmq_get_span(s.delegate, -1) == NULL, "reset");
  end(&s);
  s = BEGIN(false, "profile", "no");
  CHECK(apply(&s) == kTfLiteOk, "%s", s.network.fake->error);
  check_run("not traced", &s.network, false, NULL);
  CHECK(tvmq_get_span(s.delegate, 0) == NULL, "not traced");
  const struct tvmq_peak_info *peak = tvmq_measure_peak(s.delegate);
  CHECK(peak != NULL && peak->macs_per_second > 0 && peak->threads == 1, "peak");
  end(&s);
}

static void check_interrupted(void) {
  struct scene s = BEGIN(true, "num_threads", "2");
  CHECK(apply(&s) == kTfLiteOk && fake_delegate_nodes(s.network.graph) == 2, "two partitions");
  CHECK(tvmq_get_node(s.delegate, 0)->partition == 0 && tvmq_get_node(s.delegate, 3)->partition == 1, "numbers");
  CHECK(!tvmq_get_node(s.delegate, 1)->claimed && tvmq_get_node(s.delegate, 1)->partition == -1, "the unknown operator");
  CHECK_STRING(tvmq_get_node(s.delegate, 1)->reason, "the delegate has no kernels for this operator", "reason");
  check_run("interrupted", &s.network, true, NULL);
  CHECK(fake_apply(s.network.graph, s.delegate) == kTfLiteOk && tvmq_get_delegate(s.delegate)->claimed == 3, "applied twice");
  check_run("applied twice", &s.network, true, NULL);
  end(&s);
}

static void check_limits(void) {
  struct scene s = BEGIN(true, "min_nodes_per_partition", "2");
  CHECK(apply(&s) == kTfLiteOk && tvmq_get_delegate(s.delegate)->claimed == 2, "small partition");
  CHECK_STRING(reason_of(&s, s.network.conv), "its partition has fewer nodes than min_nodes_per_partition", "small");
  check_run("small partition", &s.network, true, NULL);
  end(&s);

  s = BEGIN(true, "max_delegated_partitions", "1");
  CHECK(apply(&s) == kTfLiteOk && tvmq_get_delegate(s.delegate)->claimed == 2, "surplus partition");
  CHECK_STRING(reason_of(&s, s.network.conv), "max_delegated_partitions is reached by larger partitions", "surplus");
  CHECK(tvmq_get_node(s.delegate, 0)->kernel[0] == '\0', "a refused node shows no kernel");
  check_run("surplus partition", &s.network, true, NULL);
  end(&s);

  s = BEGIN(false, "min_nodes_per_partition", "4");
  CHECK(apply(&s) == kTfLiteOk && fake_delegate_nodes(s.network.graph) == 0, "nothing is large enough");
  check_run("nothing", &s.network, false, NULL);
  end(&s);
}

// Other kernels perhaps, the same results.
static void check_tune(void) {
  for (int i = 0; i < 2; i++) {
    struct scene s = BEGIN(false, "tune", i == 0 ? "out_of_order" : "in_order");
    CHECK(apply(&s) == kTfLiteOk && tvmq_get_delegate(s.delegate)->in_order == i, "%s", s.network.fake->error);
    check_run(i == 0 ? "out of order" : "in order", &s.network, false, NULL);
    end(&s);
  }
  struct scene s = BEGIN(false, "tune", "auto");
  CHECK(tvmq_get_delegate(s.delegate)->in_order == tvmq_get_cpu()->in_order, "as the CPU");
  end(&s);
}

static void check_require_full(void) {
  struct scene s = BEGIN(true, "require_full_delegation", "on");
  CHECK(apply(&s) == kTfLiteError, "not full");
  CHECK_STRING(
      s.network.fake->error,
      "tvmq-delegate: require_full_delegation: node 1 (FLOOR) of subgraph 0 would be left to the runtime: the delegate has no kernels for this operator",
      "error");
  CHECK_STRING(tvmq_get_delegate(s.delegate)->error, s.network.fake->error + strlen("tvmq-delegate: "), "kept");
  check_undone(&s, 4);
  check_run("undone", &s.network, true, NULL);
  end(&s);
  s = BEGIN(false, "require_full_delegation", "on");
  CHECK(apply(&s) == kTfLiteOk && tvmq_get_delegate(s.delegate)->claimed == 3, "full");
  end(&s);
}

// ---- shapes that change

static void check_resize(void) {
  static const int larger[] = {2, 13, 8, NETWORK_C, -1}, first[] = {1, NETWORK_H, NETWORK_H, NETWORK_C, -1}, empty[] = {0, 9, 9, NETWORK_C, -1},
                   small[] = {1, 2, 2, NETWORK_C, -1};
  struct scene s = BEGIN(false, "isa", "c");
  CHECK(apply(&s) == kTfLiteOk, "%s", s.network.fake->error);
  check_run("as in the file", &s.network, false, NULL);
  fake_resize(s.network.graph, s.network.in, larger);
  check_run("larger", &s.network, false, larger);
  CHECK(tvmq_get_delegate(s.delegate)->plans == 6 && tvmq_get_delegate(s.delegate)->packs == 2, "planned again, not packed again");
  fake_resize(s.network.graph, s.network.in, empty);
  int8_t none[1];
  CHECK(network_run(&s.network, 1, none, 0) == 0 && s.network.graph->tensors[s.network.out].dims->data[0] == 0, "empty batch: %s", s.network.fake->error);
  CHECK_STRING(s.network.fake->error, "", "an empty batch is no error");
  fake_resize(s.network.graph, s.network.in, small);  // the depthwise convolution has a filter of 3x3
  CHECK(network_run(&s.network, 1, none, 0) == 0 && s.network.graph->tensors[s.network.out].dims->data[1] == 0, "no pixels: %s", s.network.fake->error);
  CHECK_STRING(s.network.fake->error, "", "an empty output is no error");
  fake_resize(s.network.graph, s.network.in, first);
  check_run("back", &s.network, false, NULL);
  end(&s);
}

static void check_bad_resize(void) {
  static const struct {
    int dims[6], node;
    const char *reason;
  } cases[] = {
      {{1, 9, 9, NETWORK_C + 1, -1},
       0,
       "tvmq-delegate: node 0 (CONV_2D) cannot be prepared: input channels are not a multiple of the weights' input channels (inputs: 1x9x9x6, 3x3x3x5, 3)"},
      {{1, 9, NETWORK_C, -1}, 0, "tvmq-delegate: node 0 (CONV_2D) cannot be prepared: the input is not 4-dimensional (inputs: 1x9x5, 3x3x3x5, 3)"},
  };
  static const int first[] = {1, NETWORK_H, NETWORK_H, NETWORK_C, -1};
  struct scene s = BEGIN(false, "profile", "no");
  CHECK(apply(&s) == kTfLiteOk, "%s", s.network.fake->error);
  for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
    fake_resize(s.network.graph, s.network.in, cases[i].dims);
    CHECK(fake_allocate(s.network.graph) == kTfLiteError, "case %zu", i);
    CHECK_STRING(s.network.fake->error, cases[i].reason, "message");
    CHECK(fake_invoke(s.network.graph) == kTfLiteError, "running what is not prepared");
    const struct tvmq_node_info *node = tvmq_get_node(s.delegate, cases[i].node);
    CHECK(node->claimed && node->kernel[0] == '\0' && node->packed_bytes == 0, "case %zu: it keeps no kernel", i);
    fake_resize(s.network.graph, s.network.in, first);
    s.network.fake->error[0] = '\0';
    check_run("after a bad shape", &s.network, false, NULL);
  }
  s.network.fake->refuses_resize = true;
  CHECK(fake_allocate(s.network.graph) == kTfLiteError, "the runtime refuses");
  s.network.fake->refuses_resize = false;
  check_run("after a refusal", &s.network, false, NULL);
  end(&s);
}

// ---- lives

static void check_interpreters(void) {
  struct scene s = BEGIN(false, "profile", "no");
  CHECK(apply(&s) == kTfLiteOk, "first");
  struct network second = network_create(false);
  CHECK(fake_apply(second.graph, s.delegate) == kTfLiteError, "second at the same time");
  CHECK_STRING(second.fake->error, "tvmq-delegate: the delegate already serves another interpreter; load one for each interpreter", "message");
  check_run("second, undelegated", &second, false, NULL);
  check_run("first goes on", &s.network, false, NULL);
  fake_destroy(s.network.fake);
  s.network = second;
  CHECK(apply(&s) == kTfLiteOk && tvmq_get_delegate(s.delegate)->subgraphs == 1, "second after the first");
  check_run("second", &s.network, false, NULL);
  end(&s);
}

// An interpreter where another was.
static void check_same_address(void) {
  TfLiteExternalContext place = {0};
  struct scene s = BEGIN(false, "profile", "no");
  s.network.fake->cpu_backend = &place;
  CHECK(apply(&s) == kTfLiteOk, "first");
  struct network second = network_create(false);
  second.fake->cpu_backend = &place;
  fake_destroy(s.network.fake);
  s.network = second;
  CHECK(apply(&s) == kTfLiteOk && tvmq_get_delegate(s.delegate)->subgraphs == 1, "the first is forgotten");
  check_run("second", &s.network, false, NULL);
  end(&s);
}

static void check_subgraphs(void) {
  struct scene s = BEGIN(false, "profile", "no");
  struct fake_subgraph *other = &s.network.fake->subgraphs[1];
  const int dims[] = {3, 5, 0};
  const int in = fake_tensor(other, kTfLiteInt8, dims, 0.5f, 1, NULL), out = fake_tensor(other, kTfLiteInt8, dims, 0.25f, 0, NULL);
  fake_quantize(other, in, out);
  CHECK(apply(&s) == kTfLiteOk && fake_apply(other, s.delegate) == kTfLiteOk, "both");
  CHECK(tvmq_get_delegate(s.delegate)->subgraphs == 2 && tvmq_get_delegate(s.delegate)->partitions == 2, "counts");
  const struct tvmq_node_info *node = tvmq_get_node(s.delegate, 3);
  CHECK(node != NULL && node->subgraph == 1 && node->node == 0 && node->partition == 0, "the second subgraph's node");
  check_run("first subgraph", &s.network, false, NULL);
  CHECK(fake_allocate(other) == kTfLiteOk, "allocate");
  memset(other->tensors[in].data, 2, 15);
  CHECK(fake_invoke(other) == kTfLiteOk && ((int8_t *)other->tensors[out].data)[14] == 2, "(2 - 1) * 0.5 / 0.25");
  end(&s);
}

static void check_undo(void) {
  struct scene s = BEGIN(true, "profile", "no");
  for (int i = 0; i < 3; i++) {
    CHECK(apply(&s) == kTfLiteOk && tvmq_get_delegate(s.delegate)->claimed == 3 && tvmq_get_delegate(s.delegate)->partitions == 2, "delegation %d", i);
    check_run("delegated", &s.network, true, NULL);
    fake_undo(s.network.graph);
    check_run("undone", &s.network, true, NULL);
  }
  s.network.fake->refuses_resize = true;
  CHECK(apply(&s) == kTfLiteOk && fake_allocate(s.network.graph) == kTfLiteError, "it cannot be prepared");
  fake_undo(s.network.graph);
  check_undone(&s, 4);
  end(&s);
}

// The wrong order, in which the delegate goes first.
static void check_early_destroy(void) {
  struct scene s = BEGIN(true, "num_threads", "2");
  CHECK(apply(&s) == kTfLiteOk, "apply");
  network_delegate_destroy(s.delegate);
  check_run("the interpreter outlives the delegate", &s.network, true, NULL);
  s.delegate = NULL;
  end(&s);
}

static void check_foreign(void) {
  TfLiteDelegate foreign = {0};
  const void *const pointers[] = {NULL, &foreign};
  for (size_t i = 0; i < N_ELEMENTS(pointers); i++) {
    CHECK(tvmq_get_delegate(pointers[i]) == NULL && tvmq_get_node(pointers[i], 0) == NULL && tvmq_get_profile(pointers[i], 0) == NULL, "pointer %zu", i);
    CHECK(tvmq_get_span(pointers[i], 0) == NULL && tvmq_get_buffer(pointers[i], 0) == NULL && tvmq_measure_peak(pointers[i]) == NULL &&
              tvmq_reset_profile(pointers[i]) == -1,
          "pointer %zu", i);
  }
  CHECK(tvmq_set_machine(&foreign, NULL) == -1 && tvmq_get_kernel(-1) == NULL && tvmq_get_kernel(INT_MIN) == NULL, "no kernel, no machine");
  network_delegate_destroy(&foreign);
  CHECK(network_delegate((const char *const[]){"rounding", "wrong", NULL}) == NULL && network_message()[0] != '\0', "a bad option");
}

// ---- memory that runs out

typedef size_t (*fail_fn)(size_t n);

// The n-th allocation fails, alone or with all after it, at any point of a delegate's life: the graph is delegated in part or not at all, and what runs is
// right. Returns whether it was delegated whole.
static bool check_failure(fail_fn fail, size_t n) {
  const size_t blocks = tvmq_alloc_live();
  bool whole = false;
  struct network network = network_create(true);
  fail(n);
  TfLiteDelegate *delegate = network_delegate((const char *const[]){"profile", "true", "num_threads", "2", NULL});
  if (delegate == NULL) {
    CHECK_STRING(network_message(), "tvmq-delegate: out of memory", "message");
  } else {
    CHECK(fake_apply(network.graph, delegate) == kTfLiteOk, "applying, failure from %zu on: %s", n, network.fake->error);
    const TfLiteStatus status = fake_allocate(network.graph);
    CHECK(status == kTfLiteOk || network.fake->error[0] != '\0', "an error says why, failure from %zu on", n);
    whole = tvmq_get_delegate(delegate)->claimed == 3 && status == kTfLiteOk;
  }
  tvmq_alloc_fail_at(0);
  char name[48];
  snprintf(name, sizeof name, "after failure from %zu on", n);
  check_run(name, &network, true, NULL);
  fake_destroy(network.fake);
  network_delegate_destroy(delegate);
  CHECK(tvmq_alloc_live() == blocks, "failure from %zu on: %zu blocks left", n, tvmq_alloc_live() - blocks);
  return whole;
}

static void check_failures(void) {
  size_t n = 1;
  while (n < 200 && !check_failure(tvmq_alloc_fail_at, n)) n++;
  CHECK(n > 15 && n < 200, "%zu allocations", n);  // delegate, records, three operators, packing, scratch, partitions, arenas, shapes
  for (size_t i = 1; i < n; i++) check_failure(tvmq_alloc_fail_once, i);
}

// A larger shape needs memory that is not there: one error, and the next attempt succeeds.
static void check_failures_of_resize(void) {
  static const int larger[] = {2, 40, 40, NETWORK_C, -1};
  bool prepared = false;
  for (size_t n = 1; !prepared; n++) {
    struct scene s = BEGIN(false, "profile", "no");
    CHECK(apply(&s) == kTfLiteOk, "apply");
    check_run("before", &s.network, false, NULL);
    fake_resize(s.network.graph, s.network.in, larger);
    tvmq_alloc_fail_at(n);
    prepared = fake_allocate(s.network.graph) == kTfLiteOk;
    tvmq_alloc_fail_at(0);
    CHECK(prepared == (s.network.fake->error[0] == '\0'), "failure from %zu on: \"%s\"", n, s.network.fake->error);
    int8_t out[2 * 20 * 20 * NETWORK_FILTERS], wanted[sizeof out];
    const size_t size = network_run(&s.network, n, out, sizeof out);
    CHECK(size > 0 && network_reference(false, larger, n, wanted, sizeof wanted) == size && memcmp(out, wanted, size) == 0, "failure from %zu on", n);
    end(&s);
    if (!CHECK(n < 50, "never succeeds")) return;
  }
}

int main(void) {
  check_claim();
  check_spans();
  check_interrupted();
  check_limits();
  check_tune();
  check_require_full();
  check_resize();
  check_bad_resize();
  check_interpreters();
  check_same_address();
  check_subgraphs();
  check_undo();
  check_early_destroy();
  check_foreign();
  check_failures();
  check_failures_of_resize();
  return unit_report();
}
