#include "node.h"

#include <string.h>

#include "geometry.h"
#include "memory.h"
#include "op_names.h"

static const TfLiteTensor *tensor_at(const TfLiteContext *context, int index) {
  return index >= 0 && (size_t)index < context->tensors_size ? &context->tensors[index] : NULL;
}

static enum tvmq_type type_of(const TfLiteTensor *tensor) {
  switch (tensor->type) {
    case kTfLiteInt8:
      return TVMQ_TYPE_S8;
    case kTfLiteUInt8:
      return TVMQ_TYPE_U8;
    case kTfLiteInt16:
      return TVMQ_TYPE_S16;
    case kTfLiteInt32:
      return TVMQ_TYPE_S32;
    case kTfLiteInt64:
      return TVMQ_TYPE_S64;
    case kTfLiteFloat32:
      return TVMQ_TYPE_F32;
    case kTfLiteInt4:
      return TVMQ_TYPE_S4;
    default:
      return TVMQ_TYPE_OTHER;
  }
}

// Bytes of a shape whose dimensions are set.
static const char *set_bytes(struct tvmq_shape *shape, enum tvmq_type type) {
  size_t bytes = tvmq_type_bytes(type);
  for (int i = 0; i < shape->rank; i++) {
    if (shape->dims[i] < 0) return "a tensor has a negative dimension";
    if (__builtin_mul_overflow(bytes, (size_t)shape->dims[i], &bytes)) return "a tensor exceeds the address space";
  }
  shape->bytes = bytes;
  return NULL;
}

static const char *read_shape(const TfLiteTensor *tensor, struct tvmq_shape *shape) {
  *shape = (struct tvmq_shape){0};
  if (tensor->dims == NULL || tensor->dims->size < 0) return "a tensor has no shape";
  if (tensor->dims->size > TVMQ_MAX_RANK) return "a tensor has more than 8 dimensions";
  if (tensor->sparsity != NULL) return "a tensor is sparse";
  shape->rank = tensor->dims->size;
  for (int i = 0; i < shape->rank; i++) shape->dims[i] = tensor->dims->data[i];
  return set_bytes(shape, type_of(tensor));
}

static bool is_constant(const TfLiteTensor *tensor) {
  return (tensor->allocation_type == kTfLiteMmapRo || tensor->allocation_type == kTfLitePersistentRo) && tensor->data != NULL;
}

// Memory that the runtime provides by the time the node runs.
static bool is_readable(const TfLiteTensor *tensor) { return tensor->allocation_type >= kTfLiteMmapRo && tensor->allocation_type <= kTfLiteCustom; }
static bool is_writable(const TfLiteTensor *tensor) {
  return tensor->allocation_type == kTfLiteArenaRw || tensor->allocation_type == kTfLiteDynamic || tensor->allocation_type == kTfLiteCustom;
}

// A file may place a constant anywhere; kernels read whole elements.
static bool is_aligned(const TfLiteTensor *tensor) { return (uintptr_t)tensor->data % tvmq_type_bytes(type_of(tensor)) == 0; }

// Of a whole tensor: what TFLite's own kernels take it from. Scale 0 if it has none; the claim rules refuse that.
static struct tvmq_quant quant_of(const TfLiteTensor *tensor) {
  if (tensor->quantization.type != kTfLiteAffineQuantization) return (struct tvmq_quant){0};
  return (struct tvmq_quant){.scale = tensor->params.scale, .zero_point = tensor->params.zero_point};
}

// ---- the two ends that every node has

static const char *read_ends(const TfLiteContext *context, const struct tvmq_node *node, const TfLiteTensor **in, const TfLiteTensor **out,
                             struct tvmq_shape *in_shape) {
  *in = tensor_at(context, node->in);
  *out = tensor_at(context, node->out);
  if (*in == NULL || *out == NULL || node->in == node->out) return "a tensor index is out of range";
  if (!is_readable(*in)) return "the input is not in memory that the CPU reads";
  if (is_constant(*in) && !is_aligned(*in)) return "a constant input is not aligned";
  if (!is_writable(*out) || (*out)->sparsity != NULL) return "the output is not in memory that the CPU writes";
  if ((*in)->is_variable || (*out)->is_variable) return "a variable tensor is read or written";
  return read_shape(*in, in_shape);
}

// ---- convolutions

// A constant tensor's data is at least as large as its shape says.
static const char *read_constant(const TfLiteContext *context, int index, const TfLiteTensor **tensor, struct tvmq_shape *shape) {
  *tensor = tensor_at(context, index);
  if (*tensor == NULL) return "a tensor index is out of range";
  const char *reason = read_shape(*tensor, shape);
  if (reason != NULL) return reason;
  return is_constant(*tensor) && type_of(*tensor) != TVMQ_TYPE_S4 && (*tensor)->bytes < shape->bytes ? "a constant is shorter than its shape" : NULL;
}

static const char *describe_filter(const TfLiteContext *context, const struct tvmq_node *node, struct tvmq_conv_desc *conv) {
  const TfLiteTensor *filter;
  struct tvmq_shape shape;
  const char *reason = read_constant(context, node->filter, &filter, &shape);
  if (reason != NULL) return reason;
  if (shape.rank != 4) return "the filter has not 4 dimensions";
  conv->filter_type = type_of(filter);
  conv->filter = is_constant(filter) ? filter->data : NULL;
  conv->filter_h = shape.dims[1];
  conv->filter_w = shape.dims[2];
  conv->filter_c = conv->depthwise ? 1 : shape.dims[3];
  conv->out_c = conv->depthwise ? shape.dims[3] : shape.dims[0];
  if (conv->depthwise) {
    if (shape.dims[0] != 1) return "the first dimension of a depthwise filter is not 1";
    if (conv->in_c < 1 || conv->out_c % conv->in_c != 0) return "output channels are not a multiple of the input's";
    conv->depth_multiplier = conv->out_c / conv->in_c;
    // 8-bit kernels divide the channels, as is done here; 16x8 kernels of older runtimes believe the options and compute something else.
    if (conv->in_type == TVMQ_TYPE_S16 && node->depth_multiplier != conv->depth_multiplier) return "16x8 and a depth multiplier that does not fit the channels";
  }

  const TfLiteAffineQuantization *affine = filter->quantization.type == kTfLiteAffineQuantization ? filter->quantization.params : NULL;
  if (affine == NULL || affine->scale == NULL || affine->scale->size < 1) return NULL;  // no scales: the claim rules say what that means for the type
  conv->filter_scales = affine->scale->data;
  conv->n_filter_scales = affine->scale->size;
  if (affine->zero_point == NULL) return NULL;
  for (int i = 0; i < affine->zero_point->size; i++) {
    if (affine->zero_point->data[i] != affine->zero_point->data[0]) return "weights have a zero point per channel";
    conv->filter_zero_point = affine->zero_point->data[0];
  }
  return NULL;
}

static const char *describe_bias(const TfLiteContext *context, const struct tvmq_node *node, struct tvmq_conv_desc *conv) {
  const bool wide = conv->in_type == TVMQ_TYPE_S16 && !node->narrow_accumulator;
  conv->bias_type = wide ? TVMQ_TYPE_S64 : TVMQ_TYPE_S32;
  if (node->bias < 0) return NULL;
  const TfLiteTensor *bias;
  struct tvmq_shape shape;
  const char *reason = read_constant(context, node->bias, &bias, &shape);
  if (reason != NULL) return reason;
  if (shape.bytes != (size_t)conv->out_c * tvmq_type_bytes(type_of(bias))) return "the bias has not one value per output channel";
  if (conv->in_type == TVMQ_TYPE_S16 && type_of(bias) != conv->bias_type) return "the bias has another type than the 16x8 accumulator";
  conv->bias_type = type_of(bias);
  conv->bias = is_constant(bias) ? bias->data : NULL;
  conv->dynamic_bias = conv->bias == NULL;
  return NULL;
}

static const char *describe_conv(const TfLiteContext *context, const struct tvmq_node *node, union tvmq_desc *desc, struct tvmq_shape *in_shape,
                                 struct tvmq_shape *out_shape) {
  const TfLiteTensor *in, *out;
  const char *reason = read_ends(context, node, &in, &out, in_shape);
  if (reason != NULL) return reason;
  if (in_shape->rank != 4) return "the input has not 4 dimensions";

  struct tvmq_conv_desc *conv = &desc->conv;
  conv->depthwise = node->builtin_code == TVMQ_BUILTIN_DEPTHWISE_CONV_2D;
  conv->in_type = type_of(in);
  conv->out_type = type_of(out);
  conv->batch = in_shape->dims[0];
  conv->in_h = in_shape->dims[1];
  conv->in_w = in_shape->dims[2];
  conv->in_c = in_shape->dims[3];
  conv->stride_h = node->stride_h;
  conv->stride_w = node->stride_w;
  conv->dilation_h = node->dilation_h;
  conv->dilation_w = node->dilation_w;
  conv->depth_multiplier = 1;
  conv->padding = node->padding;
  conv->activation = node->activation;
  conv->in = quant_of(in);
  conv->out = quant_of(out);
  reason = describe_filter(context, node, conv);
  if (reason == NULL) reason = describe_bias(context, node, conv);
  if (reason != NULL) return reason;

  struct tvmq_geometry geometry;
  reason = tvmq_geometry(conv, &geometry);
  if (reason != NULL) return reason;
  conv->out_h = geometry.out_h;
  conv->out_w = geometry.out_w;
  *out_shape = (struct tvmq_shape){.rank = 4, .dims = {conv->batch, conv->out_h, conv->out_w, conv->out_c}};
  return set_bytes(out_shape, conv->out_type);
}

// ---- QUANTIZE

static const char *describe_quantize(const TfLiteContext *context, const struct tvmq_node *node, union tvmq_desc *desc, struct tvmq_shape *in_shape,
                                     struct tvmq_shape *out_shape) {
  const TfLiteTensor *in, *out;
  const char *reason = read_ends(context, node, &in, &out, in_shape);
  if (reason != NULL) return reason;
  struct tvmq_requantize_desc *requantize = &desc->requantize;
  requantize->in_type = type_of(in);
  requantize->out_type = type_of(out);
  requantize->in = quant_of(in);
  requantize->out = quant_of(out);
  requantize->n = in_shape->bytes / tvmq_type_bytes(requantize->in_type);
  *out_shape = *in_shape;
  return set_bytes(out_shape, requantize->out_type);
}

const char *tvmq_node_describe(const TfLiteContext *context, const struct tvmq_node *node, union tvmq_desc *desc, struct tvmq_shape *in,
                               struct tvmq_shape *out) {
  memset(desc, 0, sizeof *desc);
  return node->builtin_code == TVMQ_BUILTIN_QUANTIZE ? describe_quantize(context, node, desc, in, out) : describe_conv(context, node, desc, in, out);
}

// ---- operator options

static enum tvmq_activation activation_of(TfLiteFusedActivation activation) {
  switch (activation) {
    case kTfLiteActNone:
      return TVMQ_ACTIVATION_NONE;
    case kTfLiteActRelu:
      return TVMQ_ACTIVATION_RELU;
    case kTfLiteActRelu6:
      return TVMQ_ACTIVATION_RELU6;
    case kTfLiteActReluN1To1:
      return TVMQ_ACTIVATION_RELU_N1_TO_1;
    default:
      return TVMQ_ACTIVATION_OTHER;
  }
}

static bool read_padding(TfLitePadding padding, enum tvmq_padding *out) {
  *out = padding == kTfLitePaddingSame ? TVMQ_PADDING_SAME : TVMQ_PADDING_VALID;
  return padding == kTfLitePaddingSame || padding == kTfLitePaddingValid;
}

enum { CONV_VERSION_WITH_BIAS_TYPE = 7 };

static const char *read_conv(const TfLiteNode *node, const TfLiteRegistration *registration, struct tvmq_node *out) {
  if (node->inputs->size != 2 && node->inputs->size != 3) return "the node has not 2 or 3 inputs";
  out->filter = node->inputs->data[1];
  out->bias = node->inputs->size == 3 ? node->inputs->data[2] : -1;
  if (node->builtin_data == NULL) return "the node has no options";
  if (registration->builtin_code == TVMQ_BUILTIN_CONV_2D) {
    const TfLiteConvParams *params = node->builtin_data;
    out->stride_h = params->stride_height;
    out->stride_w = params->stride_width;
    out->dilation_h = params->dilation_height_factor;
    out->dilation_w = params->dilation_width_factor;
    out->activation = activation_of(params->activation);
    out->narrow_accumulator = registration->version >= CONV_VERSION_WITH_BIAS_TYPE && params->quantized_bias_type == kTfLiteInt32;
    return read_padding(params->padding, &out->padding) ? NULL : "padding is neither SAME nor VALID";
  }
  const TfLiteDepthwiseConvParams *params = node->builtin_data;
  out->stride_h = params->stride_height;
  out->stride_w = params->stride_width;
  out->dilation_h = params->dilation_height_factor;
  out->dilation_w = params->dilation_width_factor;
  out->depth_multiplier = params->depth_multiplier;
  out->activation = activation_of(params->activation);
  return read_padding(params->padding, &out->padding) ? NULL : "padding is neither SAME nor VALID";
}

const char *tvmq_node_read(const TfLiteNode *node, const TfLiteRegistration *registration, struct tvmq_node *out) {
  *out = (struct tvmq_node){.builtin_code = registration->builtin_code, .filter = -1, .bias = -1};
  if (node->inputs == NULL || node->outputs == NULL || node->inputs->size < 1 || node->outputs->size != 1) return "the node has not one output, or no input";
  out->in = node->inputs->data[0];
  out->out = node->outputs->data[0];
  if (registration->builtin_code != TVMQ_BUILTIN_QUANTIZE) return read_conv(node, registration, out);
  return node->inputs->size == 1 ? NULL : "the node has not 1 input";
}

// ---- tensors while a graph is prepared and runs

bool tvmq_tensor_resize(TfLiteContext *context, int index, const struct tvmq_shape *shape, bool always) {
  TfLiteTensor *tensor = &context->tensors[index];
  const bool same =
      tensor->dims != NULL && tensor->dims->size == shape->rank && memcmp(tensor->dims->data, shape->dims, (size_t)shape->rank * sizeof(int)) == 0;
  if (same && !always) return true;
  TfLiteIntArray *dims = tvmq_alloc_foreign(sizeof *dims + (size_t)shape->rank * sizeof(int));
  if (dims == NULL) return false;
  dims->size = shape->rank;
  memcpy(dims->data, shape->dims, (size_t)shape->rank * sizeof(int));
  return context->ResizeTensor(context, tensor, dims) == kTfLiteOk;  // owns dims, even when it fails
}

void *tvmq_tensor_data(const TfLiteContext *context, int index, size_t bytes) {
  const TfLiteTensor *tensor = tensor_at(context, index);
  if (tensor == NULL) return NULL;
  return tensor->bytes == bytes || (is_constant(tensor) && tensor->bytes > bytes) ? tensor->data : NULL;
}
