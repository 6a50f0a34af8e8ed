// EMBEDDING_LOOKUP: what nodes of it are read as, every reason for which one is refused, and indices outside the table.
#include <math.h>
#include <string.h>

#include "claims.h"
#include "cpu/ops/op.h"
#include "fake_network.h"
#include "operators/op_names.h"

enum { ROWS = 5, ROW = 6 };

static const float one[] = {0.5f}, several[] = {0.5f, 0.25f, 1, 3, 0.125f}, wrong[] = {0.5f, 0.25f, NAN, 3, 0.125f};

static const struct {
  struct tvmq_lookup_desc desc;
  const char *reason;
} lookup_cases[] = {
#define LOOKUP(...) {.table_type = S8, .out_type = F32, .scales = one, .n_scales = 1, .n = 4, .rows = ROWS, .row = ROW, __VA_ARGS__}
#define ROW_SCALES(...) LOOKUP(.knows_row_scales = true, .scales = several, .n_scales = ROWS, __VA_ARGS__)
    {LOOKUP(), NULL},
    {LOOKUP(.table_type = U8), NULL},
    {LOOKUP(.table_type = F32, .scales = NULL, .n_scales = 0), NULL},
    {LOOKUP(.out_type = S8, .offset = true), NULL},  // copied
    {LOOKUP(.table_type = U8, .out_type = U8, .scales = NULL, .n_scales = 0), NULL},
    {ROW_SCALES(), NULL},
    {ROW_SCALES(.knows_row_scales = false), "some of the runtimes ignore scales of rows: see the option fully_connected"},
    {ROW_SCALES(.rows = ROWS + 1), "number of the table's scales is neither 1 nor the number of its rows"},
    {ROW_SCALES(.scales = wrong), "a scale of the table is not positive and finite"},
    {LOOKUP(.scales = NULL), "the table has no scale"},
    {LOOKUP(.n_scales = 0), "the table has no scale"},
    {LOOKUP(.offset = true), "a zero point of the table is not 0"},
    {LOOKUP(.table_type = S4), "an int4 table is not supported"},
    {LOOKUP(.table_type = S16, .out_type = S16), "the table is not int8, uint8 or float32"},
    {LOOKUP(.out_type = S16), "the output is neither float32 nor of the table's type"},
    {LOOKUP(.table_type = F32, .out_type = S8), "the output is neither float32 nor of the table's type"},
    {LOOKUP(.n = 0), "empty tensor"},
    {LOOKUP(.rows = 0), "empty tensor"},
    {LOOKUP(.row = 0), "empty tensor"},
    {LOOKUP(.n = 70000, .row = 70000), "tensor has more than 2^31 - 1 elements"},
    {LOOKUP(.rows = 70000, .row = 70000), "tensor has more than 2^31 - 1 elements"},
};

static void check_nodes(void) {
  static const int8_t data[ROWS * ROW];
  static const struct {
    TfLiteType indices;
    int n[3], table[4];  // ended by 0
    int zero_point;
    const char *reason;
  } cases[] = {
      {kTfLiteInt32, {4}, {ROWS, 2, 3}, 0, NULL},
      {kTfLiteInt32, {4}, {ROWS, ROW}, 0, NULL},
      {kTfLiteInt32, {4}, {ROWS, ROW}, 1, "a zero point of the table is not 0"},
      {kTfLiteInt64, {4}, {ROWS, ROW}, 0, "the indices are not int32"},
      {kTfLiteInt32, {2, 2}, {ROWS, ROW}, 0, "the indices have not 1 dimension"},
      {kTfLiteInt32, {4}, {ROWS}, 0, "the table has fewer than 2 dimensions"},
      {kTfLiteInt32, {4}, {70000, 70000, 70000}, 0, "tensor has more than 2^31 - 1 elements"},
  };
  for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
    struct network n = network_create(false);
    const int indices = fake_tensor(n.graph, cases[i].indices, cases[i].n, 0, 0, NULL),
              table = fake_tensor(n.graph, kTfLiteInt8, cases[i].table, 0.5f, cases[i].zero_point, data),
              out = fake_tensor(n.graph, kTfLiteFloat32, (int[]){0}, 0, 0, NULL);
    const int node = fake_builtin(n.graph, TVMQ_BUILTIN_EMBEDDING_LOOKUP, 2, (int[]){indices, table}, out, NULL);
    union tvmq_desc desc;
    struct tvmq_shapes shapes;
    CHECK_STRING(network_claim(&n, TVMQ_BUILTIN_EMBEDDING_LOOKUP, node, &desc, &shapes), cases[i].reason, "lookup");
    if (cases[i].reason == NULL) {
      const struct tvmq_lookup_desc *d = &desc.lookup;
      const bool three = cases[i].table[2] != 0;
      CHECK(d->n == 4 && d->rows == ROWS && d->row == ROW && d->n_scales == 1 && d->scales[0] == 0.5f, "case %zu: description", i);
      CHECK(shapes.out.rank == (three ? 3 : 2) && shapes.out.dims[0] == 4 && shapes.out.dims[1] == cases[i].table[1], "case %zu: output's shape", i);
    }
    fake_destroy(n.fake);
  }
}

// An index outside the table makes the inference fail, and other rows are written all the same.
static void check_indices(void) {
  static const int8_t table[ROWS * ROW] = {[ROW] = 7, [(ROWS - 1) * ROW] = -3};
  static const int32_t beyond[] = {ROWS, -1, INT32_MIN, INT32_MAX};
  const union tvmq_desc desc = {.lookup = LOOKUP(.scales = several, .n_scales = ROWS)};
  struct tvmq_env env = {.machine = &tvmq_machines[0]};
  struct tvmq_op *op = NULL;
  CHECK_STRING(tvmq_op_lookup.plan(&op, &desc, &env), NULL, "plan");
  for (size_t i = 0; i < N_ELEMENTS(beyond); i++) {
    const int32_t indices[] = {1, beyond[i], ROWS - 1, 0};
    float out[4 * ROW];
    const char *_Atomic failure = NULL;
    const void *in[] = {indices, table};
    void *outs[] = {out};
    const struct tvmq_pass pass = {.in = in, .outs = outs, .failure = &failure};
    for (size_t task = 0; task < tvmq_op_lookup.n_tasks(op, 0); task++) tvmq_op_lookup.run_task(op, &pass, (struct tvmq_task){.index = task});
    CHECK_STRING(failure, "EMBEDDING_LOOKUP of an index outside the table", "failure");
    CHECK(out[0] == 7 * 0.25f && out[2 * ROW] == -3 * 0.125f && out[3 * ROW] == 0, "index %d: other rows", beyond[i]);
  }
  tvmq_op_release(&tvmq_op_lookup, op);
}

int main(void) {
  CHECK_CLAIMS(tvmq_claim_lookup, lookup_cases);
  check_nodes();
  check_indices();
  return unit_report();
}
