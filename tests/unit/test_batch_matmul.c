// BATCH_MATMUL: what nodes of it are read as, and every reason for which one is refused.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "fake_network.h"
#include "operators/op_names.h"

static const int32_t bias[5] = {0};
static const float scale = 0.25f, no_scale = 0, least_scale = 0x1p-149f, great_scale = 1e30f;

static const struct {
  struct tvmq_matmul_desc desc;
  const char *reason;
} claims[] = {
#define CONV(...)                       \
  {.fully_connected = true,             \
   .scaling = TVMQ_SCALING_FIXED_POINT, \
   .in_type = S8,                       \
   .filter_type = S8,                   \
   .out_type = S8,                      \
   .in_w = 3,                           \
   .in_c = 4,                           \
   .out_c = 5,                          \
   .in = {0.5f, 3},                     \
   .out = {0.25f, -4},                  \
   .filter_scales = &scale,             \
   .n_filter_scales = 1,                \
   __VA_ARGS__}
#define MATMUL(...) {.products = 6, .lefts = 6, .rights = 2, .conv = CONV(__VA_ARGS__)}
#define MATRICES(n, left, right, ...) {.products = n, .lefts = left, .rights = right, .conv = CONV(__VA_ARGS__)}
    {MATMUL(), NULL},
    {MATMUL(.filter_zero_point = -128), NULL},
    {MATMUL(.in.zero_point = 127, .out.zero_point = -128), NULL},
    {MATMUL(.scaling = TVMQ_SCALING_FLOAT64, .bias = bias, .bias_type = S32, .activation = TVMQ_ACTIVATION_RELU6), NULL},

    {MATMUL(.scaling = TVMQ_SCALING_UNKNOWN), "unknown scaling: set the option fully_connected to float64 (LiteRT) or fixed_point (tflite-runtime)"},
    {MATMUL(.dynamic_bias = true), "bias is not constant"},
    {MATMUL(.bias = bias, .bias_type = S16), "bias is not int32"},
    {MATMUL(.activation = TVMQ_ACTIVATION_OTHER), "fused_activation_function is not NONE, RELU, RELU6 or RELU_N1_TO_1"},
    {MATMUL(.out.scale = 1e-9f, .activation = TVMQ_ACTIVATION_RELU6), "output scale is too small for the bounds of the fused activation"},
    {MATMUL(.scaling = TVMQ_SCALING_FLOAT64, .filter_h = 1, .filter_w = 1, .filter_c = 4, .out.scale = 1e-9f),
     "no fixed-point multiplier reproduces the reference's float64 scaling"},

    {MATMUL(.in_type = F32), "hybrid: only FULLY_CONNECTED of constant weights is supported"},
#define FLOATS(...) MATMUL(.in_type = F32, .filter_type = F32, .out_type = F32, .in.scale = 0, .out.scale = 0, .n_filter_scales = 0, __VA_ARGS__)
    {FLOATS(.hybrid = TVMQ_HYBRID_SSE), NULL},
    {FLOATS(.hybrid = TVMQ_HYBRID_PORTABLE, .bias = bias, .bias_type = F32, .activation = TVMQ_ACTIVATION_RELU), NULL},
    {FLOATS(), "float32: the runtime's arithmetic is unknown: see the option hybrid"},
    {FLOATS(.hybrid = TVMQ_HYBRID_NEON), "float32: how products are added is unknown: see the option float32"},
    {FLOATS(.hybrid = TVMQ_HYBRID_NEON, .float32 = TVMQ_FLOAT32_FUSED), NULL},
    {FLOATS(.hybrid = TVMQ_HYBRID_SSE, .dynamic_bias = true), "bias is not constant"},
    {FLOATS(.hybrid = TVMQ_HYBRID_SSE, .bias = bias, .bias_type = S32), "bias is not float32"},
    {FLOATS(.hybrid = TVMQ_HYBRID_SSE, .activation = TVMQ_ACTIVATION_OTHER), "fused_activation_function is not NONE, RELU, RELU6 or RELU_N1_TO_1"},
    {FLOATS(.hybrid = TVMQ_HYBRID_SSE, .out_type = S8), "input and output types differ"},
    {FLOATS(.hybrid = TVMQ_HYBRID_SSE, .in_w = 0), "empty tensor"},
    {MATMUL(.in_type = U8), "activations are not int8 or int16, as products of two tensors need"},
    {MATMUL(.filter_type = S16), "the second input is not int8"},
#define MATMUL_INT16(...) MATMUL(.in_type = S16, .filter_type = S16, .out_type = S16, .in = {0.5f, 0}, .out = {0.25f, 0}, __VA_ARGS__)
    {MATMUL_INT16(.in_c = 1 << 17), NULL},
    {MATMUL_INT16(.in_c = (1 << 17) + 1), "int16 sums may exceed 48 bits"},
    {MATMUL_INT16(.filter_type = S8), "the second input is not int16"},
    {MATMUL_INT16(.filter_zero_point = 1), "int16 with a zero point other than 0"},
    {MATMUL_INT16(.out.zero_point = 1), "int16 with a zero point other than 0"},
    {MATMUL_INT16(.bias = bias, .bias_type = S32), "int16 FULLY_CONNECTED with computed weights"},
    {MATMUL_INT16(.scaling = TVMQ_SCALING_FLOAT64), "int16 FULLY_CONNECTED with computed weights"},
    {MATMUL_INT16(.out.scale = 1e-6f), "product of the input scales / output scale is too large"},
    {MATMUL(.out_type = U8), "input and output types differ"},
    {MATMUL(.in_w = 0), "empty tensor"},
    {MATMUL(.in_c = 0), "empty tensor"},
    {MATMUL(.out_c = 0), "empty tensor"},
    {MATRICES(0, 0, 1), "empty tensor"},
    {MATRICES(2, 2, 1, .in_w = 40000, .out_c = 40000), "output has more than 2^31 - 1 elements"},
    {MATRICES(2, 2, 1, .in_w = 40000, .in_c = 40000), "input has more than 2^31 - 1 elements"},
    {MATRICES(2, 1, 2, .out_c = 40000, .in_c = 40000), "input has more than 2^31 - 1 elements"},
    {MATMUL(.in.scale = NAN), "input scale is not positive and finite"},
    {MATMUL(.in.zero_point = 128), "input zero point is out of range for its type"},
    {MATMUL(.out.scale = 0), "output scale is not positive and finite"},
    {MATMUL(.out.zero_point = -129), "output zero point is out of range for its type"},
    {MATMUL(.filter_scales = NULL), "the second input does not have exactly one scale"},
    {MATMUL(.n_filter_scales = 5), "the second input does not have exactly one scale"},
    {MATMUL(.filter_scales = &no_scale), "input scale is not positive and finite"},
    {MATMUL(.filter_zero_point = 128), "input zero point is out of range for its type"},
    {MATMUL(.filter_scales = &least_scale), "the product of the input scales is out of range for float32"},
    {MATMUL(.filter_scales = &great_scale), "product of the input scales / output scale is too large"},
};

struct node {
  bool adj_x, adj_y;
  int left[7], right[7];  // dimensions, ended by 0
  const char *reason;
  int rank, out[5];
  int32_t matrices[3];  // products, those on the left and those on the right
  int32_t sizes[3];     // rows, depth and columns of a product
  int32_t left_strides[TVMQ_MATMUL_BATCH_DIMS], right_strides[TVMQ_MATMUL_BATCH_DIMS];
};

static const struct node nodes[] = {
    {false, false, {3, 4}, {4, 5}, NULL, 2, {3, 5}, {1, 1, 1}, {3, 4, 5}, {0}, {0}},
    {true, false, {4, 3}, {4, 5}, NULL, 2, {3, 5}, {1, 1, 1}, {3, 4, 5}, {0}, {0}},
    {false, true, {3, 4}, {5, 4}, NULL, 2, {3, 5}, {1, 1, 1}, {3, 4, 5}, {0}, {0}},
    {false, false, {2, 6, 3, 4}, {2, 6, 4, 5}, NULL, 4, {2, 6, 3, 5}, {12, 12, 12}, {3, 4, 5}, {0, 6, 1}, {0, 6, 1}},
    {false, false, {2, 1, 3, 4}, {6, 4, 5}, NULL, 4, {2, 6, 3, 5}, {12, 2, 6}, {3, 4, 5}, {0, 1, 0}, {0, 0, 1}},
    {true, true, {2, 3, 1, 4, 3}, {3, 7, 5, 4}, NULL, 5, {2, 3, 7, 3, 5}, {42, 6, 21}, {3, 4, 5}, {3, 1, 0}, {0, 7, 1}},
    {false, false, {2, 6, 3, 4}, {4, 5}, NULL, 4, {2, 6, 3, 5}, {1, 1, 1}, {36, 4, 5}, {0}, {0}},  // rows of all matrices

    {false, false, {4}, {4, 5}, "the rank of an input is not 2 to 5", 0, {0}, {0}, {0}, {0}, {0}},
    {false, false, {3, 4}, {1, 1, 1, 1, 4, 5}, "the rank of an input is not 2 to 5", 0, {0}, {0}, {0}, {0}, {0}},
    {false, false, {3, 4}, {5, 4}, "inner dimensions of the matrices differ", 0, {0}, {0}, {0}, {0}, {0}},
    {false, false, {2, 3, 4}, {3, 4, 5}, "batch dimensions of the inputs cannot be broadcast", 0, {0}, {0}, {0}, {0}, {0}},
    {true, false, {2, 4, 3}, {4, 5}, "adj_x is not supported if the second input's last batch dimension is 1", 0, {0}, {0}, {0}, {0}, {0}},
};

static void check_node(const struct node *want, size_t i) {
  struct network n = network_create(false);
  TfLiteBatchMatMulParams *params = malloc(sizeof *params);
  *params = (TfLiteBatchMatMulParams){.adj_x = want->adj_x, .adj_y = want->adj_y};
  const int left = fake_tensor(n.graph, kTfLiteInt8, want->left, 0.5f, 3, NULL), right = fake_tensor(n.graph, kTfLiteInt8, want->right, 0.25f, 2, NULL),
            out = fake_tensor(n.graph, kTfLiteInt8, (int[]){0}, 1, -4, NULL);
  const int node = fake_builtin(n.graph, TVMQ_BUILTIN_BATCH_MATMUL, 2, (int[]){left, right}, out, params);
  union tvmq_desc desc;
  struct tvmq_shapes shapes;
  const char *reason = network_claim(&n, TVMQ_BUILTIN_BATCH_MATMUL, node, &desc, &shapes);
  CHECK_STRING(reason, want->reason, "batch matmul");
  if (reason == NULL) {
    const struct tvmq_matmul_desc *d = &desc.matmul;
    const int32_t matrices[] = {d->products, d->lefts, d->rights}, sizes[] = {d->conv.in_w, d->conv.in_c, d->conv.out_c};
    CHECK(shapes.out.rank == want->rank && memcmp(shapes.out.dims, want->out, (size_t)want->rank * sizeof(int)) == 0, "case %zu: output's shape", i);
    CHECK(memcmp(sizes, want->sizes, sizeof sizes) == 0 && d->conv.out_w == sizes[0] && d->conv.filter_c == sizes[1], "case %zu: sizes", i);
    CHECK(d->adj_x == want->adj_x && d->adj_y == want->adj_y && d->conv.filter_zero_point == 2 && d->conv.in.zero_point == 3, "case %zu: options", i);
    CHECK(memcmp(matrices, want->matrices, sizeof matrices) == 0, "case %zu: matrices", i);
    if (d->products > 1) {
      CHECK(memcmp(d->left_strides, want->left_strides, sizeof d->left_strides) == 0, "case %zu: strides on the left", i);
      CHECK(memcmp(d->right_strides, want->right_strides, sizeof d->right_strides) == 0, "case %zu: strides on the right", i);
    }
  }
  fake_destroy(n.fake);
}

int main(void) {
  CHECK_CLAIMS(tvmq_claim_matmul, claims);
  for (size_t i = 0; i < N_ELEMENTS(nodes); i++) check_node(&nodes[i], i);
  return unit_report();
}
