// Operators with several inputs, on the fake runtime: tensors that live past their first reader, that are read twice by one node, that come from inside and
// outside.
#include <stdlib.h>

#include "base/memory.h"
#include "fake_network.h"
#include "operators/desc.h"
#include "operators/op_names.h"
#include "tvmq_delegate.h"
#include "unit.h"

enum { C = 3, SIZE = 7, OUT = 16384 };

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

static int activation_of(struct network *n, int h, int c) { return fake_tensor(n->graph, kTfLiteInt8, (int[]){1, h, SIZE, c, 0}, 0.5f, -5, NULL); }

// A tensor with the scale that all have.
static int concatenate(struct network *n, int axis, int n_in, const int *in, int out) {
  TfLiteConcatenationParams *params = calloc(1, sizeof *params);
  params->axis = axis;
  fake_builtin(n->graph, TVMQ_BUILTIN_CONCATENATION, n_in, in, out, params);
  return out;
}

static int requantized(struct network *n, int in) {
  const int out = activation_of(n, SIZE, C);
  fake_quantize(n->graph, in, out);
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

static void concatenated(struct network *n) {
  const int a = requantized(n, conv(n, n->in)), b = requantized(n, n->in), both = concatenate(n, 3, 3, (int[]){a, b, a}, activation_of(n, SIZE, 3 * C));
  n->out = concatenate(n, 1, 2, (int[]){both, both}, activation_of(n, 2 * SIZE, 3 * C));
}

// A constant, and a tensor without elements, which has no memory.
static void concatenated_to_nothing(struct network *n) {
  static int8_t constant[SIZE * C] = {1, -2, 3};
  const int a = requantized(n, n->in), none = activation_of(n, 1, C);
  n->graph->tensors[none].dims->data[1] = 0;
  n->graph->tensors[none].bytes = 0;
  const int row = fake_tensor(n->graph, kTfLiteInt8, (int[]){1, 1, SIZE, C, 0}, 0.5f, -5, constant);
  n->out = concatenate(n, 1, 3, (int[]){row, none, a}, activation_of(n, SIZE + 1, C));
}

static void as_many_as_there_is_room_for(struct network *n) {
  int in[TVMQ_MAX_IN];
  for (int i = 0; i < TVMQ_MAX_IN; i++) in[i] = i % 3 > 0 ? in[0] : requantized(n, n->in);
  n->out = concatenate(n, 3, TVMQ_MAX_IN, in, activation_of(n, SIZE, TVMQ_MAX_IN * C));
}

static void one_more(struct network *n) {
  int in[TVMQ_MAX_IN + 1];
  for (int i = 0; i <= TVMQ_MAX_IN; i++) in[i] = i > 0 ? in[0] : requantized(n, n->in);
  n->out = concatenate(n, 3, TVMQ_MAX_IN + 1, in, activation_of(n, SIZE, (TVMQ_MAX_IN + 1) * C));
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
  } cases[] = {{"long-lived", long_lived, 0},
               {"read twice", read_twice, 0},
               {"chain", chain, 0},
               {"from outside", from_outside, 1},
               {"constant", of_a_constant, 0},
               {"concatenated", concatenated, 0},
               {"concatenated to nothing", concatenated_to_nothing, 0},
               {"64 inputs", as_many_as_there_is_room_for, 0},
               {"65 inputs", one_more, 1}};
  for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
    const size_t blocks = tvmq_alloc_live();
    struct network n = build(cases[i].add_nodes), reference = build(cases[i].add_nodes);
    TfLiteDelegate *delegate = network_delegate((const char *const[]){"min_nodes_per_partition", "1", NULL});
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
