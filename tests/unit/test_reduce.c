// MEAN, SUM, REDUCE_MAX, REDUCE_MIN and ARG_MAX: what nodes of them are read as, and every reason for which one is refused.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "fake_network.h"
#include "operators/op_names.h"

static const struct {
  struct tvmq_reduce_desc desc;
  const char *reason;
} reduce_cases[] = {
#define REDUCE(...) \
  {.reduction = TVMQ_REDUCTION_MEAN, .in_type = S8, .out_type = S8, .n_dims = 3, .dims = {2, 35, 4}, .in = {0.5f, 3}, .out = {0.25f, -4}, __VA_ARGS__}
#define MAX(...) REDUCE(.reduction = TVMQ_REDUCTION_MAX, .out = {0.5f, 3}, __VA_ARGS__)
    {REDUCE(), NULL},
    {REDUCE(.in_type = U8, .out_type = U8, .in = {0.5f, 255}, .out = {0.25f, 0}), NULL},
    {REDUCE(.in_type = S16, .out_type = S16, .in = {0.5f, 0}, .out = {0.25f, 0}), NULL},
    {REDUCE(.dims = {1, 1, 1}), NULL},
    {REDUCE(.n_dims = 5, .dims = {1, 2, 3, 4, 5}), NULL},
    {REDUCE(.in.scale = 1e-20f), NULL},
    {REDUCE(.dims = {1, 2900 * 2900, 1}), NULL},
    {REDUCE(.reduction = TVMQ_REDUCTION_SUM, .in_type = U8, .out_type = U8, .out.zero_point = 4), NULL},
    {MAX(), NULL},
    {MAX(.reduction = TVMQ_REDUCTION_MIN), NULL},

    {REDUCE(.in_type = F32, .out_type = F32, .in = {0, 0}, .dims = {1, 2903 * 2903, 1}), NULL},  // quantization means nothing
    {REDUCE(.in_type = F32), "input and output types differ"},
    {REDUCE(.in_type = F32, .out_type = F32, .dims = {1, 0, 1}), "empty tensor"},
    {MAX(.in_type = F32, .out_type = F32), "float32 is supported for MEAN only"},
    {REDUCE(.reduction = TVMQ_REDUCTION_SUM, .in_type = F32, .out_type = F32), "float32 is supported for MEAN only"},
    {REDUCE(.out_type = U8), "input and output types differ"},
    {REDUCE(.reduction = TVMQ_REDUCTION_SUM), "SUM is supported for uint8 only"},
    {REDUCE(.dims = {1, 2903 * 2903, 1}), "the sum may exceed 32 bits"},
    {REDUCE(.in_type = S16, .out_type = S16, .dims = {1, 32769, 1}, .in = {0.5f, 0}, .out = {0.25f, 0}), "the sum may exceed 32 bits"},
    {REDUCE(.dims = {1, 0, 1}), "empty tensor"},
    {REDUCE(.dims = {70000, 2, 70000}), "input has more than 2^31 - 1 elements"},
    {REDUCE(.n_dims = 2), "kept and reduced dimensions do not alternate"},
    {REDUCE(.in_type = S16, .out_type = S16), "int16 with a zero point other than 0"},
    {REDUCE(.out.scale = 0), "output scale is not positive and finite"},
    {REDUCE(.in.zero_point = 128), "input zero point is out of range for its type"},
    {REDUCE(.in.scale = 1e30f), "input scale / output scale is too large"},
    {MAX(.out.scale = 0.25f), "input and output scales or zero points differ"},
    {MAX(.out.zero_point = 4), "input and output scales or zero points differ"},
};

static const struct {
  struct tvmq_arg_max_desc desc;
  const char *reason;
} arg_max_cases[] = {
#define ARG_MAX(...) {.in_type = S8, .out_type = S32, .outer = 2, .depth = 3, .inner = 4, __VA_ARGS__}
    {ARG_MAX(), NULL},
    {ARG_MAX(.in_type = U8, .out_type = S64), NULL},
    {ARG_MAX(.in_type = F32), "float32: not quantized"},
    {ARG_MAX(.in_type = S16), "activations are not int8 or uint8"},
    {ARG_MAX(.out_type = OTHER_TYPE), "indices are neither int32 nor int64"},
    {ARG_MAX(.depth = 0), "empty tensor"},
    {ARG_MAX(.outer = 70000, .inner = 70000), "input has more than 2^31 - 1 elements"},
};

static const char *describe_reduce(struct network *n, TfLiteType type, bool keep_dims, const int *in_dims, const int *axes, union tvmq_desc *desc,
                                   struct tvmq_shapes *shapes) {
  TfLiteReducerParams *params = malloc(sizeof *params);
  *params = (TfLiteReducerParams){.keep_dims = keep_dims};
  int n_axes = 0;
  while (axes[n_axes] != 0) n_axes++;
  const int in = fake_tensor(n->graph, kTfLiteInt8, in_dims, 0.5f, 3, NULL), which = fake_tensor(n->graph, type, (int[]){n_axes, 0}, 0, 0, axes),
            out = fake_tensor(n->graph, kTfLiteInt8, (int[]){0}, 1, -4, NULL);
  const int node = fake_builtin(n->graph, TVMQ_BUILTIN_MEAN, 2, (int[]){in, which}, out, params);
  return network_claim(n, TVMQ_BUILTIN_MEAN, node, desc, shapes);
}

static void check_reduce(void) {
  static const struct {
    TfLiteType type;
    bool keep_dims;
    int in[6], axes[5];  // ended by 0
    const char *reason;
    int rank, out[5], n_dims, dims[7];
  } cases[] = {
      {kTfLiteInt32, false, {2, 7, 5, 4}, {1, 2}, NULL, 2, {2, 4}, 3, {2, 35, 4}},
      {kTfLiteInt32, true, {2, 7, 5, 4}, {2, 1}, NULL, 4, {2, 1, 1, 4}, 3, {2, 35, 4}},
      {kTfLiteInt32, false, {2, 7, 5, 4}, {-2, 1, 2}, NULL, 2, {2, 4}, 3, {2, 35, 4}},
      {kTfLiteInt32, false, {2, 7, 5, 4}, {1}, NULL, 3, {2, 5, 4}, 3, {2, 7, 20}},
      {kTfLiteInt32, false, {2, 7, 5, 4}, {1, 2, 3}, NULL, 1, {2}, 3, {2, 140, 1}},
      {kTfLiteInt32, false, {2, 7, 5, 4}, {-4, 2}, NULL, 2, {7, 4}, 5, {1, 2, 7, 5, 4}},
      {kTfLiteInt32, false, {2, 7, 5, 4}, {1, 3}, NULL, 2, {2, 5}, 5, {2, 7, 5, 4, 1}},
      {kTfLiteInt32, false, {2, 1, 5, 4}, {1}, NULL, 3, {2, 5, 4}, 3, {40, 1, 1}},
      {kTfLiteInt32, false, {7}, {-1}, NULL, 0, {0}, 3, {1, 7, 1}},
      {kTfLiteInt32, false, {70000, 2, 70000}, {2}, "input has more than 2^31 - 1 elements", 0, {0}, 0, {0}},
      {kTfLiteInt32, false, {2, 7, 5, 4}, {4}, "axis is out of range", 0, {0}, 0, {0}},
      {kTfLiteInt32, false, {2, 7, 5, 4}, {1, -9}, "axis is out of range", 0, {0}, 0, {0}},
      {kTfLiteUInt8, false, {2, 7, 5, 4}, {1, 2}, "axes are not int32", 0, {0}, 0, {0}},
  };
  for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
    struct network n = network_create(false);
    union tvmq_desc desc;
    struct tvmq_shapes shapes;
    CHECK_STRING(describe_reduce(&n, cases[i].type, cases[i].keep_dims, cases[i].in, cases[i].axes, &desc, &shapes), cases[i].reason, "reduce");
    if (cases[i].reason == NULL) {
      const size_t rank_bytes = (size_t)cases[i].rank * sizeof(int), dims_bytes = (size_t)cases[i].n_dims * sizeof(int);
      CHECK(shapes.out.rank == cases[i].rank && memcmp(shapes.out.dims, cases[i].out, rank_bytes) == 0, "case %zu: output's shape", i);
      CHECK(desc.reduce.n_dims == cases[i].n_dims && memcmp(desc.reduce.dims, cases[i].dims, dims_bytes) == 0, "case %zu: merged dimensions", i);
    }
    fake_destroy(n.fake);
  }
}

static void check_arg_max(void) {
  static const struct {
    TfLiteType options, tensor;
    int axis;
    const char *reason;
    struct tvmq_arg_max_desc desc;
  } cases[] = {
      {kTfLiteInt32, kTfLiteInt32, -1, NULL, {.outer = 30, .depth = 7, .inner = 1}},
      {kTfLiteInt64, kTfLiteInt64, 1, NULL, {.outer = 2, .depth = 3, .inner = 35}},
      {kTfLiteInt64, kTfLiteInt32, 1, "output type differs from the option output_type", {0}},
      {kTfLiteInt32, kTfLiteInt32, 4, "axis is out of range", {0}},
      {kTfLiteInt32, kTfLiteInt32, -5, "axis is out of range", {0}},
  };
  for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
    struct network n = network_create(false);
    TfLiteArgMaxParams *params = malloc(sizeof *params);
    *params = (TfLiteArgMaxParams){.output_type = cases[i].options};
    const int in = fake_tensor(n.graph, kTfLiteInt8, (int[]){2, 3, 5, 7, 0}, 0.5f, 3, NULL),
              axis = fake_tensor(n.graph, kTfLiteInt32, (int[]){1, 0}, 0, 0, &cases[i].axis),
              out = fake_tensor(n.graph, cases[i].tensor, (int[]){0}, 0, 0, NULL);
    const int node = fake_builtin(n.graph, TVMQ_BUILTIN_ARG_MAX, 2, (int[]){in, axis}, out, params);
    union tvmq_desc desc;
    struct tvmq_shapes shapes;
    CHECK_STRING(network_claim(&n, TVMQ_BUILTIN_ARG_MAX, node, &desc, &shapes), cases[i].reason, "arg max");
    const struct tvmq_arg_max_desc *const want = &cases[i].desc, *const got = &desc.arg_max;
    if (cases[i].reason == NULL) {
      CHECK(got->outer == want->outer && got->depth == want->depth && got->inner == want->inner && shapes.out.rank == 3, "case %zu: dimensions", i);
    }
    fake_destroy(n.fake);
  }
}

int main(void) {
  CHECK_CLAIMS(tvmq_claim_reduce, reduce_cases);
  CHECK_CLAIMS(tvmq_claim_arg_max, arg_max_cases);
  check_reduce();
  check_arg_max();
  return unit_report();
}
