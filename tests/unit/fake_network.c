#include "fake_network.h"

#include <stdio.h>
#include <string.h>

#include "tflite/node_kind.h"
#include "unit.h"

TfLiteDelegate *tflite_plugin_create_delegate(const char *const *keys, const char *const *values, size_t n, void (*report_error)(const char *));
void tflite_plugin_destroy_delegate(TfLiteDelegate *delegate);

// Three filters' worth of weights and biases, the same in every network.
static int8_t weights[NETWORK_FILTERS * 9 * NETWORK_C + NETWORK_FILTERS * 9];
static int32_t biases[2 * NETWORK_FILTERS];

static struct network create(bool interrupted, size_t registration_size) {
  unsigned long long state = 12345;
  for (size_t i = 0; i < N_ELEMENTS(weights); i++) weights[i] = (int8_t)(unit_random(&state) >> 56);
  for (size_t i = 0; i < N_ELEMENTS(biases); i++) biases[i] = (int32_t)(unit_random(&state) >> 52) - 2048;

  struct network n = {.fake = fake_create(registration_size)};
  struct fake_subgraph *g = n.graph = &n.fake->subgraphs[0];
  const int channels[] = {NETWORK_FILTERS, 0};
  n.in = fake_tensor(g, kTfLiteInt8, (int[]){1, NETWORK_H, NETWORK_H, NETWORK_C, 0}, 0.02f, -7, NULL);
  n.filter = fake_tensor(g, kTfLiteInt8, (int[]){NETWORK_FILTERS, 3, 3, NETWORK_C, 0}, 0.01f, 0, weights);
  n.bias = fake_tensor(g, kTfLiteInt32, channels, 0.0002f, 0, biases);
  const int middle = fake_tensor(g, kTfLiteInt8, (int[]){1, NETWORK_H, NETWORK_H, NETWORK_FILTERS, 0}, 0.3f, 4, NULL);
  const int other = fake_tensor(g, kTfLiteInt8, (int[]){1, NETWORK_H, NETWORK_H, NETWORK_FILTERS, 0}, 0.3f, 4, NULL);
  const int filter = fake_tensor(g, kTfLiteInt8, (int[]){1, 3, 3, NETWORK_FILTERS, 0}, 0.02f, 0, weights + NETWORK_FILTERS * 9 * NETWORK_C);
  const int bias = fake_tensor(g, kTfLiteInt32, channels, 0.006f, 0, biases + NETWORK_FILTERS);
  const int last = fake_tensor(g, kTfLiteInt8, (int[]){1, 4, 4, NETWORK_FILTERS, 0}, 1.2f, -3, NULL);
  n.out = fake_tensor(g, kTfLiteInt8, (int[]){1, 4, 4, NETWORK_FILTERS, 0}, 1.0f, 1, NULL);
  n.conv = fake_conv(g, false, n.in, n.filter, n.bias, middle, 1, kTfLitePaddingSame);
  if (interrupted) fake_other(g, middle, other);
  n.depthwise = fake_conv(g, true, interrupted ? other : middle, filter, bias, last, 2, kTfLitePaddingValid);
  n.quantize = fake_quantize(g, last, n.out);
  return n;
}

struct network network_create(bool interrupted) { return create(interrupted, 88); }
struct network network_create_sized(size_t registration_size) { return create(false, registration_size); }

static char message[1024];
static void report(const char *text) { snprintf(message, sizeof message, "%s", text); }
const char *network_message(void) { return message; }

TfLiteDelegate *network_delegate(const char *const *pairs) {
  const char *keys[8] = {"log_severity"}, *values[8] = {"silent"};
  size_t n = pairs == NULL || pairs[0] == NULL || strcmp(pairs[0], keys[0]) != 0;
  for (; pairs != NULL && pairs[0] != NULL; pairs += 2, n++) {
    keys[n] = pairs[0];
    values[n] = pairs[1];
  }
  message[0] = '\0';
  return tflite_plugin_create_delegate(keys, values, n, report);
}

void network_delegate_destroy(TfLiteDelegate *delegate) { tflite_plugin_destroy_delegate(delegate); }

size_t network_run(struct network *network, unsigned long long seed, int8_t *out, size_t size) {
  struct fake_subgraph *g = network->graph;
  if (fake_allocate(g) != kTfLiteOk) return 0;
  const TfLiteTensor *in = &g->tensors[network->in];
  for (size_t i = 0; i < in->bytes; i++) ((int8_t *)in->data)[i] = (int8_t)(unit_random(&seed) >> 56);
  if (fake_invoke(g) != kTfLiteOk || g->tensors[network->out].bytes > size) return 0;
  memcpy(out, g->tensors[network->out].data, g->tensors[network->out].bytes);
  return g->tensors[network->out].bytes;
}

size_t network_reference(bool interrupted, const int *dims, unsigned long long seed, int8_t *out, size_t size) {
  struct network network = network_create(interrupted);
  if (dims != NULL) fake_resize(network.graph, network.in, dims);
  const size_t n = network_run(&network, seed, out, size);
  fake_destroy(network.fake);
  return n;
}

const char *network_claim(const struct network *network, int builtin_code, int node, union tvmq_desc *desc, struct tvmq_shapes *shapes) {
  static struct tvmq_shape in[TVMQ_MAX_IN], outs[TVMQ_MAX_OUT];
  shapes->in = in;
  shapes->outs = outs;
  struct fake_node pair = fake_node_at(network->graph, node);
  pair.registration.builtin_code = builtin_code;
  struct tvmq_node read;
  const char *reason = tvmq_node_read(&network->graph->context, &pair.node, &pair.registration, &read);
  read.reference.scaling = TVMQ_SCALING_FIXED_POINT;
  if (reason == NULL) reason = tvmq_node_describe(&network->graph->context, &read, NULL, desc, shapes);
  return reason != NULL ? reason : read.kind->op_def->claim(desc);
}
