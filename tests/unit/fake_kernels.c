#include "fake_kernels.h"

#include <stdlib.h>
#include <string.h>

#include "operators/op_names.h"
#include "support/oracle.h"

static TfLiteTensor *tensor_at(TfLiteContext *context, const TfLiteIntArray *indices, int i) { return &context->tensors[indices->data[i]]; }

static TfLiteStatus resize_output(TfLiteContext *context, TfLiteNode *node, int rank, const int *dims) {
  TfLiteIntArray *shape = malloc(sizeof *shape + (size_t)rank * sizeof(int));
  shape->size = rank;
  memcpy(shape->data, dims, (size_t)rank * sizeof(int));
  return context->ResizeTensor(context, tensor_at(context, node->outputs, 0), shape);
}

static int8_t clamp(int64_t value) { return (int8_t)(value < -128 ? -128 : value > 127 ? 127 : value); }

// ---- convolutions without activation and dilation

struct conv {
  const TfLiteTensor *in, *filter, *bias, *out;
  int stride, out_h, out_w, out_c, pad_top, pad_left;
};

static void axis(int in, int filter, int stride, TfLitePadding padding, int *out, int *pad) {
  *out = padding == kTfLitePaddingSame ? (in + stride - 1) / stride : (in - filter) / stride + 1;
  const int total = (*out - 1) * stride + filter - in;
  *pad = padding == kTfLitePaddingSame && total > 0 ? total / 2 : 0;
}

// Both kinds of options begin with padding and strides.
static struct conv read_conv(TfLiteContext *context, const TfLiteNode *node, int channel_axis) {
  const TfLiteConvParams *params = node->builtin_data;
  struct conv c = {.in = tensor_at(context, node->inputs, 0),
                   .filter = tensor_at(context, node->inputs, 1),
                   .bias = tensor_at(context, node->inputs, 2),
                   .out = tensor_at(context, node->outputs, 0),
                   .stride = params->stride_width};
  axis(c.in->dims->data[1], c.filter->dims->data[1], c.stride, params->padding, &c.out_h, &c.pad_top);
  axis(c.in->dims->data[2], c.filter->dims->data[2], c.stride, params->padding, &c.out_w, &c.pad_left);
  c.out_c = c.filter->dims->data[channel_axis];
  return c;
}

static TfLiteStatus prepare_conv(TfLiteContext *context, TfLiteNode *node, int channel_axis) {
  const struct conv c = read_conv(context, node, channel_axis);
  return resize_output(context, node, 4, (int[]){c.in->dims->data[0], c.out_h, c.out_w, c.out_c});
}

// Sum over the window of one output element. A depthwise filter is a convolution of one depth, whose input channel is that of the output.
static int64_t accumulate(const struct conv *c, bool depthwise, int batch, int y, int x, int o) {
  const int *in = c->in->dims->data, *filter = c->filter->dims->data;
  const int8_t *pixels = c->in->data, *weights = c->filter->data;
  const int depths = depthwise ? 1 : filter[3];
  int64_t sum = ((const int32_t *)c->bias->data)[o];
  for (int fy = 0; fy < filter[1]; fy++) {
    for (int fx = 0; fx < filter[2]; fx++) {
      const int iy = y * c->stride - c->pad_top + fy, ix = x * c->stride - c->pad_left + fx;
      if (iy < 0 || iy >= in[1] || ix < 0 || ix >= in[2]) continue;
      for (int d = 0; d < depths; d++) {
        const int channel = depthwise ? o : d;
        const int weight = depthwise ? weights[(fy * filter[2] + fx) * c->out_c + o] : weights[((o * filter[1] + fy) * filter[2] + fx) * depths + d];
        sum += (int64_t)(pixels[((batch * in[1] + iy) * in[2] + ix) * in[3] + channel] - c->in->params.zero_point) * weight;
      }
    }
  }
  return sum;
}

static TfLiteStatus invoke_any_conv(TfLiteContext *context, TfLiteNode *node, bool depthwise) {
  const struct conv c = read_conv(context, node, depthwise ? 3 : 0);
  const TfLiteAffineQuantization *affine = c.filter->quantization.params;
  int8_t *out = c.out->data;
  int32_t multiplier, shift;
  oracle_fixed_point((double)c.in->params.scale * (double)affine->scale->data[0] / (double)c.out->params.scale, &multiplier, &shift);
  for (int batch = 0; batch < c.in->dims->data[0]; batch++) {
    for (int y = 0; y < c.out_h; y++) {
      for (int x = 0; x < c.out_w; x++) {
        for (int o = 0; o < c.out_c; o++) {
          const int32_t sum = oracle_wrap(accumulate(&c, depthwise, batch, y, x, o));
          *out++ = clamp((int64_t)oracle_round_s32(TVMQ_ROUNDING_REFERENCE, sum, multiplier, shift) + c.out->params.zero_point);
        }
      }
    }
  }
  return kTfLiteOk;
}

static TfLiteStatus prepare_conv2d(TfLiteContext *context, TfLiteNode *node) { return prepare_conv(context, node, 0); }
static TfLiteStatus invoke_conv2d(TfLiteContext *context, TfLiteNode *node) { return invoke_any_conv(context, node, false); }
static TfLiteStatus prepare_depthwise(TfLiteContext *context, TfLiteNode *node) { return prepare_conv(context, node, 3); }
static TfLiteStatus invoke_depthwise(TfLiteContext *context, TfLiteNode *node) { return invoke_any_conv(context, node, true); }

// ---- PAD of 4 dimensions, by the zero point

static void padded_dims(TfLiteContext *context, const TfLiteNode *node, int *dims) {
  const TfLiteTensor *in = tensor_at(context, node->inputs, 0);
  const int32_t *paddings = tensor_at(context, node->inputs, 1)->data;
  for (int i = 0; i < 4; i++) dims[i] = paddings[2 * i] + in->dims->data[i] + paddings[2 * i + 1];
}

static TfLiteStatus prepare_pad(TfLiteContext *context, TfLiteNode *node) {
  int dims[4];
  padded_dims(context, node, dims);
  return resize_output(context, node, 4, dims);
}

static TfLiteStatus invoke_pad(TfLiteContext *context, TfLiteNode *node) {
  const TfLiteTensor *in = tensor_at(context, node->inputs, 0), *out = tensor_at(context, node->outputs, 0);
  const int32_t *paddings = tensor_at(context, node->inputs, 1)->data;
  const int *from = in->dims->data, *to = out->dims->data;
  memset(out->data, out->params.zero_point, out->bytes);
  for (int n = 0; n < from[0]; n++) {
    for (int y = 0; y < from[1]; y++) {
      const int line = (n * from[1] + y) * from[2], padded_line = ((n + paddings[0]) * to[1] + y + paddings[2]) * to[2] + paddings[4];
      for (int x = 0; x < from[2]; x++) {
        int8_t *pixel = (int8_t *)out->data + (padded_line + x) * to[3] + paddings[6];
        memcpy(pixel, (const int8_t *)in->data + (line + x) * from[3], (size_t)from[3]);
      }
    }
  }
  return kTfLiteOk;
}

// ---- element by element

static TfLiteStatus prepare_same(TfLiteContext *context, TfLiteNode *node) {
  const TfLiteIntArray *dims = tensor_at(context, node->inputs, 0)->dims;
  return resize_output(context, node, dims->size, dims->data);
}

static TfLiteStatus invoke_quantize(TfLiteContext *context, TfLiteNode *node) {
  const TfLiteTensor *in = tensor_at(context, node->inputs, 0), *out = tensor_at(context, node->outputs, 0);
  int32_t multiplier, shift;
  oracle_fixed_point((double)in->params.scale / (double)out->params.scale, &multiplier, &shift);
  for (size_t i = 0; i < in->bytes; i++) {
    const int32_t value = ((const int8_t *)in->data)[i] - in->params.zero_point;
    ((int8_t *)out->data)[i] = clamp((int64_t)oracle_round_s32(TVMQ_ROUNDING_REFERENCE, value, multiplier, shift) + out->params.zero_point);
  }
  return kTfLiteOk;
}

// Sums are of 20 bits more than the inputs, over twice the larger scale.
static TfLiteStatus invoke_add(TfLiteContext *context, TfLiteNode *node) {
  const TfLiteTensor *in[] = {tensor_at(context, node->inputs, 0), tensor_at(context, node->inputs, 1)}, *out = tensor_at(context, node->outputs, 0);
  const double common = 2.0 * (double)(in[0]->params.scale > in[1]->params.scale ? in[0] : in[1])->params.scale;
  int32_t multiplier[3], shift[3];
  for (int i = 0; i < 2; i++) oracle_fixed_point((double)in[i]->params.scale / common, &multiplier[i], &shift[i]);
  oracle_fixed_point(common / ((double)(1 << 20) * (double)out->params.scale), &multiplier[2], &shift[2]);
  for (size_t n = 0; n < out->bytes; n++) {
    int32_t sum = 0;
    for (int i = 0; i < 2; i++) {
      const int32_t value = (((const int8_t *)in[i]->data)[n] - in[i]->params.zero_point) * (1 << 20);
      sum += oracle_round_s32(TVMQ_ROUNDING_REFERENCE, value, multiplier[i], shift[i]);
    }
    ((int8_t *)out->data)[n] = clamp((int64_t)oracle_round_s32(TVMQ_ROUNDING_REFERENCE, sum, multiplier[2], shift[2]) + out->params.zero_point);
  }
  return kTfLiteOk;
}

static TfLiteStatus prepare_concatenation(TfLiteContext *context, TfLiteNode *node) {
  const int axis = ((const TfLiteConcatenationParams *)node->builtin_data)->axis;
  const TfLiteIntArray *first = tensor_at(context, node->inputs, 0)->dims;
  int dims[8];
  memcpy(dims, first->data, (size_t)first->size * sizeof(int));
  for (int i = 1; i < node->inputs->size; i++) dims[axis] += tensor_at(context, node->inputs, i)->dims->data[axis];
  return resize_output(context, node, first->size, dims);
}

static TfLiteStatus invoke_concatenation(TfLiteContext *context, TfLiteNode *node) {
  const int axis = ((const TfLiteConcatenationParams *)node->builtin_data)->axis;
  const TfLiteTensor *out = tensor_at(context, node->outputs, 0);
  size_t rows = 1, n = 0;
  for (int d = 0; d < axis; d++) rows *= (size_t)out->dims->data[d];
  for (size_t row = 0; row < rows; row++) {
    for (int i = 0; i < node->inputs->size; i++) {
      const TfLiteTensor *in = tensor_at(context, node->inputs, i);
      for (size_t at = 0; at < in->bytes / rows; at++) ((int8_t *)out->data)[n++] = ((const int8_t *)in->data)[row * (in->bytes / rows) + at];
    }
  }
  return kTfLiteOk;
}

// Windows of one pixel.
static TfLiteStatus invoke_average_pool(TfLiteContext *context, TfLiteNode *node) {
  const TfLiteTensor *in = tensor_at(context, node->inputs, 0), *out = tensor_at(context, node->outputs, 0);
  memcpy(out->data, in->data, in->bytes);
  return kTfLiteOk;
}

static TfLiteStatus invoke_other(TfLiteContext *context, TfLiteNode *node) {
  const TfLiteTensor *in = tensor_at(context, node->inputs, 0), *out = tensor_at(context, node->outputs, 0);
  for (size_t i = 0; i < in->bytes; i++) ((uint8_t *)out->data)[i] = (uint8_t)(((const uint8_t *)in->data)[i] + 1);
  return kTfLiteOk;
}

const TfLiteRegistration *fake_kernel(int builtin_code) {
  static const TfLiteRegistration kernels[] = {
      {.builtin_code = TVMQ_BUILTIN_CONV_2D, .prepare = prepare_conv2d, .invoke = invoke_conv2d, .version = 3},
      {.builtin_code = TVMQ_BUILTIN_DEPTHWISE_CONV_2D, .prepare = prepare_depthwise, .invoke = invoke_depthwise, .version = 3},
      {.builtin_code = TVMQ_BUILTIN_ADD, .prepare = prepare_same, .invoke = invoke_add, .version = 2},
      {.builtin_code = TVMQ_BUILTIN_AVERAGE_POOL_2D, .prepare = prepare_same, .invoke = invoke_average_pool, .version = 2},
      {.builtin_code = TVMQ_BUILTIN_CONCATENATION, .prepare = prepare_concatenation, .invoke = invoke_concatenation, .version = 2},
      {.builtin_code = TVMQ_BUILTIN_PAD, .prepare = prepare_pad, .invoke = invoke_pad, .version = 2},
      {.builtin_code = TVMQ_BUILTIN_QUANTIZE, .prepare = prepare_same, .invoke = invoke_quantize, .version = 1},
      {.builtin_code = FAKE_BUILTIN_OTHER, .prepare = prepare_same, .invoke = invoke_other, .version = 1},
  };
  const TfLiteRegistration *kernel = kernels;
  while (kernel->builtin_code != builtin_code && kernel->builtin_code != FAKE_BUILTIN_OTHER) kernel++;
  return kernel;
}
