// Tensors of int8 that are turned to uint8, on the fake runtime: which of a graph's are, and that descriptions turned twice are what they were.
#include <stdlib.h>

#include "fake_network.h"
#include "graph/turn_bytes.h"
#include "operators/op_names.h"
#include "unit.h"

enum { C = 3, SIZE = 8, MOST_NODES = 8 };

static int8_t weights[C * C];
static int32_t biases[C];

// Nodes one after the other; each case names the tensors that partitions put out.
struct graph {
  struct fake *fake;
  struct fake_subgraph *s;
  int in;
};

static struct graph begin(void) {
  struct graph g = {.fake = fake_create(88)};
  g.s = &g.fake->subgraphs[0];
  g.in = fake_tensor(g.s, kTfLiteInt8, (int[]){1, SIZE, SIZE, C, 0}, 0.5f, -5, NULL);
  return g;
}

static int activation(struct graph *g) { return fake_tensor(g->s, kTfLiteInt8, (int[]){1, SIZE, SIZE, C, 0}, 0.5f, -5, NULL); }

static int conv(struct graph *g, int in) {
  const int filter = fake_tensor(g->s, kTfLiteInt8, (int[]){C, 1, 1, C, 0}, 0.01f, 0, weights);
  const int bias = fake_tensor(g->s, kTfLiteInt32, (int[]){C, 0}, 0.005f, 0, biases), out = activation(g);
  fake_conv(g->s, false, in, filter, bias, out, 1, kTfLitePaddingValid);
  return out;
}

static int add(struct graph *g, int a, int b) {
  const int out = activation(g);
  fake_builtin(g->s, TVMQ_BUILTIN_ADD, 2, (int[]){a, b}, out, calloc(1, sizeof(TfLiteAddParams)));
  return out;
}

// A node whose values depend on the sign of its bytes.
static int average(struct graph *g, int in) {
  TfLitePoolParams *params = calloc(1, sizeof *params);
  *params = (TfLitePoolParams){.padding = kTfLitePaddingValid, .stride_width = 1, .stride_height = 1, .filter_width = 1, .filter_height = 1};
  const int out = activation(g);
  fake_builtin(g->s, TVMQ_BUILTIN_AVERAGE_POOL_2D, 1, &in, out, params);
  return out;
}

static TfLiteIntArray *list(const int *values, int n) {
  TfLiteIntArray *array = malloc(sizeof *array + (size_t)n * sizeof array->data[0]);
  array->size = n;
  memcpy(array->data, values, (size_t)n * sizeof array->data[0]);
  return array;
}

// Whether the nodes read and write turned tensors, in two partitions: the first `n_first` nodes, which put out the tensor `out`, and the others. `wanted` has
// two characters a node, of its input and of its output: `u` where it is turned, `s` where it is as the model has it.
static void check(struct graph *g, uint32_t cpu, int n_nodes, int n_first, int out, int last, const char *wanted, const char *name) {
  const struct tvmq_reference reference = {.scaling = TVMQ_SCALING_FIXED_POINT};
  g->fake->applying = true;
  struct tvmq_subgraph *subgraph = tvmq_subgraph_create(&g->s->context, 0, true, &reference);
  const struct tvmq_env env = {.cpu = cpu};
  int nodes[MOST_NODES];
  for (int i = 0; i < n_nodes; i++) nodes[i] = i;
  TfLiteDelegateParams partitions[2] = {
      {.nodes_to_replace = list(nodes, n_first), .output_tensors = list(&out, 1)},
      {.nodes_to_replace = list(nodes + n_first, n_nodes - n_first), .output_tensors = list(&last, 1)},
  };
  CHECK(tvmq_turn_bytes(subgraph, &g->s->context, &env, partitions, n_first < n_nodes ? 2 : 1), "%s", name);
  char got[2 * MOST_NODES + 1] = "";
  for (int i = 0; i < n_nodes; i++) {
    const struct tvmq_record *record = tvmq_subgraph_find(subgraph, i);
    CHECK_STRING(record->info.reason, "", name);
    got[2 * i] = record->turns.in ? 'u' : 's';
    got[2 * i + 1] = record->turns.out ? 'u' : 's';
  }
  CHECK_STRING(got, wanted, name);
  for (int i = 0; i < 2; i++) {
    free(partitions[i].nodes_to_replace);
    free(partitions[i].output_tensors);
  }
  tvmq_subgraph_free(subgraph);
  fake_destroy(g->fake);
}

static void check_graphs(void) {
  enum { VNNI = TVMQ_CPU_AVX2 | TVMQ_CPU_AVX512VNNI };
  struct graph g;
  int a, b, c, out;

#define CHAIN g = begin(), a = conv(&g, g.in), b = conv(&g, a), out = conv(&g, b)
  CHAIN;
  check(&g, VNNI, 3, 3, out, out, "suuuus", "between convolutions");
  CHAIN;
  check(&g, TVMQ_CPU_AVX2 | TVMQ_CPU_AVXVNNI, 3, 3, out, out, "suuuus", "AVX-VNNI");
  CHAIN;
  check(&g, VNNI | TVMQ_CPU_AMX, 3, 3, out, out, "ssssss", "AMX multiplies both");
  CHAIN;
  check(&g, TVMQ_CPU_AVX2, 3, 3, out, out, "ssssss", "AVX2 widens");
  CHAIN;
  check(&g, TVMQ_CPU_NEON | TVMQ_CPU_DOTPROD | TVMQ_CPU_I8MM, 3, 3, out, out, "ssssss", "Arm multiplies signed bytes");
  CHAIN;
  check(&g, VNNI, 3, 2, b, out, "suusss", "two partitions");
  CHAIN;
  check(&g, VNNI, 3, 3, a, out, "sssuuu", "an output that is read inside, and one that is not put out");
#undef CHAIN

  g = begin(), a = conv(&g, g.in), b = average(&g, a), out = conv(&g, b);
  check(&g, VNNI, 3, 3, out, out, "ssssss", "a mean, which is rounded by its sign");
  g = begin(), a = conv(&g, g.in), b = add(&g, a, g.in), out = conv(&g, b);
  check(&g, VNNI, 3, 3, out, out, "ssssss", "a sum with the graph's input");
  g = begin(), a = conv(&g, g.in), b = conv(&g, a), c = add(&g, b, a), out = conv(&g, c);
  check(&g, VNNI, 4, 4, out, out, "suuuuuus", "a sum of inner tensors");
  g = begin(), a = conv(&g, g.in), b = conv(&g, a), c = add(&g, b, a), out = average(&g, b);
  check(&g, VNNI, 4, 4, out, c, "ssssssss", "a sum, one of whose inputs stays");
}

// ---- descriptions

static void check_turned_twice(const struct tvmq_operator *op_def, const union tvmq_desc *desc, enum tvmq_turning wanted, const char *name) {
  union tvmq_desc turned = *desc;
  CHECK(op_def->turn(&turned, false, false) == wanted, "%s", name);
  CHECK(memcmp(&turned, desc, sizeof turned) == 0, "%s: asked", name);
  if (wanted == TVMQ_TURNS_NONE) return;
  op_def->turn(&turned, true, true);
  op_def->turn(&turned, true, true);
  CHECK(memcmp(&turned, desc, sizeof turned) == 0, "%s: turned twice", name);
}

static void check_descriptions(void) {
  static union tvmq_desc conv, sum, mapped, requantized, wide, pooled, mean, softmax, padded, joined, rescaled;
  conv.conv = (struct tvmq_conv_desc){.in_type = TVMQ_TYPE_S8, .filter_type = TVMQ_TYPE_S8, .out_type = TVMQ_TYPE_S8, .in = {0.5f, -5}, .out = {0.25f, 7}};
  sum.binary = (struct tvmq_binary_desc){.type = TVMQ_TYPE_S8, .in = {{0.5f, INT32_MAX}, {0.5f, INT32_MIN}}, .out = {0.5f, 3}};
  mapped.byte_map = (struct tvmq_byte_map_desc){.n = 1};
  requantized.quantize = (struct tvmq_quantize_desc){.in_type = TVMQ_TYPE_U8, .out_type = TVMQ_TYPE_S8, .in = {0.5f, 130}, .out = {0.25f, 7}};
  wide.quantize = (struct tvmq_quantize_desc){.in_type = TVMQ_TYPE_S16, .out_type = TVMQ_TYPE_S8, .in = {0.5f, 0}, .out = {0.25f, 7}};
  pooled.pool = (struct tvmq_pool_desc){.pooling = TVMQ_POOLING_MAX, .in_type = TVMQ_TYPE_S8, .out_type = TVMQ_TYPE_S8, .border = {.value = -128}};
  mean.pool = (struct tvmq_pool_desc){.pooling = TVMQ_POOLING_AVERAGE, .in_type = TVMQ_TYPE_S8, .out_type = TVMQ_TYPE_S8};
  softmax.softmax = (struct tvmq_softmax_desc){.in_type = TVMQ_TYPE_S8, .out_type = TVMQ_TYPE_S16};
  padded.copy = (struct tvmq_copy_desc){.in_type = TVMQ_TYPE_S8, .out_type = TVMQ_TYPE_S8, .value = -5, .zero_point = -5};
  joined.concatenation = (struct tvmq_concatenation_desc){.type = TVMQ_TYPE_S8, .n_in = 1, .in = {{0.5f, 1}}, .out = {0.25f, 2}};
  rescaled.concatenation = (struct tvmq_concatenation_desc){.type = TVMQ_TYPE_U8, .n_in = 1, .in = {{0.5f, 1}}, .out = {0.25f, 2}};
  check_turned_twice(&tvmq_operator_conv, &conv, TVMQ_TURNS_EACH, "CONV_2D");
  check_turned_twice(&tvmq_operator_depthwise, &conv, TVMQ_TURNS_EACH, "DEPTHWISE_CONV_2D");
  check_turned_twice(&tvmq_operator_binary, &sum, TVMQ_TURNS_ALL, "ADD, with zero points that mean nothing");
  check_turned_twice(&tvmq_operator_byte_map, &mapped, TVMQ_TURNS_EACH, "a table");
  check_turned_twice(&tvmq_operator_quantize, &requantized, TVMQ_TURNS_EACH, "QUANTIZE of bytes");
  check_turned_twice(&tvmq_operator_quantize, &wide, TVMQ_TURNS_NONE, "QUANTIZE of int16");
  check_turned_twice(&tvmq_operator_pool, &pooled, TVMQ_TURNS_ALL, "MAX_POOL_2D");
  check_turned_twice(&tvmq_operator_pool, &mean, TVMQ_TURNS_NONE, "AVERAGE_POOL_2D");
  check_turned_twice(&tvmq_operator_softmax, &softmax, TVMQ_TURNS_EACH, "SOFTMAX");
  check_turned_twice(&tvmq_operator_pad, &padded, TVMQ_TURNS_ALL, "PAD");
  check_turned_twice(&tvmq_operator_concatenation, &joined, TVMQ_TURNS_ALL, "CONCATENATION of int8");
  check_turned_twice(&tvmq_operator_concatenation, &rescaled, TVMQ_TURNS_NONE, "CONCATENATION that rescales");

  tvmq_operator_conv.turn(&conv, true, false);
  CHECK(conv.conv.in_type == TVMQ_TYPE_U8 && conv.conv.in.zero_point == 123 && conv.conv.out_type == TVMQ_TYPE_S8, "only the input");
  tvmq_operator_pad.turn(&padded, true, true);
  CHECK(padded.copy.in_type == TVMQ_TYPE_U8 && padded.copy.value == 123 && padded.copy.zero_point == 123, "what is padded");
}

int main(void) {
  check_graphs();
  check_descriptions();
  return unit_report();
}
