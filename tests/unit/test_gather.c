// GATHER_ND and GATHER of computed indices: what nodes of them are read as, every reason for which one is refused, and indices outside the input.
#include <stdlib.h>

#include "claims.h"
#include "cpu/ops/op.h"
#include "fake_network.h"
#include "operators/op_names.h"

static const int32_t good[] = {0, 0, 3, 4, 1, 2}, beyond[] = {0, 0, 3, 5, 1, 2}, negative[] = {0, 0, -1, 4, 1, 2};

static const struct {
  struct tvmq_gather_desc desc;
  const char *reason;
} gather_cases[] = {
// The input is [4][5][6].
#define GATHER(...) {.in_type = S8, .out_type = S8, .index_type = S32, .outer = 1, .n = 3, .depth = 2, .sizes = {4, 5}, .slice = 6, __VA_ARGS__}
    {GATHER(), NULL},
    {GATHER(.in_type = F32, .out_type = F32), NULL},
    {GATHER(.index_type = S16), NULL},
    {GATHER(.index_type = S64), NULL},
    {GATHER(.indices = good), NULL},
    {GATHER(.indices = beyond), "an index is outside the input"},
    {GATHER(.indices = negative), "an index is outside the input"},
    {GATHER(.in_type = S4, .out_type = S4), "activations are not int8, uint8 or int16"},
    {GATHER(.out_type = U8), "input and output types differ"},
    {GATHER(.index_type = S8), "the indices are not int16, int32 or int64"},
    {GATHER(.outer = 7), NULL},
    {GATHER(.outer = 0), "empty tensor"},
    {GATHER(.outer = 1 << 15, .n = 1 << 15), "tensor has more than 2^31 - 1 elements"},
    {GATHER(.outer = 1 << 28), "tensor has more than 2^31 - 1 elements"},
    {GATHER(.n = 0), "empty tensor"},
    {GATHER(.depth = 0), "empty tensor"},
    {GATHER(.slice = 0), "empty tensor"},
    {GATHER(.sizes[1] = 0), "empty tensor"},
    {GATHER(.sizes = {70000, 70000}), "tensor has more than 2^31 - 1 elements"},
    {GATHER(.sizes[1] = 100000, .slice = 100000), "tensor has more than 2^31 - 1 elements"},
    {GATHER(.n = 70000, .slice = 70000), "tensor has more than 2^31 - 1 elements"},
    {GATHER(.n = INT32_MAX, .slice = 1), "tensor has more than 2^31 - 1 elements"},
};

static void check_nodes(void) {
  static const struct {
    TfLiteType type;
    int indices[9], in[9];  // ended by 0
    const char *reason;
  } cases[] = {
      {kTfLiteInt32, {3, 2}, {4, 5, 6}, NULL},
      {kTfLiteInt64, {3, 2}, {4, 5, 6}, NULL},
      {kTfLiteInt8, {3, 2}, {4, 5, 6}, "the indices are not int16, int32 or int64"},
      {kTfLiteInt32, {0}, {4, 5, 6}, "the indices have no dimension"},
      {kTfLiteInt32, {3, 4}, {4, 5, 6}, "an index has more integers than the input has dimensions"},
      {kTfLiteInt32, {3, 1, 1, 1, 1, 1, 1, 2}, {4, 5, 6, 7}, "a tensor has more than 8 dimensions"},
      {kTfLiteInt32, {70000, 70000, 2}, {4, 5, 6}, "tensor has more than 2^31 - 1 elements"},
      {kTfLiteInt32, {3, 2}, {4, 5, 70000, 70000}, "tensor has more than 2^31 - 1 elements"},
  };
  for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
    struct network n = network_create(false);
    const int in = fake_tensor(n.graph, kTfLiteInt8, cases[i].in, 0.5f, 0, NULL), indices = fake_tensor(n.graph, cases[i].type, cases[i].indices, 0, 0, NULL),
              out = fake_tensor(n.graph, kTfLiteInt8, (int[]){0}, 0.5f, 0, NULL);
    const int node = fake_builtin(n.graph, TVMQ_BUILTIN_GATHER_ND, 2, (int[]){in, indices}, out, NULL);
    union tvmq_desc desc;
    struct tvmq_shapes shapes;
    CHECK_STRING(network_claim(&n, TVMQ_BUILTIN_GATHER_ND, node, &desc, &shapes), cases[i].reason, "gather");
    if (cases[i].reason == NULL) {
      const struct tvmq_gather_desc *d = &desc.gather;
      CHECK(d->n == 3 && d->depth == 2 && d->sizes[0] == 4 && d->sizes[1] == 5 && d->slice == 6 && d->indices == NULL, "case %zu: description", i);
      CHECK(shapes.out.rank == 2 && shapes.out.dims[0] == 3 && shapes.out.dims[1] == 6, "case %zu: output's shape", i);
    }
    fake_destroy(n.fake);
  }
}

static void check_nodes_along_an_axis(void) {
  static const struct {
    int axis, batch_dims, indices[9], in[9];  // ended by 0
    const char *reason;
  } cases[] = {
      {1, 0, {3, 2}, {4, 5, 6}, NULL},
      {-2, 0, {3, 2}, {4, 5, 6}, NULL},
      {3, 0, {3, 2}, {4, 5, 6}, "axis is out of range"},
      {1, 1, {3, 2}, {4, 5, 6}, "batch_dims is not 0"},
      {1, 0, {3, 2, 1, 1, 1, 1, 1}, {4, 5, 6}, "a tensor has more than 8 dimensions"},
      {1, 0, {70000, 70000}, {4, 5, 6}, "tensor has more than 2^31 - 1 elements"},
      {2, 0, {3, 2}, {70000, 70000, 6}, "tensor has more than 2^31 - 1 elements"},
  };
  for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
    struct network n = network_create(false);
    const int in = fake_tensor(n.graph, kTfLiteInt8, cases[i].in, 0.5f, 0, NULL), indices = fake_tensor(n.graph, kTfLiteInt32, cases[i].indices, 0, 0, NULL),
              out = fake_tensor(n.graph, kTfLiteInt8, (int[]){0}, 0.5f, 0, NULL);
    TfLiteGatherParams *options = malloc(sizeof *options);
    *options = (TfLiteGatherParams){.axis = cases[i].axis, .batch_dims = cases[i].batch_dims};
    const int node = fake_builtin(n.graph, TVMQ_BUILTIN_GATHER, 2, (int[]){in, indices}, out, options);
    union tvmq_desc desc;
    struct tvmq_shapes shapes;
    CHECK_STRING(network_claim(&n, TVMQ_BUILTIN_GATHER, node, &desc, &shapes), cases[i].reason, "gather along an axis");
    if (cases[i].reason == NULL) {
      const struct tvmq_gather_desc *d = &desc.gather;
      CHECK(d->outer == 4 && d->n == 6 && d->depth == 1 && d->sizes[0] == 5 && d->slice == 6, "case %zu: description", i);
      CHECK(shapes.out.rank == 4 && shapes.out.dims[0] == 4 && shapes.out.dims[1] == 3 && shapes.out.dims[3] == 6, "case %zu: output's shape", i);
    }
    fake_destroy(n.fake);
  }
}

// An index outside the input makes the inference fail, even where the element that it would name is inside; other slices are written all the same.
static void check_indices(void) {
  static const int8_t in[4 * 5 * 6] = {[6] = 7, [19 * 6] = -3};
  static const int64_t wrong[][2] = {{4, 0}, {0, 5}, {-1, 6}, {INT64_MAX, INT64_MAX}, {INT64_MIN, 0}};
  const union tvmq_desc desc = {.gather = GATHER(.index_type = S64)};
  struct tvmq_env env = {.machine = &tvmq_machines[0]};
  struct tvmq_op *op = NULL;
  CHECK_STRING(tvmq_op_gather.plan(&op, &desc, &env), NULL, "plan");
  for (size_t i = 0; i < N_ELEMENTS(wrong); i++) {
    const int64_t indices[] = {0, 1, wrong[i][0], wrong[i][1], 3, 4};
    int8_t out[3 * 6];
    const char *_Atomic failure = NULL;
    const void *ins[] = {in, indices};
    void *outs[] = {out};
    const struct tvmq_pass pass = {.in = ins, .outs = outs, .failure = &failure};
    for (size_t task = 0; task < tvmq_op_gather.n_tasks(op, 0); task++) tvmq_op_gather.run_task(op, &pass, (struct tvmq_task){.index = task});
    CHECK_STRING(failure, "an index to gather is outside the input", "failure");
    CHECK(out[0] == 7 && out[2 * 6] == -3 && out[2 * 6 + 1] == 0, "case %zu: other slices", i);
  }
  tvmq_op_release(&tvmq_op_gather, op);
}

int main(void) {
  CHECK_CLAIMS(tvmq_claim_gather, gather_cases);
  check_nodes();
  check_nodes_along_an_axis();
  check_indices();
  return unit_report();
}
