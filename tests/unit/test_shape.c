// SHAPE: what nodes of it are read as, the reasons for which one is refused, and its output where shapes are known.
#include <string.h>

#include "claims.h"
#include "cpu/ops/op.h"
#include "fake_network.h"
#include "operators/op_names.h"

static const struct {
  struct tvmq_shape_desc desc;
  const char *reason;
} claims[] = {
    {{.out_type = S32, .rank = 4}, NULL},
    {{.out_type = S64, .rank = 1}, NULL},
    {{.out_type = S8, .rank = 4}, "the output is neither int32 nor int64"},
    {{.out_type = OTHER_TYPE, .rank = 4}, "the output is neither int32 nor int64"},
    {{.out_type = S32, .rank = 0}, "the input is a scalar"},
};

static void check_node(TfLiteType in_type, TfLiteType out_type, const char *reason) {
  struct network n = network_create(false);
  const int in = fake_tensor(n.graph, in_type, (int[]){2, 7, 5, 0}, 0, 0, NULL), out = fake_tensor(n.graph, out_type, (int[]){0}, 0, 0, NULL);
  const int node = fake_builtin(n.graph, TVMQ_BUILTIN_SHAPE, 1, (int[]){in}, out, NULL);
  union tvmq_desc desc;
  struct tvmq_shapes shapes;
  const char *got = network_claim(&n, TVMQ_BUILTIN_SHAPE, node, &desc, &shapes);
  CHECK_STRING(got, reason, "shape");
  if (got == NULL) {
    const void *const ins[] = {NULL};
    int32_t narrow[3] = {0};
    int64_t wide[3] = {0};
    CHECK(shapes.out.rank == 1 && shapes.out.dims[0] == 3, "the output has not one dimension of 3");
    CHECK(tvmq_operator_shape.evaluate(&desc, ins, (void *[]){out_type == kTfLiteInt32 ? (void *)narrow : wide}), "not evaluated");
    CHECK(narrow[0] + wide[0] == 2 && narrow[1] + wide[1] == 7 && narrow[2] + wide[2] == 5, "other dimensions than the input's");
  }
  fake_destroy(n.fake);
}

int main(void) {
  CHECK_CLAIMS(tvmq_claim_shape, claims);
  check_node(kTfLiteInt8, kTfLiteInt32, NULL);
  check_node(kTfLiteFloat32, kTfLiteInt64, NULL);
  check_node(kTfLiteInt8, kTfLiteFloat32, "the output is neither int32 nor int64");
  return unit_report();
}
