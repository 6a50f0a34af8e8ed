// MEAN: what nodes of it are read as, and every reason for which one is refused.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "fake_network.h"
#include "ops/op_names.h"

static const struct {
  struct tvmq_mean_desc desc;
  const char *reason;
} mean_cases[] = {
#define MEAN(...) {.in_type = S8, .out_type = S8, .batch = 2, .in_h = 7, .in_w = 5, .channels = 4, .in = {0.5f, 3}, .out = {0.25f, -4}, __VA_ARGS__}
    {MEAN(), NULL},
    {MEAN(.in_type = U8, .out_type = U8, .in = {0.5f, 255}, .out = {0.25f, 0}), NULL},
    {MEAN(.in_h = 1, .in_w = 1), NULL},
    {MEAN(.in.scale = 1e-20f), NULL},
    {MEAN(.in_h = 2900, .in_w = 2900, .channels = 1), NULL},

    {MEAN(.in_type = F32, .out_type = F32), "float32: not quantized"},
    {MEAN(.in_type = S16, .out_type = S16), "the mean of int16"},
    {MEAN(.out_type = U8), "input and output types differ"},
    {MEAN(.in_h = 2903, .in_w = 2903), "the sum may exceed 32 bits"},
    {MEAN(.in_h = 0), "the sum may exceed 32 bits"},
    {MEAN(.channels = 0), "number of channels is not positive"},
    {MEAN(.out.scale = 0), "output scale is not positive and finite"},
    {MEAN(.in.zero_point = 128), "input zero point is outside its type"},
    {MEAN(.in.scale = 1e30f), "input scale / output scale is too large"},
};

static const char *describe(struct network *n, TfLiteType type, bool keep_dims, const int *in_dims, const int *axes, struct tvmq_shapes *shapes) {
  TfLiteReducerParams *params = malloc(sizeof *params);
  *params = (TfLiteReducerParams){.keep_dims = keep_dims};
  int n_axes = 0;
  while (axes[n_axes] != 0) n_axes++;
  const int in = fake_tensor(n->graph, kTfLiteInt8, in_dims, 0.5f, 3, NULL), which = fake_tensor(n->graph, type, (int[]){n_axes, 0}, 0, 0, axes),
            out = fake_tensor(n->graph, kTfLiteInt8, (int[]){0}, 1, -4, NULL);
  const int node = fake_builtin(n->graph, TVMQ_BUILTIN_MEAN, 2, (int[]){in, which}, out, params);
  union tvmq_desc desc;
  return network_claim(n, TVMQ_BUILTIN_MEAN, node, &desc, shapes);
}

static void check_nodes(void) {
  static const struct {
    TfLiteType type;
    bool keep_dims;
    int in[5], axes[5];  // ended by 0
    const char *reason;
    int rank, out[4];
  } cases[] = {
      {kTfLiteInt32, false, {2, 7, 5, 4}, {1, 2}, NULL, 2, {2, 4}},
      {kTfLiteInt32, true, {2, 7, 5, 4}, {2, 1}, NULL, 4, {2, 1, 1, 4}},
      {kTfLiteInt32, false, {2, 7, 5, 4}, {-2, 1, 2}, NULL, 2, {2, 4}},
      {kTfLiteInt32, false, {2, 7, 5, 4}, {1}, "the axes are not height and width", 0, {0}},
      {kTfLiteInt32, false, {2, 7, 5, 4}, {1, 2, 3}, "the axes are not height and width", 0, {0}},
      {kTfLiteInt32, false, {2, 7, 5, 4}, {1, -9}, "the axes are not height and width", 0, {0}},
      {kTfLiteUInt8, false, {2, 7, 5, 4}, {1, 2}, "the axes are not constants of int32", 0, {0}},
      {kTfLiteInt32, false, {2, 7, 5}, {1, 2}, "the input has not 4 dimensions", 0, {0}},
  };
  for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
    struct network n = network_create(false);
    struct tvmq_shapes shapes;
    CHECK_STRING(describe(&n, cases[i].type, cases[i].keep_dims, cases[i].in, cases[i].axes, &shapes), cases[i].reason, "mean");
    const bool same =
        cases[i].reason != NULL || (shapes.out.rank == cases[i].rank && memcmp(shapes.out.dims, cases[i].out, (size_t)cases[i].rank * sizeof(int)) == 0);
    CHECK(same, "case %zu: output's shape", i);
    fake_destroy(n.fake);
  }
}

int main(void) {
  CHECK_CLAIMS(tvmq_claim_mean, mean_cases);
  check_nodes();
  return unit_report();
}
