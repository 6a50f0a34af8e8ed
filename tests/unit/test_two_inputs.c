// Operators with two inputs, on the fake runtime: tensors that live past their first reader, that are read twice by one node, that come from inside and
// outside.
#include <stdlib.h>

#include "fake_network.h"
#include "memory.h"
#include "op_names.h"
#include "tvmq_delegate.h"
#include "unit.h"

enum { C = 3, SIZE = 7, OUT = 4096 };

static int8_t weights[C * 9 * C];
static int32_t biases[C];

static int activation(struct network *n) {
  const float scale = 0.4f + 0.03f * (float)n->graph->n_tensors;
  return fake_tensor(n->graph, kTfLiteInt8, (int[]){1, SIZE, SIZE, C, 0}, scale, -5, NULL);
}

static int conv(struct network *n, int in) {
  const int filter = fake_tensor(n->graph, kTfLiteInt8, (int[]){C, 3, 3, C, 0}, 0.01f, 0, weights);
  const int bias = fake_tensor(n->graph, kTfLiteInt32, (int[]){C, 0}, 0.005f, 0, biases), out = activation(n);
  fake_conv(n->graph, false, in, filter, bias, out, 1, kTfLitePaddingSame);
  return out;
}

static int add(struct network *n, int a, int b) {
  const int out = activation(n);
  fake_builtin(n->graph, TVMQ_BUILTIN_ADD, 2, (int[]){a, b}, out, calloc(1, sizeof(TfLiteAddParams)));
  return out;
}

static int other(struct network *n, int in) {
  const int out = activation(n);
  fake_other(n->graph, in, out);
  return out;
}

// The first tensor is read again after several others have come and gone.
static void long_lived(struct network *n) {
  const int first = conv(n, n->in), second = conv(n, conv(n, conv(n, first)));
  n->out = add(n, first, second);
}

static void read_twice(struct network *n) {
  const int twice = conv(n, n->in);
  n->out = conv(n, add(n, twice, twice));
}

static void chain(struct network *n) {
  const int a = conv(n, n->in), b = add(n, conv(n, a), a), c = add(n, b, conv(n, b));
  n->out = add(n, c, a);
}

// The graph's own input and a tensor that the runtime computes between two partitions.
static void from_outside(struct network *n) {
  const int a = conv(n, n->in), b = other(n, a), c = conv(n, b);
  n->out = add(n, add(n, a, c), add(n, n->in, b));
}

static void of_a_constant(struct network *n) {
  static int8_t constant[SIZE * SIZE * C];
  for (size_t i = 0; i < sizeof constant; i++) constant[i] = (int8_t)(i * 7);
  const int second = fake_tensor(n->graph, kTfLiteInt8, (int[]){1, SIZE, SIZE, C, 0}, 0.3f, 9, constant);
  n->out = conv(n, add(n, conv(n, n->in), second));
}

static struct network build(void (*add_nodes)(struct network *n)) {
  unsigned long long state = 31;
  for (size_t i = 0; i < N_ELEMENTS(weights); i++) weights[i] = (int8_t)(unit_random(&state) >> 56);
  for (size_t i = 0; i < N_ELEMENTS(biases); i++) biases[i] = (int32_t)(unit_random(&state) >> 54);
  struct network n = {.fake = fake_create(88)};
  n.graph = &n.fake->subgraphs[0];
  n.in = activation(&n);
  add_nodes(&n);
  return n;
}

int main(void) {
  static const struct {
    const char *name;
    void (*add_nodes)(struct network *n);
    int left;  // nodes
  } cases[] = {
      {"long-lived", long_lived, 0}, {"read twice", read_twice, 0}, {"chain", chain, 0}, {"from outside", from_outside, 1}, {"constant", of_a_constant, 0}};
  for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
    const size_t blocks = tvmq_alloc_live();
    struct network n = build(cases[i].add_nodes), reference = build(cases[i].add_nodes);
    TfLiteDelegate *delegate = network_delegate(NULL);
    CHECK(fake_apply(n.graph, delegate) == kTfLiteOk, "%s: %s", cases[i].name, n.fake->error);
    const struct tvmq_delegate_info *info = tvmq_get_delegate(delegate);
    CHECK(info->claimed == info->nodes - cases[i].left, "%s: %d of %d claimed", cases[i].name, info->claimed, info->nodes);
    for (unsigned long long seed = 1; seed <= 3; seed++) {
      int8_t got[OUT], wanted[OUT];
      const size_t size = network_run(&n, seed, got, OUT), expected = network_run(&reference, seed, wanted, OUT);
      CHECK(size == expected && size > 0 && memcmp(got, wanted, size) == 0, "%s: %zu bytes", cases[i].name, size);
    }
    fake_destroy(n.fake);
    fake_destroy(reference.fake);
    network_delegate_destroy(delegate);
    CHECK(tvmq_alloc_live() == blocks, "%s: blocks left", cases[i].name);
  }
  return unit_report();
}
