// Nodes of FULLY_CONNECTED, as they are read.
#include <stdlib.h>
#include <string.h>

#include "fake_network.h"
#include "operators/op_names.h"
#include "unit.h"

static const char *describe_fully_connected(struct network *n, int weights_format, bool keep_num_dims, const int *in_dims, const int *filter_dims,
                                            union tvmq_desc *desc, struct tvmq_shapes *shapes) {
  static const int8_t zeros[64];
  TfLiteFullyConnectedParams *params = malloc(sizeof *params);
  *params = (TfLiteFullyConnectedParams){.activation = kTfLiteActRelu, .weights_format = weights_format, .keep_num_dims = keep_num_dims};
  const int in = fake_tensor(n->graph, kTfLiteInt8, in_dims, 0.5f, 3, NULL), filter = fake_tensor(n->graph, kTfLiteInt8, filter_dims, 0.25f, 0, zeros),
            out = fake_tensor(n->graph, kTfLiteInt8, (int[]){0}, 1, -4, NULL);
  const int node = fake_builtin(n->graph, TVMQ_BUILTIN_FULLY_CONNECTED, 2, (int[]){in, filter}, out, params);
  return network_claim(n, TVMQ_BUILTIN_FULLY_CONNECTED, node, desc, shapes);
}

int main(void) {
  enum { NONE = 0 };
  const struct {
    int weights_format;
    bool keep_num_dims;
    int in[4], filter[4];  // dimensions, ended by 0
    const char *reason;
    int out[3], rows;
  } cases[] = {
      {0, false, {2, 6}, {4, 6}, NULL, {2, 4}, 2},
      {0, false, {2, 3, 4}, {5, 6}, NULL, {4, 5}, 4},
      {0, true, {2, 3, 4}, {5, 4}, NULL, {2, 3, 5}, 6},
      {1, false, {2, 6}, {4, 6}, "weights_format is not DEFAULT", {NONE}, 0},
      {0, false, {3, 5}, {4, 6}, NULL, {2, 4}, 2},  // what is less than a row is not read
      {0, true, {3, 5}, {4, 6}, "keep_num_dims: the input's last dimension does not match the weights", {NONE}, 0},
      {0, true, {2, 6}, {4, 3}, "keep_num_dims: the input's last dimension does not match the weights", {NONE}, 0},
      {0, false, {2, 6}, {4, 6, 1}, "the filter is not 2-dimensional", {NONE}, 0},
  };
  for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
    struct network n = network_create(false);
    union tvmq_desc desc;
    struct tvmq_shapes shapes;
    const char *reason = describe_fully_connected(&n, cases[i].weights_format, cases[i].keep_num_dims, cases[i].in, cases[i].filter, &desc, &shapes);
    CHECK_STRING(reason, cases[i].reason, "fully connected");
    if (reason == NULL) {
      const int rank = cases[i].keep_num_dims ? 3 : 2;
      CHECK(shapes.out.rank == rank && memcmp(shapes.out.dims, cases[i].out, (size_t)rank * sizeof(int)) == 0, "case %zu: output's shape", i);
      CHECK(desc.conv.out_w == cases[i].rows && desc.conv.out_c == cases[i].filter[0] && desc.conv.in_c == cases[i].filter[1], "case %zu: matrix", i);
    }
    fake_destroy(n.fake);
  }
  return unit_report();
}
