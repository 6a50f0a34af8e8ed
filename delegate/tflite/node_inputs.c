#include "tflite/node_inputs.h"

#include <inttypes.h>

#include "base/integers.h"
#include "base/text.h"
#include "tflite/tensor.h"

enum { SHORT = TVMQ_MAX_RANK * 2 };  // values of the longest constant that is written out: the pads of a tensor

static void add_values(struct tvmq_text *text, const TfLiteTensor *tensor, size_t n) {
  tvmq_say(text, "{");
  for (size_t i = 0; i < n; i++) tvmq_say(text, "%s%" PRId64, i > 0 ? ", " : "", tvmq_load_integer(tensor->data, TVMQ_TYPE_S32, i));
  tvmq_say(text, "}");
}

static void add_input(struct tvmq_text *text, const TfLiteTensor *tensor, const struct tvmq_shape *shape) {
  const size_t n = shape->bytes / sizeof(int32_t);
  const bool parameter = tvmq_tensor_is_constant(tensor) && tensor->quantization.type != kTfLiteAffineQuantization;  // unlike a bias
  if (parameter && tvmq_tensor_type(tensor) == TVMQ_TYPE_S32 && n <= SHORT) {
    add_values(text, tensor, n);
    return;
  }
  if (shape->rank == 0) tvmq_say(text, "scalar");
  for (int i = 0; i < shape->rank; i++) tvmq_say(text, i > 0 ? "x%d" : "%d", shape->dims[i]);
}

void tvmq_node_inputs(const TfLiteContext *context, const struct tvmq_node *node, char *text, size_t size) {
  struct tvmq_text all = {.at = text, .size = size};
  text[0] = '\0';
  for (int i = 0; i < TVMQ_MAX_IN; i++) {
    const TfLiteTensor *tensor;
    struct tvmq_shape shape;
    if (node->inputs[i] < 0) continue;
    if (all.length > 0) tvmq_say(&all, ", ");
    if (tvmq_tensor_parameter(context, node->inputs[i], &tensor, &shape) != NULL) {
      tvmq_say(&all, "?");
    } else {
      add_input(&all, tensor, &shape);
    }
  }
}
