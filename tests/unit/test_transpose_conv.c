// TRANSPOSE_CONV: what nodes of it are read as, the reasons for which one is refused, its phases against the definition, and the classes they are computed in.
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "cpu/machine.h"
#include "cpu/ops/conv/phases.h"
#include "fake_network.h"
#include "operators/op_names.h"
#include "operators/subpixels.h"

static const int8_t weights[5 * 3 * 3 * 4];
static const int32_t bias[5];
static const float scales[5] = {0.5f, 0.25f, 0.5f, 0.25f, 0.125f};

static const struct {
  struct tvmq_conv_desc desc;
  const char *reason;
} claims[] = {
#define DECONV(...)              \
  {.in_type = S8,                \
   .filter_type = S8,            \
   .out_type = S8,               \
   .bias_type = S32,             \
   .batch = 2,                   \
   .in_h = 4,                    \
   .in_w = 5,                    \
   .in_c = 4,                    \
   .out_h = 8,                   \
   .out_w = 9,                   \
   .out_c = 5,                   \
   .filter_h = 3,                \
   .filter_w = 3,                \
   .filter_c = 4,                \
   .stride_h = 2,                \
   .stride_w = 2,                \
   .dilation_h = 1,              \
   .dilation_w = 1,              \
   .depth_multiplier = 1,        \
   .padding = TVMQ_PADDING_SAME, \
   .in = {0.5f, 3},              \
   .out = {0.25f, -4},           \
   .filter_scales = scales,      \
   .n_filter_scales = 5,         \
   .filter = weights,            \
   .bias = bias,                 \
   __VA_ARGS__}
    {DECONV(), NULL},
    {DECONV(.padding = TVMQ_PADDING_VALID, .out_h = 9, .out_w = 12), NULL},
    {DECONV(.n_filter_scales = 1, .bias = NULL), NULL},
    {DECONV(.stride_h = 9, .out_h = 33), NULL},

    {DECONV(.in_h = 0), "height or width of input or output is not positive"},
    {DECONV(.out_w = -9), "height or width of input or output is not positive"},
    {DECONV(.filter_h = 0), "filter height or width is not positive"},
    {DECONV(.stride_w = 0), "stride is not between 1 and 32767"},
    {DECONV(.stride_w = 40000, .out_w = 200000), "stride is not between 1 and 32767"},
    {DECONV(.out_h = 6), "input height or width does not match output_shape, filter, stride and padding"},
    {DECONV(.filter_w = 70000), "padding exceeds 32767"},
    {DECONV(.filter_c = 2), "the filter's input channels do not match the input"},
    {DECONV(.in_type = F32), "hybrid: TRANSPOSE_CONV is not supported: the reference adds each product in float32"},
    {DECONV(.in_type = F32, .filter_type = F32), "float32: not quantized"},
    {DECONV(.filter = NULL), "weights are not constant"},
    {DECONV(.bias_type = S64), "bias is not int32"},
    {DECONV(.stride_h = 13, .stride_w = 13, .out_h = 52, .out_w = 65), "stride is much larger than the filter"},
    {DECONV(.batch = 10000000), "output has more than 2^31 - 1 elements"},
    {DECONV(.out.scale = 0), "output scale is not positive and finite"},
};

// How many taps of inputs reach the outputs of the axis' phases, each of them that which the definition names.
static int32_t reached(const struct tvmq_conv_desc *d, const struct tvmq_subpixels *h) {
  const int32_t in = d->in_h, out = d->out_h, filter = d->filter_h, stride = d->stride_h, total = (in - 1) * stride + filter - out;
  const int32_t pad = d->padding == TVMQ_PADDING_SAME && total > 0 ? total / 2 : 0;
  int32_t found = 0;
  for (int32_t y = 0; y < out; y++) {
    const int32_t group = (y + h->skipped) / stride, phase = (y + h->skipped) % stride;
    if (phase < h->first || phase >= h->first + h->phases) continue;
    CHECK(group < h->out, "output %d of %d has no group", y, out);
    for (int32_t t = 0; t < h->taps; t++) {
      const int64_t i = group - h->before + t, f = tvmq_subpixel_tap(h, stride, phase, t);
      if (i < 0 || i >= in || f >= filter) continue;
      CHECK(i * stride - pad + f == y, "in %d, out %d, filter %d, stride %d: output %d has tap %d of input %d", in, out, filter, stride, y, (int)f, (int)i);
      found++;
    }
  }
  CHECK(h->before >= 0 && h->after >= 0 && h->out == in + h->before + h->after - h->taps + 1, "in %d, out %d, filter %d, stride %d: outputs", in, out, filter,
        stride);
  return found;
}

// Taps of the axis' phases that are behind the filter's last.
static int32_t absent(const struct tvmq_conv_desc *d, const struct tvmq_subpixels *h) {
  int32_t n = 0;
  for (int32_t p = h->first; p < h->first + h->phases; p++) {
    for (int32_t t = 0; t < h->taps; t++) n += tvmq_subpixel_tap(h, d->stride_h, p, t) >= d->filter_h;
  }
  return n;
}

// Every tap of every input reaches the output that the definition names, once, in one part and in several.
static void check_axis(int32_t in, int32_t out, int32_t filter, int32_t stride, enum tvmq_padding padding) {
  const struct tvmq_conv_desc desc = {
      .in_h = in, .in_w = in, .out_h = out, .out_w = out, .filter_h = filter, .filter_w = filter, .stride_h = stride, .stride_w = stride, .padding = padding};
  struct tvmq_subpixels h, w, parts[2];
  if (tvmq_find_subpixels(&desc, &h, &w) != NULL) return;
  const int32_t total = (in - 1) * stride + filter - out, pad = padding == TVMQ_PADDING_SAME && total > 0 ? total / 2 : 0;
  int32_t wanted = 0, in_one = reached(&desc, &h), in_parts = 0, phases = 0, lacking = 0;
  for (int32_t i = 0; i < in; i++) {
    for (int32_t f = 0; f < filter; f++) wanted += i * stride - pad + f >= 0 && i * stride - pad + f < out;
  }
  const size_t n = tvmq_part_subpixels(&h, filter, stride, parts);
  for (size_t i = 0; i < n; i++) {
    in_parts += reached(&desc, &parts[i]);
    phases += parts[i].phases;
    lacking += absent(&desc, &parts[i]);
  }
  CHECK(in_one == wanted && in_parts == wanted, "in %d, out %d, filter %d, stride %d: %d and %d of %d taps", in, out, filter, stride, in_one, in_parts, wanted);
  CHECK(phases == stride && lacking == (filter < stride ? stride - filter : 0), "filter %d, stride %d: %d phases, %d taps are absent", filter, stride, phases,
        lacking);
}

static void check_classes(void) {
  static const struct {
    const char *name;
    int32_t in, in_c, out_c, filter_h, filter_w, stride_h, stride_w;
    size_t n;
  } cases[] = {
      {"3x3", 16, 64, 64, 3, 3, 2, 2, 4},
      {"few channels fill no panels", 64, 32, 1, 3, 3, 2, 2, 1},
      {"no tap is absent", 16, 64, 64, 4, 4, 2, 2, 1},
      {"none along one axis", 16, 64, 64, 3, 2, 2, 2, 2},
      {"none along the other", 16, 64, 64, 2, 3, 2, 2, 2},
      {"a stride of 1", 16, 64, 64, 3, 3, 1, 1, 1},
      {"phases without a tap", 16, 64, 64, 2, 2, 3, 3, 1},
  };
  struct tvmq_budget transformed = {0};
  const struct tvmq_env env = {.cpu = TVMQ_CPU_AVX2, .machine = tvmq_machine_named("sapphire-rapids"), .transformed = &transformed};
  for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
    const int32_t out_h = cases[i].in * cases[i].stride_h, out_w = cases[i].in * cases[i].stride_w;
    const struct tvmq_conv_desc desc = DECONV(.in_h = cases[i].in, .in_w = cases[i].in, .in_c = cases[i].in_c, .filter_c = cases[i].in_c, .out_h = out_h,
                                              .out_w = out_w, .out_c = cases[i].out_c, .filter_h = cases[i].filter_h, .filter_w = cases[i].filter_w,
                                              .stride_h = cases[i].stride_h, .stride_w = cases[i].stride_w, .n_filter_scales = 1);
    struct tvmq_phases classes[TVMQ_MOST_PHASE_CLASSES];
    size_t n = 0;
    CHECK_STRING(tvmq_classify_phases(&desc, &env, classes, &n), NULL, cases[i].name);
    int32_t phases = 0;
    for (size_t c = 0; c < n; c++) phases += tvmq_phases_count(&classes[c]);
    CHECK(n == cases[i].n && phases == desc.stride_h * desc.stride_w, "%s: %zu classes of %d phases", cases[i].name, n, phases);
  }
}

static const char *describe(struct network *n, TfLiteType type, const int *shape_dims, const int32_t *shape, const int *filter_dims,
                            struct tvmq_shapes *shapes) {
  TfLiteTransposeConvParams *params = malloc(sizeof *params);
  *params = (TfLiteTransposeConvParams){.padding = kTfLitePaddingSame, .stride_width = 2, .stride_height = 2, .activation = kTfLiteActRelu};
  const int target = fake_tensor(n->graph, type, shape_dims, 0, 0, shape), filter = fake_tensor(n->graph, kTfLiteInt8, filter_dims, 0.25f, 0, weights),
            in = fake_tensor(n->graph, kTfLiteInt8, (int[]){1, 4, 5, 4, 0}, 0.5f, 3, NULL), out = fake_tensor(n->graph, kTfLiteInt8, (int[]){0}, 1, -4, NULL);
  const int node = fake_builtin(n->graph, TVMQ_BUILTIN_TRANSPOSE_CONV, 3, (int[]){target, filter, in}, out, params);
  union tvmq_desc desc;
  const char *reason = network_claim(n, TVMQ_BUILTIN_TRANSPOSE_CONV, node, &desc, shapes);
  CHECK(desc.conv.activation == TVMQ_ACTIVATION_RELU, "an activation counts, whatever the operator's version");
  return reason;
}

static void check_nodes(void) {
  static const struct {
    TfLiteType type;
    int shape_dims[3];
    int32_t shape[4];
    int filter[5];
    const char *reason;
  } cases[] = {
      {kTfLiteInt32, {4}, {1, 8, 10, 5}, {5, 3, 3, 4}, NULL},
      {kTfLiteFloat32, {4}, {1, 8, 10, 5}, {5, 3, 3, 4}, "output_shape is not int32"},
      {kTfLiteInt32, {3}, {8, 10, 5}, {5, 3, 3, 4}, "output_shape is not of the expected length"},
      {kTfLiteInt32, {2, 2}, {1, 8, 10, 5}, {5, 3, 3, 4}, "output_shape is not of the expected length"},
      {kTfLiteInt32, {4}, {1, 8, 10, 5}, {5, 3, 12}, "the filter is not 4-dimensional"},
      {kTfLiteInt32, {4}, {2, 8, 10, 5}, {5, 3, 3, 4}, "output_shape does not match the input's batch or the filter's output channels"},
      {kTfLiteInt32, {4}, {1, 8, 10, 6}, {5, 3, 3, 4}, "output_shape does not match the input's batch or the filter's output channels"},
  };
  for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
    struct network n = network_create(false);
    struct tvmq_shapes shapes;
    CHECK_STRING(describe(&n, cases[i].type, cases[i].shape_dims, cases[i].shape, cases[i].filter, &shapes), cases[i].reason, "transpose conv");
    CHECK(cases[i].reason != NULL || (shapes.out.rank == 4 && memcmp(shapes.out.dims, cases[i].shape, sizeof cases[i].shape) == 0), "case %zu: shape", i);
    fake_destroy(n.fake);
  }
}

int main(void) {
  CHECK_CLAIMS(tvmq_claim_transpose_conv, claims);
  for (int32_t in = 1; in < 6; in++) {
    for (int32_t out = 1; out < 40; out++) {
      for (int32_t filter = 1; filter < 9; filter++) {
        for (int32_t stride = 1; stride < 8; stride++) {
          check_axis(in, out, filter, stride, TVMQ_PADDING_SAME);
          check_axis(in, out, filter, stride, TVMQ_PADDING_VALID);
        }
      }
    }
  }
  check_classes();
  check_nodes();
  return unit_report();
}
