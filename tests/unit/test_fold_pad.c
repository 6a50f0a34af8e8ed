// PADs folded into the convolutions that read them, on the fake runtime: what is folded, what is computed instead, and that results stay what they were.
#include <stdlib.h>

#include "base/memory.h"
#include "fake_network.h"
#include "operators/op_names.h"
#include "tvmq_delegate.h"
#include "unit.h"

enum { C = 3, SIZE = 9, OUT = 8192, N_OUTPUTS = 2 };

static int8_t weights[C * 9 * C];
static int32_t biases[C];
static const int32_t margins[8] = {0, 0, 2, 1, 0, 3, 0, 0};

// in -> [what a case puts before] -> PAD -> CONV_2D 3x3, VALID, stride 2, and what else a case adds.
struct graph {
  struct fake *fake;
  struct fake_subgraph *s;
  int in, source, padded;  // tensors: of the graph, before the PAD, behind it
  int pad, conv;           // nodes
  int outputs[N_OUTPUTS], n_outputs;
};

static int activation(struct graph *g) { return fake_tensor(g->s, kTfLiteInt8, (int[]){1, SIZE, SIZE, C, 0}, 0.5f, -5, NULL); }

static int add_conv(struct graph *g, bool depthwise, int in, int stride) {
  const int filter = fake_tensor(g->s, kTfLiteInt8, depthwise ? (int[]){1, 3, 3, C, 0} : (int[]){C, 3, 3, C, 0}, 0.01f, 0, weights);
  const int bias = fake_tensor(g->s, kTfLiteInt32, (int[]){C, 0}, 0.005f, 0, biases), out = activation(g);
  fake_conv(g->s, depthwise, in, filter, bias, out, stride, kTfLitePaddingValid);
  return out;
}

static void add_pad(struct graph *g, int in) {
  const int paddings = fake_tensor(g->s, kTfLiteInt32, (int[]){4, 2, 0}, 0, 0, margins);
  g->source = in;
  g->padded = activation(g);
  g->pad = fake_builtin(g->s, TVMQ_BUILTIN_PAD, 2, (int[]){in, paddings}, g->padded, NULL);
}

static struct graph begin(void) {
  unsigned long long state = 99;
  for (size_t i = 0; i < N_ELEMENTS(weights); i++) weights[i] = (int8_t)(unit_random(&state) >> 56);
  for (size_t i = 0; i < N_ELEMENTS(biases); i++) biases[i] = (int32_t)(unit_random(&state) >> 54);
  struct graph g = {.fake = fake_create(88)};
  g.s = &g.fake->subgraphs[0];
  g.in = activation(&g);
  return g;
}

static void add_pad_and_conv(struct graph *g, int in) {
  add_pad(g, in);
  g->conv = g->pad + 1;
  g->outputs[g->n_outputs++] = add_conv(g, false, g->padded, 2);
}

static struct graph alone(void) {
  struct graph g = begin();
  add_pad_and_conv(&g, g.in);
  return g;
}

static struct graph inside(void) {
  struct graph g = begin();
  add_pad_and_conv(&g, add_conv(&g, true, g.in, 1));
  return g;
}

static struct graph two_readers(void) {
  struct graph g = alone();
  g.outputs[g.n_outputs++] = add_conv(&g, true, g.padded, 1);
  return g;
}

// The padded tensor's input is read by another node too.
static struct graph read_again(void) {
  struct graph g = inside();
  g.outputs[g.n_outputs++] = add_conv(&g, true, g.source, 1);
  return g;
}

static struct graph unknown_reader(void) {
  struct graph g = alone();
  g.outputs[g.n_outputs++] = activation(&g);
  fake_other(g.s, g.padded, g.outputs[1]);
  return g;
}

static struct graph quantize_reader(void) {
  struct graph g = alone();
  g.outputs[g.n_outputs++] = fake_tensor(g.s, kTfLiteInt8, (int[]){1, SIZE, SIZE, C, 0}, 0.25f, 3, NULL);
  fake_quantize(g.s, g.padded, g.outputs[1]);
  return g;
}

static struct graph no_reader(void) {
  struct graph g = begin();
  add_pad(&g, g.in);
  g.outputs[g.n_outputs++] = g.padded;
  return g;
}

static struct graph pad_of_pad(void) {
  struct graph g = begin();
  add_pad(&g, g.in);
  add_pad_and_conv(&g, g.padded);
  g.pad = 0;
  return g;
}

// The padded tensor's input is overwritten before the padded tensor is read.
static struct graph overwritten(void) {
  struct graph g = begin();
  const int source = activation(&g), other = fake_tensor(g.s, kTfLiteInt8, (int[]){1, SIZE, SIZE, C, 0}, 0.25f, 3, NULL);
  fake_quantize(g.s, g.in, source);
  add_pad(&g, source);
  fake_quantize(g.s, g.in, other);
  fake_quantize(g.s, other, source);
  g.conv = g.pad + 3;
  g.outputs[g.n_outputs++] = add_conv(&g, false, g.padded, 2);
  return g;
}

static struct graph other_scale(void) {
  struct graph g = alone();
  g.s->tensors[g.in].params.scale = 0.25f;
  return g;
}

static size_t run(struct graph *g, unsigned long long seed, int8_t *out) {
  if (fake_allocate(g->s) != kTfLiteOk) return 0;
  TfLiteTensor *in = &g->s->tensors[g->in];
  for (size_t i = 0; i < in->bytes; i++) ((int8_t *)in->data)[i] = (int8_t)(unit_random(&seed) >> 56);
  if (fake_invoke(g->s) != kTfLiteOk) return 0;
  size_t n = 0;
  for (int i = 0; i < g->n_outputs; i++) {
    const TfLiteTensor *output = &g->s->tensors[g->outputs[i]];
    if (n + output->bytes > OUT) return 0;
    memcpy(out + n, output->data, output->bytes);
    n += output->bytes;
  }
  return n;
}

static bool check_run(const char *name, struct graph *g, struct graph (*build)(void), const int *dims) {
  static unsigned long long seed = 5;
  int8_t got[OUT], wanted[OUT];
  struct graph reference = build();
  if (dims != NULL) fake_resize(reference.s, reference.in, dims);
  seed++;
  const size_t n = run(g, seed, got), n_wanted = run(&reference, seed, wanted);
  fake_destroy(reference.fake);
  if (!CHECK(n == n_wanted && n > 0, "%s: %zu bytes instead of %zu: %s", name, n, n_wanted, g->fake->error)) return false;
  return CHECK(memcmp(got, wanted, n) == 0, "%s", name) && CHECK(g->fake->misuses == 0, "%s: %d misuses", name, g->fake->misuses);
}

static const struct tvmq_node_info *info_of(TfLiteDelegate *delegate, int node) {
  const struct tvmq_node_info *info;
  for (int i = 0; (info = tvmq_get_node(delegate, i)) != NULL && info->node != node; i++) continue;
  return info;
}

// A reason, or what the PAD is folded into, or that it is copied.
static const struct {
  const char *name;
  struct graph (*build)(void);
  const char *options[3];
  const char *reason, *folded;
} cases[] = {
    {"alone", alone, {0}, "", "folded into node 1"},
    {"C", alone, {"isa", "c"}, "", "folded into node 1"},
    {"threads", alone, {"num_threads", "2"}, "", "folded into node 1"},
    {"inside a partition", inside, {0}, "", "folded into node 2"},
    {"two readers", two_readers, {0}, "", "folded into node 1, 2"},
    {"its input is read again", read_again, {0}, "", "folded into node 2"},
    {"an unknown reader", unknown_reader, {0}, "", "copies"},
    {"another reader", quantize_reader, {0}, "", "copies"},
    {"no reader", no_reader, {0}, "", "copies"},
    {"a PAD as reader", pad_of_pad, {0}, "", "copies"},
    {"overwritten", overwritten, {0}, "a node of the graph overwrites a tensor", ""},
    {"another scale", other_scale, {0}, "", "copies"},
    {"few nodes", alone, {"min_nodes_per_partition", "3"}, "its partition has fewer nodes than min_nodes_per_partition", ""},
};

static void check_cases(void) {
  for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
    const char *name = cases[i].name;
    const size_t blocks = tvmq_alloc_live();
    struct graph g = cases[i].build();
    TfLiteDelegate *delegate = network_delegate(cases[i].options);
    CHECK(fake_apply(g.s, delegate) == kTfLiteOk, "%s: %s", name, g.fake->error);
    for (int repeat = 0; repeat < 2; repeat++) {
      check_run(name, &g, cases[i].build, NULL);
      const struct tvmq_node_info *pad = info_of(delegate, g.pad), *conv = info_of(delegate, g.conv);
      CHECK_STRING(pad->reason, cases[i].reason, name);
      CHECK_STRING(pad->algorithm, cases[i].folded, name);
      const bool folded = strstr(cases[i].folded, "folded") != NULL;
      CHECK(pad->claimed == (cases[i].reason[0] == '\0') && pad->folded_into == (folded ? conv->node : -1), "%s: %d", name, pad->folded_into);
      CHECK(pad->kernel[0] == '\0' && pad->macs == 0 && pad->packed_bytes == 0, "%s: nothing of it runs", name);
      CHECK(!pad->claimed || pad->partition == conv->partition, "%s: one partition", name);
    }
    fake_destroy(g.fake);
    network_delegate_destroy(delegate);
    CHECK(tvmq_alloc_live() == blocks, "%s: blocks left", name);
  }
}

// The padded tensor's shape follows, though it takes no memory.
static void check_resize(void) {
  static const int shapes[][5] = {{2, 13, 4, C, -1}, {1, 1, 1, C, -1}, {1, SIZE, SIZE, C, -1}};
  struct graph g = inside();
  TfLiteDelegate *delegate = network_delegate(NULL);
  CHECK(fake_apply(g.s, delegate) == kTfLiteOk, "%s", g.fake->error);
  check_run("as in the file", &g, inside, NULL);
  for (size_t i = 0; i < N_ELEMENTS(shapes); i++) {
    fake_resize(g.s, g.in, shapes[i]);
    if (shapes[i][1] < 3) {  // too small for the first convolution
      CHECK(fake_allocate(g.s) == kTfLiteError && info_of(delegate, g.pad)->claimed, "shape %zu", i);
      g.fake->error[0] = '\0';
      continue;
    }
    check_run("resized", &g, inside, shapes[i]);
    const int *dims = g.s->tensors[g.padded].dims->data;
    CHECK(dims[1] == shapes[i][1] - 2 + 3 && dims[2] == shapes[i][2] - 2 + 3, "%d x %d", dims[1], dims[2]);
    CHECK_STRING(info_of(delegate, g.pad)->algorithm, "folded into node 2", "after a resize");
  }
  CHECK(tvmq_get_delegate(delegate)->arena_bytes <= (size_t)SIZE * SIZE * C * 2, "%llu bytes between the nodes", tvmq_get_delegate(delegate)->arena_bytes);
  fake_destroy(g.fake);
  network_delegate_destroy(delegate);
}

int main(void) {
  check_cases();
  check_resize();
  return unit_report();
}
