#include "tflite/node.h"

#include <string.h>

#include "ops/op_names.h"
#include "tflite/node_kind.h"

#define KIND(name) &TVMQ_NODE_KIND(name)
static const struct tvmq_node_kind *const kinds[] = {TVMQ_NODE_KINDS(KIND)};
#undef KIND

static const struct tvmq_node_kind *find_kind(const TfLiteRegistration *registration) {
  for (size_t i = 0; registration->custom_name == NULL && i < sizeof kinds / sizeof kinds[0]; i++) {
    if (kinds[i]->builtin_code == registration->builtin_code) return kinds[i];
  }
  return NULL;
}

const char *tvmq_node_read(const TfLiteNode *node, const TfLiteRegistration *registration, struct tvmq_node *out) {
  memset(out, 0, sizeof *out);
  out->out = -1;
  if (registration->builtin_code == TVMQ_BUILTIN_DELEGATE) return "already runs in another delegate";
  const struct tvmq_node_kind *kind = out->kind = find_kind(registration);
  if (kind == NULL) return "the delegate has no kernels for this operator";
  if (node->inputs == NULL || node->outputs == NULL || node->outputs->size != 1) return "the node has not one output, or no input";
  const int n_inputs = node->inputs->size;
  _Static_assert(TVMQ_MAX_IN == 16, "as the reason says");
  if (n_inputs > TVMQ_MAX_IN) return "the node has more than 16 inputs";
  if (n_inputs < kind->min_inputs || n_inputs > kind->max_inputs) return "the node has more or fewer inputs than its operator";
  for (int i = 0; i < TVMQ_MAX_IN; i++) out->inputs[i] = i < n_inputs ? node->inputs->data[i] : -1;
  out->n_in = kind->n_in < n_inputs ? kind->n_in : n_inputs;
  memcpy(out->in, out->inputs, sizeof out->in);
  out->out = node->outputs->data[0];
  if (kind->read == NULL) return NULL;
  return node->builtin_data != NULL ? kind->read(node->builtin_data, registration->version, &out->options) : "the node has no options";
}

const char *tvmq_node_describe(const TfLiteContext *context, const struct tvmq_node *node, union tvmq_desc *desc, struct tvmq_shapes *shapes) {
  struct tvmq_node_view view = {.context = context, .node = node};
  const char *reason = tvmq_tensor_output(context, node->out, &view.out);
  for (int i = 0; reason == NULL && i < node->n_in; i++) {
    if (node->in[i] == node->out) return "the output is an input too";
    reason = tvmq_tensor_input(context, node->in[i], &view.in[i], &shapes->in[i]);
  }
  if (reason != NULL) return reason;
  memcpy(desc, &node->options, sizeof *desc);
  shapes->out = (struct tvmq_shape){0};
  reason = node->kind->describe(&view, shapes, desc);
  return reason != NULL ? reason : tvmq_shape_set_bytes(&shapes->out, tvmq_tensor_type(view.out));
}

const char *tvmq_read_padding(TfLitePadding padding, enum tvmq_padding *out) {
  *out = padding == kTfLitePaddingSame ? TVMQ_PADDING_SAME : TVMQ_PADDING_VALID;
  return padding == kTfLitePaddingSame || padding == kTfLitePaddingValid ? NULL : "padding is neither SAME nor VALID";
}

enum tvmq_activation tvmq_read_activation(TfLiteFusedActivation activation) {
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
