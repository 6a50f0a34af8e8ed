#include "measure/recipe.h"

#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "base/memory.h"
#include "measure/draws.h"
#include "measure/words.h"
#include "operators/geometry.h"
#include "operators/quant_params.h"

enum { MACS_A_BYTE = 200 };

// How to make operators of one name. `describe` fills in the description, the constants and the sizes of the tensors.
// It returns NULL, or why it cannot.
struct recipe {
  const char *op;
  const struct tvmq_operator *op_def;
  const char *(*describe)(const char *signature, struct tvmq_made *made);
  bool is_conv;
};

static const char *const malformed = "the signature lacks a word or has an invalid one";
static const char *const too_large = "the tensors are too large, or there are too many multiply-accumulates";

// Returns a quantization with a zero point typical of common models.
static struct tvmq_quant quant_of(enum tvmq_type type, float scale) {
  return (struct tvmq_quant){.scale = scale, .zero_point = type == TVMQ_TYPE_U8 ? 127 : type == TVMQ_TYPE_S8 ? -1 : 0};
}

// Computes the bytes of a tensor with these dimensions. Returns false if the tensor is too large.
static bool set_bytes(const struct tvmq_made *made, size_t *bytes, enum tvmq_type type, const int32_t *dims, int n) {
  *bytes = tvmq_type_bytes(type);
  for (int i = 0; i < n; i++) {
    if (dims[i] < 1 || !tvmq_mul_size(*bytes, (size_t)dims[i], bytes) || *bytes > made->most_bytes) return false;
  }
  return true;
}

// ---- convolutions

// Returns the padding below or to the right. All padding is in the border, because the convolution itself has none.
static int32_t pad_behind(int32_t in, int32_t before, int32_t out, int32_t filter, int32_t stride, int32_t dilation) {
  const int64_t behind = tvmq_pad_behind(in, before, out, filter, stride, dilation);
  return behind < INT16_MAX ? (int32_t)behind : INT16_MAX;
}

static const char *read_conv_words(const char *signature, struct tvmq_conv_desc *d) {
  int32_t in[4], filter[3], out[3], pair[2];
  if (!tvmq_word_tensor(signature, "in", &d->in_type, 4, in) || !tvmq_word_tensor(signature, "filter", &d->filter_type, 3, filter) ||
      !tvmq_word_tensor(signature, "out", &d->out_type, 3, out))
    return malformed;
  d->batch = in[0], d->in_h = in[1], d->in_w = in[2], d->in_c = in[3];
  d->filter_h = filter[0], d->filter_w = filter[1], d->filter_c = filter[2];
  d->out_h = out[0], d->out_w = out[1], d->out_c = out[2];
  if (!tvmq_word_numbers(signature, "stride", 2, pair)) return malformed;
  d->stride_h = pair[0], d->stride_w = pair[1];
  if (!tvmq_word_numbers(signature, "dilation", 2, pair)) return malformed;
  d->dilation_h = pair[0], d->dilation_w = pair[1];
  if (!tvmq_word_numbers(signature, "pad", 2, pair) || pair[0] > INT16_MAX || pair[1] > INT16_MAX) return malformed;
  d->border = (struct tvmq_border){.top = pair[0],
                                   .left = pair[1],
                                   .bottom = pad_behind(d->in_h, pair[0], d->out_h, d->filter_h, d->stride_h, d->dilation_h),
                                   .right = pad_behind(d->in_w, pair[1], d->out_w, d->filter_w, d->stride_w, d->dilation_w)};
  return NULL;
}

// Sets the bias type, the zero points, and scales for which results use the whole range of the output type.
static const char *quantize_conv(const char *signature, struct tvmq_made *made, struct tvmq_conv_desc *d) {
  const bool wide = d->in_type == TVMQ_TYPE_S16, odd = tvmq_word_there(signature, "filter_zero_point");
  d->bias_type = TVMQ_TYPE_S32;
  char text[8];
  if (tvmq_word_text(signature, "acc", text, sizeof text) && strcmp(text, "s64") == 0) d->bias_type = TVMQ_TYPE_S64;
  d->in = quant_of(d->in_type, 0x1p-6f);
  d->border.value = d->in.zero_point;
  d->filter_zero_point = d->filter_type == TVMQ_TYPE_U8 ? (odd ? 120 : 128) : 0;
  d->n_filter_scales = d->filter_type == TVMQ_TYPE_U8 ? 1 : d->out_c;
  made->scales = tvmq_alloc((size_t)d->n_filter_scales * sizeof made->scales[0]);
  if (made->scales == NULL) return "out of memory";
  for (int32_t i = 0; i < d->n_filter_scales; i++) made->scales[i] = 0x1p-9f * (1 + (float)(i % 8) / 16);
  d->filter_scales = made->scales;
  const double taps = (double)d->filter_h * d->filter_w * d->filter_c, in_spread = wide ? 18900 : 74, weight_spread = 37, out_spread = wide ? 8000 : 40;
  d->out = quant_of(d->out_type, (float)((double)d->in.scale * 0x1p-9 * sqrt(taps) * in_spread * weight_spread / out_spread));
  return NULL;
}

static const char *make_conv(const char *signature, struct tvmq_made *made) {
  struct tvmq_conv_desc *d = &made->desc.conv;  // also the first member of the description of FULLY_CONNECTED
  const char *why = read_conv_words(signature, d);
  if (why != NULL) return why;
  const int32_t ins[] = {d->batch, d->in_h, d->in_w, d->in_c}, outs[] = {d->batch, d->out_h, d->out_w, d->out_c};
  const int32_t filters[] = {d->out_c, d->filter_h, d->filter_w, d->depthwise ? 1 : d->filter_c};
  size_t filter_bytes;
  if (!set_bytes(made, &made->in_bytes[0], d->in_type, ins, 4) || !set_bytes(made, &made->out_bytes, d->out_type, outs, 4) ||
      !set_bytes(made, &filter_bytes, d->filter_type, filters, 4))
    return too_large;
  if ((double)made->out_bytes * d->filter_h * d->filter_w * d->filter_c > MACS_A_BYTE * (double)made->most_bytes) return too_large;
  why = quantize_conv(signature, made, d);
  if (why != NULL) return why;
  const size_t bias_bytes = tvmq_type_bytes(d->bias_type);
  made->filter = tvmq_alloc(filter_bytes);
  made->bias = tvmq_alloc((size_t)d->out_c * bias_bytes);
  if (made->filter == NULL || made->bias == NULL) return "out of memory";
  tvmq_draw_weights(made->filter, filter_bytes, d->filter_type == TVMQ_TYPE_U8, tvmq_word_there(signature, "least_weights"));
  tvmq_draw_biases(made->bias, (size_t)d->out_c, bias_bytes);
  d->filter = made->filter;
  d->bias = made->bias;
  made->n_in = 1;
  return NULL;
}

static const char *make_dense(const char *signature, struct tvmq_made *made) {
  struct tvmq_conv_desc *d = &made->desc.conv;
  d->depth_multiplier = 1;
  d->padding = TVMQ_PADDING_VALID;
  return make_conv(signature, made);
}

static const char *make_depthwise(const char *signature, struct tvmq_made *made) {
  int32_t in[4], out[3];
  enum tvmq_type type;
  if (!tvmq_word_tensor(signature, "in", &type, 4, in) || !tvmq_word_tensor(signature, "out", &type, 3, out) || in[3] < 1) return malformed;
  struct tvmq_conv_desc *d = &made->desc.conv;
  d->depthwise = true;
  d->depth_multiplier = out[2] / in[3];
  d->padding = TVMQ_PADDING_VALID;
  return make_conv(signature, made);
}

static const char *make_fully_connected(const char *signature, struct tvmq_made *made) {
  made->desc.conv.fully_connected = true;
  made->desc.conv.scaling = TVMQ_SCALING_FIXED_POINT;
  return make_dense(signature, made);
}

// ---- elementwise operators

// Reads the types and the number of elements from the signature of a plain operator (cpu/ops/plain.h).
static const char *read_plain(const char *signature, struct tvmq_made *made, enum tvmq_type *in, enum tvmq_type *out, int32_t *n) {
  if (!tvmq_word_tensor(signature, "in", in, 0, NULL) || !tvmq_word_tensor(signature, "out", out, 0, NULL) || !tvmq_word_numbers(signature, "elements", 1, n))
    return malformed;
  return set_bytes(made, &made->out_bytes, *out, n, 1) ? NULL : too_large;
}

static const char *make_quantize(const char *signature, struct tvmq_made *made) {
  struct tvmq_quantize_desc *d = &made->desc.quantize;
  int32_t n;
  const char *why = read_plain(signature, made, &d->in_type, &d->out_type, &n);
  if (why != NULL || !set_bytes(made, &made->in_bytes[0], d->in_type, &n, 1)) return why != NULL ? why : too_large;
  d->n = (size_t)n;
  d->in = quant_of(d->in_type, 0.031f);
  d->out = quant_of(d->out_type, 0.05f);
  made->n_in = 1;
  return NULL;
}

// Makes an operator with two inputs. If the signature has "line", the second input has one line, which is broadcast.
static const char *make_binary(const char *signature, struct tvmq_made *made) {
  static const char *const names[] = {
      [TVMQ_OPERATION_ADD] = "ADD",         [TVMQ_OPERATION_SUB] = "SUB",
      [TVMQ_OPERATION_MUL] = "MUL",         [TVMQ_OPERATION_DIV] = "DIV",
      [TVMQ_OPERATION_MAXIMUM] = "MAXIMUM", [TVMQ_OPERATION_MINIMUM] = "MINIMUM",
      [TVMQ_OPERATION_PRELU] = "PRELU",     [TVMQ_OPERATION_SQUARED_DIFFERENCE] = "SQUARED_DIFFERENCE",
  };
  struct tvmq_binary_desc *d = &made->desc.binary;
  enum tvmq_type out;
  int32_t n, line = 0;
  const char *why = read_plain(signature, made, &d->type, &out, &n);
  if (why != NULL) return why;
  while (strcmp(names[d->operation], made->op) != 0) d->operation++;
  d->n = (size_t)n;
  d->in[0] = quant_of(d->type, 0.05f);
  d->in[1] = quant_of(d->type, 0.07f);
  d->out = quant_of(d->type, 0.1f);
  made->n_in = 2;
  made->in_bytes[0] = made->in_bytes[1] = made->out_bytes;
  if (!tvmq_word_numbers(signature, "line", 1, &line)) return NULL;
  if (line < 1 || n % line != 0) return malformed;
  struct tvmq_shape shapes[2] = {{.rank = 2, .dims = {n / line, line}}, {.rank = 1, .dims = {line == n ? 1 : line}}}, shape;
  why = tvmq_broadcast_shapes(shapes, 2, &shape, &d->broadcast);
  made->in_bytes[1] = (size_t)shapes[1].dims[0] * tvmq_type_bytes(d->type);
  d->rank = shape.rank;
  return why;
}

// Makes a RESIZE_BILINEAR. The signature does not tell how output pixels map to input pixels; uses the first mapping
// that is exact for the type.
static const char *make_resize(const char *signature, struct tvmq_made *made) {
  struct tvmq_resize_desc *d = &made->desc.resize;
  int32_t n, out[3], in[2];
  const char *why = read_plain(signature, made, &d->in_type, &d->out_type, &n);
  if (why != NULL) return why;
  if (!tvmq_word_numbers(signature, "size", 3, out) || !tvmq_word_numbers(signature, "scaled", 2, in)) return malformed;
  const int64_t image = (int64_t)out[0] * out[1];
  if (image < 1 || out[2] < 1 || image > n || n % (image * out[2]) != 0) return malformed;
  d->out_h = out[0], d->out_w = out[1], d->channels = out[2], d->in_h = in[0], d->in_w = in[1];
  d->batch = (int32_t)(n / (image * out[2]));
  const int32_t ins[] = {d->batch, d->in_h, d->in_w, d->channels};
  if (!set_bytes(made, &made->in_bytes[0], d->in_type, ins, 4)) return too_large;
  made->n_in = 1;
  d->half_pixel_centers = true;
  if (made->op_def->claim(&made->desc) != NULL) d->half_pixel_centers = false;
  if (made->op_def->claim(&made->desc) != NULL) d->align_corners = true;
  return NULL;
}

// ---- table of recipes

static const struct recipe recipes[] = {
    {"CONV_2D", &tvmq_operator_conv, make_dense, true},
    {"DEPTHWISE_CONV_2D", &tvmq_operator_depthwise, make_depthwise, true},
    {"FULLY_CONNECTED", &tvmq_operator_fully_connected, make_fully_connected, true},
    {"QUANTIZE", &tvmq_operator_quantize, make_quantize, false},
    {"ADD", &tvmq_operator_binary, make_binary, false},
    {"SUB", &tvmq_operator_binary, make_binary, false},
    {"MUL", &tvmq_operator_binary, make_binary, false},
    {"DIV", &tvmq_operator_binary, make_binary, false},
    {"MAXIMUM", &tvmq_operator_binary, make_binary, false},
    {"MINIMUM", &tvmq_operator_binary, make_binary, false},
    {"PRELU", &tvmq_operator_binary, make_binary, false},
    {"SQUARED_DIFFERENCE", &tvmq_operator_binary, make_binary, false},
    {"RESIZE_BILINEAR", &tvmq_operator_resize_bilinear, make_resize, false},
};

static const struct recipe *find_recipe(const char *signature) {
  const size_t n = strcspn(signature, " ");
  for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
    if (strlen(recipes[i].op) == n && strncmp(recipes[i].op, signature, n) == 0) return &recipes[i];
  }
  return NULL;
}

// Returns why the operator would be refused, or NULL. Claims apply to the model's description. There, tensors of
// convolutions with int8 weights and of SQUARED_DIFFERENCE are int8. If they are uint8 here, the delegate has turned
// them, so turns them back first.
static const char *claim_recipe(const struct recipe *recipe, const union tvmq_desc *desc) {
  union tvmq_desc described = *desc;
  const struct tvmq_conv_desc *conv = recipe->is_conv && desc->conv.filter_type == TVMQ_TYPE_S8 ? &desc->conv : NULL;
  if (conv != NULL) recipe->op_def->turn(&described, conv->in_type == TVMQ_TYPE_U8, conv->out_type == TVMQ_TYPE_U8);
  const bool squares = recipe->op_def == &tvmq_operator_binary && desc->binary.operation == TVMQ_OPERATION_SQUARED_DIFFERENCE;
  if (squares && desc->binary.type == TVMQ_TYPE_U8) recipe->op_def->turn(&described, true, true);
  return recipe->op_def->claim(&described);
}

const char *tvmq_make_operator(const char *signature, size_t most_bytes, struct tvmq_made *made) {
  const struct recipe *recipe = find_recipe(signature);
  *made = (struct tvmq_made){.most_bytes = most_bytes};
  if (recipe == NULL) return "not the signature of an operator that can be measured";
  made->op = recipe->op;
  made->op_def = recipe->op_def;
  const char *why = recipe->describe(signature, made);
  return why != NULL ? why : claim_recipe(recipe, &made->desc);
}

void tvmq_made_draw(const struct tvmq_made *made, int input, void *tensor) {
  const bool floats = (made->op_def == &tvmq_operator_quantize && made->desc.quantize.in_type == TVMQ_TYPE_F32) ||
                      (made->op_def == &tvmq_operator_binary && made->desc.binary.type == TVMQ_TYPE_F32);
  tvmq_draw_input(tensor, made->in_bytes[input], floats, input);
}

void tvmq_made_release(struct tvmq_made *made) {
  tvmq_free(made->filter);
  tvmq_free(made->bias);
  tvmq_free(made->scales);
  *made = (struct tvmq_made){0};
}
