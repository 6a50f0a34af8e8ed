#include "tflite/node_inputs.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tflite/tensor.h"

enum { SHORT = TVMQ_MAX_RANK * 2 };  // values of the longest constant that is written out: the pads of a tensor

struct text {
  char *at;
  size_t left;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(text->at, text->left, format, args);
  va_end(args);
  const size_t written = n < 0 ? 0 : (size_t)n < text->left ? (size_t)n : text->left - 1;
  text->at += written;
  text->left -= written;
}

static void add_values(struct text *text, const TfLiteTensor *tensor, size_t n) {
  add(text, "{");
  for (size_t i = 0; i < n; i++) {
    int32_t value;
    memcpy(&value, (const char *)tensor->data + i * sizeof value, sizeof value);
    add(text, i > 0 ? ", %d" : "%d", value);
  }
  add(text, "}");
}

static void add_input(struct text *text, const TfLiteTensor *tensor, const struct tvmq_shape *shape) {
  const size_t n = shape->bytes / sizeof(int32_t);
  const bool parameter = tvmq_tensor_is_constant(tensor) && tensor->quantization.type != kTfLiteAffineQuantization;  // unlike a bias
  if (parameter && tvmq_tensor_type(tensor) == TVMQ_TYPE_S32 && n <= SHORT) {
    add_values(text, tensor, n);
    return;
  }
  if (shape->rank == 0) add(text, "scalar");
  for (int i = 0; i < shape->rank; i++) add(text, i > 0 ? "x%d" : "%d", shape->dims[i]);
}

void tvmq_node_inputs(const TfLiteContext *context, const struct tvmq_node *node, char *text, size_t size) {
  struct text all = {text, size};
  text[0] = '\0';
  for (int i = 0; i < TVMQ_MAX_IN; i++) {
    const TfLiteTensor *tensor;
    struct tvmq_shape shape;
    if (node->inputs[i] < 0) continue;
    if (all.at > text) add(&all, ", ");
    if (tvmq_tensor_parameter(context, node->inputs[i], &tensor, &shape) != NULL) {
      add(&all, "?");
    } else {
      add_input(&all, tensor, &shape);
    }
  }
}
