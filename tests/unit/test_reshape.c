// Nodes of RESHAPE, as they are read.
#include <stdlib.h>
#include <string.h>

#include "fake_network.h"
#include "operators/op_names.h"
#include "unit.h"

// The node's own shape is {6, 4}.
static const char *describe(struct network *n, int n_inputs, TfLiteType type, int rank, const int *dims, struct tvmq_shapes *shapes) {
  TfLiteReshapeParams *own = calloc(1, sizeof *own);
  *own = (TfLiteReshapeParams){.shape = {6, 4}, .num_dimensions = 2};
  const int in = fake_tensor(n->graph, kTfLiteInt8, (int[]){2, 3, 4, 0}, 0.5f, 3, NULL), shape = fake_tensor(n->graph, type, (int[]){rank, 0}, 0, 0, dims),
            out = fake_tensor(n->graph, kTfLiteInt8, (int[]){0}, 0.5f, 3, NULL);
  const int node = fake_builtin(n->graph, TVMQ_BUILTIN_RESHAPE, n_inputs, (int[]){in, shape}, out, own);
  union tvmq_desc desc;
  return network_claim(n, TVMQ_BUILTIN_RESHAPE, node, &desc, shapes);
}

int main(void) {
  static const struct {
    TfLiteType type;
    int rank, dims[10], out[4];
    const char *reason;
  } cases[] = {
      {kTfLiteInt32, 2, {4, 6}, {4, 6}, NULL},
      {kTfLiteInt32, 3, {2, -1, 3}, {2, 4, 3}, NULL},
      {kTfLiteInt32, 1, {-1}, {24}, NULL},
      {kTfLiteInt32, 2, {5, -1}, {0}, "the shape's number of elements differs from the input's"},
      {kTfLiteInt32, 2, {0, -1}, {0}, "the shape's number of elements differs from the input's"},
      {kTfLiteInt32, 2, {-1, -1}, {0}, "the shape has negative dimensions"},
      {kTfLiteInt32, 2, {-2, -12}, {0}, "the shape has negative dimensions"},
      {kTfLiteInt32, 9, {24, 1, 1, 1, 1, 1, 1, 1, 1}, {0}, "a tensor has more than 8 dimensions"},
      {kTfLiteUInt8, 2, {4, 6}, {6, 4}, NULL},
  };
  for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
    struct network n = network_create(false);
    struct tvmq_shapes shapes;
    CHECK_STRING(describe(&n, 2, cases[i].type, cases[i].rank, cases[i].dims, &shapes), cases[i].reason, "reshape");
    const bool same =
        cases[i].reason != NULL || (shapes.out.rank == cases[i].rank && memcmp(shapes.out.dims, cases[i].out, (size_t)cases[i].rank * sizeof(int)) == 0);
    CHECK(same, "case %zu: output's shape", i);
    fake_destroy(n.fake);
  }
  struct network n = network_create(false);
  struct tvmq_shapes shapes;
  CHECK_STRING(describe(&n, 1, kTfLiteInt32, 2, (int[]){4, 6}, &shapes), NULL, "without a shape");
  CHECK(shapes.out.rank == 2 && shapes.out.dims[0] == 6 && shapes.out.dims[1] == 4, "the node's own shape");
  fake_destroy(n.fake);
  return unit_report();
}
