// The option memory_megabytes on the fake runtime, with every limit in bytes: what is held stays below it, and results are the same.
#include "base/memory.h"
#include "cpu/ops/op.h"
#include "fake_network.h"
#include "host/delegate.h"
#include "unit.h"

enum { OUT = 4096 };

struct held {
  int claimed;
  unsigned long long packs;
  unsigned long long packed, arena, bytes[3];  // bytes: of the convolution, of the depthwise one, of QUANTIZE
  char reason[3][96];
};

// Applies a delegate with a limit of so many bytes, 0: none, runs the network, and returns what the delegate held.
static struct held hold(bool interrupted, size_t limit) {
  const size_t blocks = tvmq_alloc_live();
  struct network network = network_create(interrupted);
  TfLiteDelegate *base = network_delegate((const char *const[]){"min_nodes_per_partition", "1", "isa", "c", NULL});
  struct held held = {0};
  if (!CHECK(base != NULL, "%s", network_message())) return held;
  ((struct tvmq_delegate *)base->data_)->memory_limit = limit;
  CHECK(fake_apply(network.graph, base) == kTfLiteOk, "%s", network.fake->error);
  const struct tvmq_delegate_info *info = tvmq_get_delegate(base);
  held.claimed = info->claimed;
  held.packs = info->packs;
  held.packed = info->packed_bytes;
  held.arena = info->arena_bytes;
  const int nodes[] = {network.conv, network.depthwise, network.quantize};
  const struct tvmq_node_info *node;
  for (int i = 0; (node = tvmq_get_node(base, i)) != NULL; i++) {
    for (size_t j = 0; j < N_ELEMENTS(nodes); j++) {
      if (node->node != nodes[j]) continue;
      held.bytes[j] = node->packed_bytes;
      snprintf(held.reason[j], sizeof held.reason[j], "%s", node->claimed ? "" : node->reason);
    }
  }
  int8_t got[OUT], wanted[OUT];
  const size_t n = network_run(&network, limit + 1, got, OUT), n_wanted = network_reference(interrupted, NULL, limit + 1, wanted, OUT);
  CHECK(n > 0 && n == n_wanted && memcmp(got, wanted, n) == 0, "limit %zu: %s", limit, network.fake->error);
  fake_destroy(network.fake);
  network_delegate_destroy(base);
  CHECK(tvmq_alloc_live() == blocks, "limit %zu: %zu blocks left", limit, tvmq_alloc_live() - blocks);
  return held;
}

static void check_every_limit(bool interrupted) {
  const struct held all = hold(interrupted, 0);
  const size_t total = (size_t)(all.packed + all.arena);
  CHECK(all.claimed == 3 && all.packed > 0, "%d claimed", all.claimed);
  int fewest = all.claimed;
  for (size_t limit = total + 64; limit > 0; limit -= limit > 64 ? 64 : limit) {
    const struct held held = hold(interrupted, limit);
    CHECK(held.packed + held.arena <= limit, "limit %zu: %llu + %llu bytes", limit, held.packed, held.arena);
    CHECK(limit < total || held.claimed == all.claimed, "limit %zu of %zu: %d claimed", limit, total, held.claimed);
    fewest = held.claimed < fewest ? held.claimed : fewest;
  }
  CHECK(fewest <= 1, "%d claimed by the least limit", fewest);
}

// The node with the most weights goes first, and says why.
static void check_order(void) {
  const struct held all = hold(true, 0), less = hold(true, (size_t)(all.packed + all.arena - 1));
  const int largest = all.bytes[0] > all.bytes[1] ? 0 : 1;
  CHECK(less.claimed == 2 && less.packed == all.packed - all.bytes[largest], "%d claimed, %llu bytes", less.claimed, less.packed);
  for (int i = 0; i < 3; i++) CHECK((strstr(less.reason[i], "memory_megabytes") != NULL) == (i == largest), "%d: \"%s\"", i, less.reason[i]);
}

// Weights that do not fit are not even packed.
static void check_packs(void) {
  const struct held all = hold(true, 0), none = hold(true, 1);
  CHECK(all.packs == 2 && none.packs == 0 && none.packed == 0, "%llu and %llu packs", all.packs, none.packs);
}

// A product of two tensors takes what it packs at each inference from the budget, to the byte.
static void check_matmul(const struct tvmq_implementation *matmul, enum tvmq_type type) {
  static const float scale = 0.25f;
  const union tvmq_desc desc = {.matmul = {.products = 6,
                                           .lefts = 6,
                                           .rights = 2,
                                           .conv = {.fully_connected = true,
                                                    .scaling = TVMQ_SCALING_FIXED_POINT,
                                                    .in_type = type,
                                                    .filter_type = type,
                                                    .out_type = type,
                                                    .batch = 1,
                                                    .in_h = 1,
                                                    .in_w = 3,
                                                    .in_c = 4,
                                                    .out_h = 1,
                                                    .out_w = 3,
                                                    .out_c = 5,
                                                    .filter_h = 1,
                                                    .filter_w = 1,
                                                    .filter_c = 4,
                                                    .stride_h = 1,
                                                    .stride_w = 1,
                                                    .dilation_h = 1,
                                                    .dilation_w = 1,
                                                    .in = {.scale = 0.5f},
                                                    .out = {.scale = 0.25f},
                                                    .filter_scales = &scale,
                                                    .n_filter_scales = 1}}};
  struct tvmq_scratch scratch = {0};
  struct tvmq_budget transformed = {0};
  struct tvmq_weight_budget weights = {.left = SIZE_MAX};
  const struct tvmq_env env = {.machine = tvmq_machine_named("zen4"), .transformed = &transformed, .scratch = &scratch, .weights = &weights};
  struct tvmq_op *op = NULL;
  if (CHECK_STRING(matmul->plan(&op, &desc, &env), NULL, "any budget")) {
    struct tvmq_op_info info = {0};
    matmul->info(op, &info);
    CHECK(info.packed_bytes > 0 && SIZE_MAX - weights.left == info.packed_bytes, "%zu bytes taken of %zu", SIZE_MAX - weights.left, info.packed_bytes);
    weights = (struct tvmq_weight_budget){.left = info.packed_bytes - 1};
    CHECK(matmul->plan(&op, &desc, &env) == tvmq_no_room && weights.refused == info.packed_bytes, "%zu bytes refused", weights.refused);
  }
  matmul->release(op);
  tvmq_scratch_free(&scratch);
}

int main(void) {
  check_every_limit(false);
  check_every_limit(true);
  check_order();
  check_packs();
  check_matmul(&tvmq_op_matmul, TVMQ_TYPE_S8);
  check_matmul(&tvmq_op_matmul_s16, TVMQ_TYPE_S16);
  return unit_report();
}
