// The reader of the runtime's structures gives a reason, and never crashes, for malformed nodes and for runtimes that are not as declared.
#include <stdlib.h>

#include "base/memory.h"
#include "fake_network.h"
#include "host/delegate.h"
#include "operators/op_names.h"
#include "tflite/abi_check.h"
#include "tflite/node.h"
#include "unit.h"

// ---- nodes: one thing is wrong with each

static TfLiteTensor *tensor(struct network *n, int index) { return &n->graph->tensors[index]; }
static TfLiteNode *node(struct network *n, int index) {
  return (TfLiteNode *)(void *)(n->graph->nodes + (size_t)index * (sizeof(TfLiteNode) + n->fake->registration_size));
}
static TfLiteAffineQuantization *affine(struct network *n, int index) { return tensor(n, index)->quantization.params; }

static void no_data(struct network *n) { tensor(n, n->filter)->data = NULL; }
static void variable_filter(struct network *n) { tensor(n, n->filter)->allocation_type = kTfLiteArenaRw, tensor(n, n->filter)->data = NULL; }
static void variable_bias(struct network *n) { tensor(n, n->bias)->allocation_type = kTfLiteArenaRw, tensor(n, n->bias)->data = NULL; }
static void short_filter(struct network *n) { tensor(n, n->filter)->bytes--; }
static void short_bias(struct network *n) { tensor(n, n->bias)->bytes--; }
static void bias_of_two(struct network *n) { tensor(n, n->bias)->dims->data[0] = 2; }
static void bias_of_billions(struct network *n) { tensor(n, n->bias)->dims->data[0] = INT32_MAX; }
static void bias_type(struct network *n) { tensor(n, n->bias)->type = kTfLiteFloat32; }
static void rank_9(struct network *n) { tensor(n, n->in)->dims->size = 9; }
static void rank_3(struct network *n) { tensor(n, n->in)->dims->size = 3; }
static void rank_negative(struct network *n) { tensor(n, n->in)->dims->size = -1; }
static void negative_dimension(struct network *n) { tensor(n, n->in)->dims->data[1] = -9; }
static void no_height(struct network *n) { tensor(n, n->in)->dims->data[1] = 0; }
static void no_channels(struct network *n) { tensor(n, n->in)->dims->data[3] = 0; }
static void filter_of_no_channels(struct network *n) { tensor(n, n->filter)->dims->data[3] = 0; }
static void huge(struct network *n) {
  for (int i = 0; i < 4; i++) tensor(n, n->in)->dims->data[i] = INT32_MAX;
}
static void large(struct network *n) { tensor(n, n->in)->dims->data[1] = tensor(n, n->in)->dims->data[2] = 30000; }
static void filter_rank(struct network *n) { tensor(n, n->filter)->dims->size = 3; }
static void filter_huge(struct network *n) {
  for (int i = 0; i < 4; i++) tensor(n, n->filter)->dims->data[i] = INT32_MAX;
}
static void no_shape(struct network *n) { tensor(n, n->in)->dims->size = 0; }
static void sparse(struct network *n) { tensor(n, n->filter)->sparsity = n; }
static void variable(struct network *n) { tensor(n, n->in)->is_variable = 1; }
static void float_input(struct network *n) { tensor(n, n->in)->type = kTfLiteFloat32; }
static void int4_filter(struct network *n) { tensor(n, n->filter)->type = kTfLiteInt4; }
static void constant_output(struct network *n) { tensor(n, node(n, n->conv)->outputs->data[0])->allocation_type = kTfLiteMmapRo; }
static void foreign_memory(struct network *n) { tensor(n, n->in)->allocation_type = 8; }
static void no_quantization(struct network *n) { tensor(n, n->in)->quantization.type = 0; }
static void other_quantization(struct network *n) { tensor(n, n->filter)->quantization.type = 2; }
static void no_scales(struct network *n) { free(affine(n, n->filter)->scale), affine(n, n->filter)->scale = NULL; }
static void empty_scales(struct network *n) { affine(n, n->filter)->scale->size = 0; }
static void two_scales(struct network *n) {
  affine(n, n->filter)->scale = realloc(affine(n, n->filter)->scale, sizeof(TfLiteFloatArray) + 2 * sizeof(float));
  affine(n, n->filter)->scale->size = 2;
  affine(n, n->filter)->scale->data[1] = 0.5f;
}
static void zero_point(struct network *n) { affine(n, n->filter)->zero_point->data[0] = 3; }
static void two_zero_points(struct network *n) {
  affine(n, n->filter)->zero_point = realloc(affine(n, n->filter)->zero_point, sizeof(TfLiteIntArray) + 2 * sizeof(int));
  affine(n, n->filter)->zero_point->size = 2;
  affine(n, n->filter)->zero_point->data[1] = 1;
}
static void zero_scale(struct network *n) { tensor(n, n->in)->params.scale = 0; }
static void wild_input(struct network *n) { node(n, n->conv)->inputs->data[0] = 1 << 30; }
static void absent_input(struct network *n) { node(n, n->conv)->inputs->data[0] = -1; }
static void wild_filter(struct network *n) { node(n, n->conv)->inputs->data[1] = 99; }
static void absent_filter(struct network *n) { node(n, n->conv)->inputs->data[1] = -1; }
static void wild_bias(struct network *n) { node(n, n->conv)->inputs->data[2] = 99; }
static void wild_output(struct network *n) { node(n, n->conv)->outputs->data[0] = 99; }
static void in_place(struct network *n) { node(n, n->conv)->outputs->data[0] = n->in; }
static void one_input(struct network *n) { node(n, n->conv)->inputs->size = 1; }
static void no_outputs(struct network *n) { node(n, n->conv)->outputs->size = 0; }
static void no_options(struct network *n) { free(node(n, n->conv)->builtin_data), node(n, n->conv)->builtin_data = NULL; }
static TfLiteConvParams *options(struct network *n) { return node(n, n->conv)->builtin_data; }
static void no_padding(struct network *n) { options(n)->padding = 0; }
static void zero_stride(struct network *n) { options(n)->stride_width = 0; }
static void negative_dilation(struct network *n) { options(n)->dilation_height_factor = -2; }
static void tanh_activation(struct network *n) { options(n)->activation = 4; }

static void check_conv(void) {
  static const struct {
    void (*spoil)(struct network *n);
    const char *reason;
  } cases[] = {
      {no_data, "weights are not constant"},
      {variable_filter, "weights are not constant"},
      {variable_bias, "bias is not constant"},
      {short_filter, "a constant has fewer bytes than its shape needs"},
      {short_bias, "a constant has fewer bytes than its shape needs"},
      {bias_of_two, "size of the bias is not the number of output channels"},
      {bias_of_billions, "a constant has fewer bytes than its shape needs"},
      {bias_type, "bias is not int32"},
      {rank_9, "a tensor has more than 8 dimensions"},
      {rank_3, "the input is not 4-dimensional"},
      {rank_negative, "a tensor has no shape"},
      {negative_dimension, "a tensor has a negative dimension"},
      {no_height, "input height or width is not positive"},
      {no_channels, "number of channels is not positive"},
      {filter_of_no_channels, "weights have no input channels"},
      {huge, "a tensor exceeds the address space"},
      {large, "input has more than 2^31 - 1 elements"},
      {filter_rank, "the filter is not 4-dimensional"},
      {filter_huge, "a tensor exceeds the address space"},
      {no_shape, "the input is not 4-dimensional"},
      {sparse, "sparse tensors are not supported"},
      {variable, "variable tensors (is_variable) are not supported"},
      {float_input, "hybrid: the output is not float32"},
      {int4_filter, "int4 weights are not supported"},
      {constant_output, "the output is not in memory that the CPU can write"},
      {foreign_memory, "the input is not in memory that the CPU can read"},
      {no_quantization, "input scale is not positive and finite"},
      {other_quantization, "weights have no scale"},
      {no_scales, "weights have no scale"},
      {empty_scales, "weights have no scale"},
      {two_scales, "number of weight scales is neither 1 nor the number of output channels"},
      {zero_point, "int8 weights with a zero point other than 0"},
      {two_zero_points, "zero points of the weights differ between channels"},
      {zero_scale, "input scale is not positive and finite"},
      {wild_input, "a tensor index is out of range"},
      {absent_input, "a tensor index is out of range"},
      {wild_filter, "a tensor index is out of range"},
      {absent_filter, "a tensor index is out of range"},
      {wild_bias, "a tensor index is out of range"},
      {wild_output, "a tensor index is out of range"},
      {in_place, "a tensor is both input and output"},
      {one_input, "number of inputs is not supported for this operator"},
      {no_outputs, "number of outputs is not supported for this operator"},
      {no_options, "the node has no builtin options"},
      {no_padding, "padding is neither SAME nor VALID"},
      {zero_stride, "stride is not positive"},
      {negative_dilation, "dilation is not positive"},
      {tanh_activation, "fused_activation_function is not NONE, RELU, RELU6 or RELU_N1_TO_1"},
  };
  for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
    struct network n = network_create(false);
    cases[i].spoil(&n);
    union tvmq_desc desc;
    struct tvmq_shapes shapes;
    CHECK_STRING(network_claim(&n, TVMQ_BUILTIN_CONV_2D, n.conv, &desc, &shapes), cases[i].reason, cases[i].reason);
    tensor(&n, n.in)->allocation_type = kTfLiteArenaRw;
    fake_destroy(n.fake);
  }
}

// A description of the same tensors is the same memory, whatever stood there before.
static void check_description(void) {
  struct network n = network_create(false);
  const struct fake_node pair = fake_node_at(n.graph, n.conv);
  struct tvmq_node read;
  union tvmq_desc a, b;
  struct tvmq_shape in_shape, out_shape;
  struct tvmq_shapes shapes = {.in = &in_shape, .outs = &out_shape};
  memset(&a, 0x55, sizeof a);
  memset(&b, 0xaa, sizeof b);
  CHECK_STRING(tvmq_node_read(&n.graph->context, &pair.node, &pair.registration, &read), NULL, "read");
  CHECK_STRING(tvmq_node_describe(&n.graph->context, &read, NULL, &a, &shapes), NULL, "describe");
  CHECK_STRING(tvmq_node_describe(&n.graph->context, &read, NULL, &b, &shapes), NULL, "describe");
  CHECK(memcmp(&a, &b, sizeof a) == 0, "equal as memory");
  CHECK(shapes.out.rank == 4 && shapes.out.dims[1] == NETWORK_H && shapes.out.dims[3] == NETWORK_FILTERS &&
            shapes.out.bytes == NETWORK_H * NETWORK_H * NETWORK_FILTERS,
        "shape");
  CHECK(a.conv.filter == tensor(&n, n.filter)->data && a.conv.n_filter_scales == 1 && a.conv.in.zero_point == -7 && a.conv.out_h == NETWORK_H, "values");
  CHECK(tvmq_tensor_data(&n.graph->context, n.filter, tensor(&n, n.filter)->bytes) != NULL, "data");
  CHECK(tvmq_tensor_data(&n.graph->context, n.in, 1) == NULL && tvmq_tensor_data(&n.graph->context, 99, 1) == NULL, "another size, another tensor");
  fake_destroy(n.fake);
}

// The shape that the output tensor has in the file means nothing: TFLite's kernels set it.
static void check_output_shape(void) {
  struct network n = network_create(false);
  const struct fake_node pair = fake_node_at(n.graph, n.conv);
  struct tvmq_node read;
  union tvmq_desc desc;
  struct tvmq_shape in_shape, out_shape;
  struct tvmq_shapes shapes = {.in = &in_shape, .outs = &out_shape};
  const int output = pair.node.outputs->data[0];
  tensor(&n, output)->dims->size = 0;
  CHECK_STRING(tvmq_node_read(&n.graph->context, &pair.node, &pair.registration, &read), NULL, "read");
  CHECK_STRING(tvmq_node_describe(&n.graph->context, &read, NULL, &desc, &shapes), NULL, "describe");
  CHECK_STRING(tvmq_operator_conv.claim(&desc), NULL, "claim");
  CHECK(tvmq_tensor_resize(&n.graph->context, output, &shapes.out, false) && tensor(&n, output)->dims->size == 4, "resize");
  const TfLiteIntArray *dims = tensor(&n, output)->dims;
  CHECK(tvmq_tensor_resize(&n.graph->context, output, &shapes.out, false) && tensor(&n, output)->dims == dims, "has it already");
  CHECK(tvmq_tensor_resize(&n.graph->context, output, &shapes.out, true) && tensor(&n, output)->dims != dims, "always");
  fake_destroy(n.fake);
}

// A node keeps only the first bytes of a description for its options, so no options lie behind them.
static void check_options(void) {
#define TVMQ_OPERATOR(name, code, reader) {#name, &tvmq_node_##reader},
  static const struct {
    const char *name;
    const struct tvmq_node_kind *kind;
  } kinds[] = {
#include "operators/operators.def"
  };
  for (size_t i = 0; i < N_ELEMENTS(kinds); i++) {
    for (int value = 0; value < 2; value++) {  // of which any is a bool
      union tvmq_desc options = kinds[i].kind->options, again;
      _Alignas(max_align_t) uint8_t params[512];
      memset(params, value, sizeof params);
      if (kinds[i].kind->read != NULL) kinds[i].kind->read(params, 1, &options);
      struct tvmq_node node;
      tvmq_node_set_options(&node, &options);
      tvmq_node_get_options(&node, &again);
      CHECK(memcmp(&options, &again, sizeof options) == 0, "%s, options of bytes %d", kinds[i].name, value);
    }
  }
}

// QUANTIZE of a constant: at any place in the file, in a buffer of any sufficient size.
static void check_constant_input(void) {
  static const int16_t values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  for (size_t shift = 0; shift < 2; shift++) {
    struct network n = network_create(false);
    const int dims[] = {5, 0};
    const int in = fake_tensor(n.graph, kTfLiteInt16, dims, 0.5f, 0, (const char *)values + shift),
              out = fake_tensor(n.graph, kTfLiteInt8, dims, 0.5f, 0, NULL);
    tensor(&n, in)->bytes = 14;
    const struct fake_node pair = fake_node_at(n.graph, fake_quantize(n.graph, in, out));
    struct tvmq_node read;
    union tvmq_desc desc;
    struct tvmq_shape in_shape, out_shape;
    struct tvmq_shapes shapes = {.in = &in_shape, .outs = &out_shape};
    CHECK_STRING(tvmq_node_read(&n.graph->context, &pair.node, &pair.registration, &read), NULL, "read");
    const char *reason = tvmq_node_describe(&n.graph->context, &read, NULL, &desc, &shapes);
    CHECK_STRING(reason, shift == 0 ? NULL : "a constant input is not aligned", "odd address");
    CHECK(shapes.in[0].bytes == 10 || shift == 1, "shape");
    CHECK(tvmq_tensor_data(&n.graph->context, in, 10) == (const char *)values + shift, "larger than its shape");
    CHECK(tvmq_tensor_data(&n.graph->context, in, 16) == NULL, "smaller than asked for");
    fake_destroy(n.fake);
  }
}

// ---- PAD

static TfLiteTensor *paddings, *value;
static void pad_floats(struct network *n) { (void)n, paddings->type = kTfLiteFloat32; }
static void pad_three(struct network *n) { (void)n, paddings->dims->data[0] = 3; }
static void pad_pair(struct network *n) { (void)n, paddings->dims->size = 1; }
static void pad_short(struct network *n) { (void)n, paddings->bytes = 31; }
static void pad_no_data(struct network *n) { (void)n, paddings->data = NULL; }
static void pad_variable(struct network *n) { (void)n, paddings->allocation_type = kTfLiteArenaRw; }
static void pad_rank_3(struct network *n) { tensor(n, n->in)->dims->size = 3; }
static void pad_too_much(struct network *n) { tensor(n, n->in)->dims->data[1] = INT32_MAX - 2; }
static void pad_away(struct network *n) { tensor(n, n->in)->dims->data[2] = 1, ((int32_t *)paddings->data)[4] = -9; }
static void pad_negative(struct network *n) { (void)n, ((int32_t *)paddings->data)[4] = -1; }
static void pad_wide(struct network *n) {
  (void)n;
  paddings->type = kTfLiteInt64;
  paddings->bytes *= 2;
  ((int32_t *)paddings->data)[9] = 1;  // the upper half of the fifth
}
static void value_absent(struct network *n) { node(n, n->quantize + 1)->inputs->data[2] = -1; }
static void value_wild(struct network *n) { node(n, n->quantize + 1)->inputs->data[2] = 99; }
static void value_type(struct network *n) { (void)n, value->type = kTfLiteUInt8; }
static void value_two(struct network *n) { (void)n, value->dims->data[0] = 2, value->bytes = 2; }
static void value_short(struct network *n) { (void)n, value->bytes = 0; }
static void value_variable(struct network *n) { (void)n, value->allocation_type = kTfLiteArenaRw; }
static void value_zero_point(struct network *n) { (void)n, value->params.zero_point = -6; }
static void value_scale(struct network *n) { (void)n, value->params.scale = 0.5f; }
static void pad_into_itself(struct network *n) { node(n, n->quantize + 1)->outputs->data[0] = n->in; }

static void check_pad(void) {
  static const struct {
    void (*spoil)(struct network *n);
    const char *reason;
  } cases[] = {
      {NULL, NULL},
      {pad_floats, "paddings are neither int32 nor int64"},
      {pad_three, "paddings are not of shape [rank, 2]"},
      {pad_pair, "paddings are not of shape [rank, 2]"},
      {pad_short, "a constant has fewer bytes than its shape needs"},
      {pad_no_data, "paddings are not constant"},
      {pad_variable, "paddings are not constant"},
      {pad_rank_3, "paddings are not of shape [rank, 2]"},
      {pad_too_much, "a dimension exceeds 2^31 - 1"},
      {pad_away, "a padding is negative"},
      {pad_negative, "a padding is negative"},
      {pad_wide, "a padding exceeds 32 bits"},
      {pad_into_itself, "a tensor is both input and output"},
      {value_absent, NULL},
      {value_wild, "a tensor index is out of range"},
      {value_type, "the padding value is not a single element of the input's type"},
      {value_two, "the padding value is not a single element of the input's type"},
      {value_short, "a constant has fewer bytes than its shape needs"},
      {value_variable, "the padding value is not constant"},
      {value_zero_point, "scale or zero point of the padding value differs from the output's"},
      {value_scale, "scale or zero point of the padding value differs from the output's"},
  };
  for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
    int32_t data[16] = {0, 0, 1, 2, 0, 3, 0, 0};
    struct network n = network_create(false);
    const int constant = fake_tensor(n.graph, kTfLiteInt32, (int[]){4, 2, 0}, 0, 0, data);
    const int out = fake_tensor(n.graph, kTfLiteInt8, (int[]){1, 1, 1, 1, 0}, 0.02f, -7, NULL);
    const int with = fake_tensor(n.graph, kTfLiteInt8, (int[]){1, 0}, 0.02f, -7, &(int8_t){-7});
    const int index = fake_builtin(n.graph, TVMQ_BUILTIN_PAD, 3, (int[]){n.in, constant, with}, out, NULL);
    paddings = tensor(&n, constant);
    value = tensor(&n, with);
    if (cases[i].spoil != NULL) cases[i].spoil(&n);
    union tvmq_desc desc;
    struct tvmq_shapes shapes;
    const char *reason = network_claim(&n, TVMQ_BUILTIN_PAD, index, &desc, &shapes);
    CHECK_STRING(reason, cases[i].reason, cases[i].reason);
    if (reason == NULL) {
      const struct tvmq_copy_axis *axes = desc.copy.axes;
      CHECK(axes[0].kind == TVMQ_COPY_STEPS && axes[1].kind == TVMQ_COPY_PADDED && axes[1].first == 1 && axes[2].first == 0, "description");
      CHECK(axes[1].n == NETWORK_H + 3 && axes[2].n == NETWORK_H + 3 && desc.copy.value == -7 && desc.copy.zero_point == -7, "description");
      CHECK(shapes.out.dims[1] == NETWORK_H + 3 && shapes.out.bytes == (NETWORK_H + 3) * (NETWORK_H + 3) * NETWORK_C, "shape");
    }
    paddings->allocation_type = value->allocation_type = kTfLiteMmapRo;
    fake_destroy(n.fake);
  }
}

// ---- runtimes

static void lacks_plan(struct network *n) { n->graph->context.GetExecutionPlan = NULL; }
static void lacks_preview(struct network *n) { n->graph->context.PreviewDelegatePartitioning = NULL; }
static void lacks_external(struct network *n) { n->graph->context.GetExternalContext = NULL; }
static void wrong_tensors(struct network *n) { n->graph->context.tensors = (void *)(uintptr_t)17; }
static void wrong_number(struct network *n) { n->graph->context.tensors_size = SIZE_MAX; }
static void shifted_tensors(struct network *n) { n->graph->context.tensors = (void *)((char *)n->graph->tensors + 8), n->graph->context.tensors_size--; }

// A runtime whose tensors are 8 bytes longer, or shorter.
static void *spread;
static void stretch(struct network *n, size_t size) {
  const size_t used = size < sizeof(TfLiteTensor) ? size : sizeof(TfLiteTensor);
  char *place = spread = calloc(n->graph->n_tensors + 1, sizeof(TfLiteTensor) + size);
  for (size_t i = 0; i < n->graph->n_tensors; i++) memcpy(place + i * size, &n->graph->tensors[i], used);
  n->graph->context.tensors = (void *)place;
}
static void longer_tensors(struct network *n) { stretch(n, sizeof(TfLiteTensor) + 8); }
static void shorter_tensors(struct network *n) { stretch(n, sizeof(TfLiteTensor) - 8); }

static void check_runtimes(void) {
  static const struct {
    void (*spoil)(struct network *n);
    const char *reason;
  } cases[] = {
      {lacks_plan, "the runtime lacks a function that delegates need"},     {lacks_preview, "the runtime lacks a function that delegates need"},
      {lacks_external, "the runtime lacks a function that delegates need"}, {wrong_tensors, "the runtime's tensors have an unknown layout"},
      {wrong_number, "the runtime's tensors have an unknown layout"},       {shifted_tensors, "the runtime's tensors have an unknown layout"},
      {longer_tensors, "the runtime's tensors have an unknown layout"},     {shorter_tensors, "the runtime's tensors have an unknown layout"},
  };
  for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
    struct network n = network_create(false);
    const TfLiteContext context = n.graph->context;
    TfLiteDelegate *delegate = network_delegate(NULL);
    spread = NULL;
    cases[i].spoil(&n);
    CHECK(fake_apply(n.graph, delegate) == kTfLiteOk && fake_delegate_nodes(n.graph) == 0, "runtime %zu: claims nothing, which is no error", i);
    const char *error = tvmq_get_delegate(delegate)->error;
    CHECK(strncmp(error, cases[i].reason, strlen(cases[i].reason)) == 0, "runtime %zu: %s", i, error);
    n.graph->context = context;
    free(spread);
    network_delegate_destroy(delegate);
    fake_destroy(n.fake);
  }
}

// Every size that TFLite's registration has had, and sizes that are more than we can fill.
static void check_registrations(void) {
  for (size_t size = TFLITE_REGISTRATION_MIN_SIZE; size <= 256; size += 8) {
    struct network n = network_create_sized(size);
    TfLiteDelegate *delegate = network_delegate(NULL);
    CHECK(fake_apply(n.graph, delegate) == kTfLiteOk, "%zu bytes", size);
    const int claimed = tvmq_get_delegate(delegate)->claimed;
    CHECK(claimed == (size <= sizeof(TfLiteRegistration) ? 3 : 0), "%zu bytes: %d claimed", size, claimed);
    fake_destroy(n.fake);
    network_delegate_destroy(delegate);
  }
}

int main(void) {
  const size_t blocks = tvmq_alloc_live();
  check_conv();
  check_description();
  check_output_shape();
  check_options();
  check_constant_input();
  check_pad();
  check_runtimes();
  check_registrations();
  CHECK(tvmq_alloc_live() == blocks, "blocks left");
  return unit_report();
}
