#include "tflite/node.h"

#include <float.h>
#include <string.h>

#include "base/checksum.h"
#include "operators/op_names.h"
#include "tflite/node_kind.h"
#include "tflite/variables.h"

#define TVMQ_OPERATOR(name, code, reader) {code, &tvmq_node_##reader},
static const struct {
  int32_t builtin_code;
  const struct tvmq_node_kind *kind;
} kinds[] = {
#include "operators/operators.def"
};

static const struct tvmq_node_kind *find_kind(const TfLiteRegistration *registration) {
  for (size_t i = 0; registration->custom_name == NULL && i < sizeof kinds / sizeof kinds[0]; i++) {
    if (kinds[i].builtin_code == registration->builtin_code) return kinds[i].kind;
  }
  return NULL;
}

static bool is_constant(const TfLiteContext *context, int index) {
  const TfLiteTensor *tensor = tvmq_tensor_at(context, index);
  return tensor != NULL && tvmq_tensor_is_constant(tensor);
}

// Reads the outputs. For a node that assigns a variable, the variable counts as its output. Handles are never written.
static const char *read_outputs(const TfLiteNode *node, const struct tvmq_node_kind *kind, struct tvmq_node *out) {
  const int n = node->outputs->size, most = kind->max_outputs > 0 ? kind->max_outputs : 1;
  const bool has_none = kind->state == TVMQ_STATE_FIRST_VALUES || kind->state == TVMQ_STATE_ASSIGN;
  if (has_none ? n != 0 : n < 1 || n > most) return "number of outputs is not supported for this operator";
  const bool named_by_input = kind->state == TVMQ_STATE_READ || kind->state == TVMQ_STATE_ASSIGN;
  out->handle = kind->state == TVMQ_STATE_HANDLE ? node->outputs->data[0] : named_by_input ? out->inputs[0] : -1;
  out->n_out = kind->state == TVMQ_STATE_ASSIGN ? 1 : kind->state == TVMQ_STATE_HANDLE ? 0 : n;
  memcpy(out->outs, kind->state == TVMQ_STATE_ASSIGN ? &out->handle : node->outputs->data, (size_t)out->n_out * sizeof(int));
  return NULL;
}

const char *tvmq_node_read(const TfLiteContext *context, const TfLiteNode *node, const TfLiteRegistration *registration, struct tvmq_node *out) {
  memset(out, 0, sizeof *out);
  memset(out->inputs, -1, sizeof out->inputs);
  memset(out->in, -1, sizeof out->in);
  memset(out->outs, -1, sizeof out->outs);
  if (registration->builtin_code == TVMQ_BUILTIN_DELEGATE) return "already runs in another delegate";
  const struct tvmq_node_kind *kind = find_kind(registration);
  if (kind == NULL) return "the delegate has no kernels for this operator";
  if (node->inputs == NULL || node->outputs == NULL) return "the node has no inputs or no outputs";
  const int n_inputs = node->inputs->size;
  if (kind->computed != NULL && n_inputs > 1 && !is_constant(context, node->inputs->data[1])) kind = kind->computed;
  out->kind = kind;
  _Static_assert(TVMQ_MAX_IN == 64, "as the reason says");
  if (n_inputs > TVMQ_MAX_IN) return "the node has more than 64 inputs";
  if (n_inputs < kind->min_inputs || n_inputs > kind->max_inputs) return "number of inputs is not supported for this operator";
  out->n_inputs = n_inputs;
  memcpy(out->inputs, node->inputs->data, (size_t)n_inputs * sizeof(int));
  out->n_in = kind->n_in < n_inputs ? kind->n_in : n_inputs;
  memcpy(out->in, out->inputs + kind->first_in, (size_t)(TVMQ_MAX_IN - kind->first_in) * sizeof(int));
  const char *reason = read_outputs(node, kind, out);
  if (reason != NULL) return reason;
  tvmq_node_set_options(out, &kind->options);
  if (kind->read == NULL) return NULL;
  if (node->builtin_data == NULL) return "the node has no builtin options";
  union tvmq_desc options = kind->options;
  reason = kind->read(node->builtin_data, registration->version, &options);
  tvmq_node_set_options(out, &options);
  return reason;
}

// Returns a tensor that a node reads or writes, or the variable if it is the resource tensor of one.
static const TfLiteTensor *tensor_of(const TfLiteContext *context, const struct tvmq_node *node, int index) {
  const struct tvmq_variable *variable = tvmq_variables_find(node->variables, index);
  return variable != NULL ? &variable->tensor : tvmq_tensor_at(context, index);
}

// Checks a tensor that a node reads, and gets its present or future shape.
static const char *describe_input(const TfLiteTensor *tensor, int index, const struct tvmq_known_shapes *known, struct tvmq_shape *shape) {
  const char *reason = tvmq_tensor_input(tensor, shape);
  const struct tvmq_shape *computed = reason == NULL && known != NULL && (size_t)index < known->n ? known->of[index] : NULL;
  if (computed != NULL) *shape = *computed;
  return reason;
}

const char *tvmq_node_describe(const TfLiteContext *context, const struct tvmq_node *node, const struct tvmq_known_shapes *known, union tvmq_desc *desc,
                               struct tvmq_shapes *shapes) {
  struct tvmq_node_view view = {.context = context, .node = node};
  const bool has_variable = node->kind->state != TVMQ_STATE_NONE && node->kind->state != TVMQ_STATE_FIRST_VALUES;
  const char *reason = has_variable ? tvmq_variables_refuse(node->variables, node->handle) : NULL;
  for (int i = 0; reason == NULL && i < node->n_out; i++) {
    view.outs[i] = tensor_of(context, node, node->outs[i]);
    reason = tvmq_tensor_output(view.outs[i]);
  }
  for (int i = 0; reason == NULL && i < node->n_in; i++) {
    for (int j = 0; j < node->n_out; j++) {
      if (node->in[i] == node->outs[j]) return "a tensor is both input and output";
    }
    view.in[i] = tensor_of(context, node, node->in[i]);
    reason = describe_input(view.in[i], node->in[i], known, &shapes->in[i]);
  }
  if (reason != NULL) return reason;
  tvmq_node_get_options(node, desc);
  memset(shapes->outs, 0, (size_t)node->n_out * sizeof shapes->outs[0]);
  memset(&shapes->out, 0, sizeof shapes->out);
  reason = node->kind->describe(&view, shapes, desc);
  if (node->n_out == 1 && node->kind->max_outputs <= 1) shapes->outs[0] = shapes->out;
  for (int i = 0; reason == NULL && i < node->n_out; i++) reason = tvmq_shape_set_bytes(&shapes->outs[i], tvmq_tensor_type(view.outs[i]));
  if (node->n_out > 0) shapes->out = shapes->outs[0];
  return reason;
}

// Returns whether the tensor's scale, or its reciprocal, is subnormal or nearly so. The margin ensures that half the
// scale, where rounding begins, is not subnormal either.
static bool is_flushed(const TfLiteContext *context, int index) {
  const TfLiteTensor *tensor = tvmq_tensor_at(context, index);
  const float scale = tensor != NULL ? tvmq_tensor_quant(tensor).scale : 0;
  return scale > 0 && !(scale >= 2 * FLT_MIN && scale <= 1 / FLT_MIN);
}

const char *tvmq_node_scales(const TfLiteContext *context, const struct tvmq_node *node) {
  bool flushed = false;
  for (int i = 0; i < node->n_inputs; i++) flushed |= is_flushed(context, node->inputs[i]);
  for (int i = 0; i < node->n_out; i++) flushed |= is_flushed(context, node->outs[i]);
  return flushed ? "a scale or its reciprocal is subnormal, which the runtime flushes to zero" : NULL;
}

uint64_t tvmq_node_constants(const TfLiteContext *context, const struct tvmq_node *node, const struct tvmq_hasher *hasher, struct tvmq_key *content) {
  struct tvmq_key keys[TVMQ_MAX_IN];
  uint64_t places = 0;
  int n = 0;
  for (int i = 0; i < node->n_inputs; i++) {
    const TfLiteTensor *tensor = tvmq_values_at(node->values, context, node->inputs[i]);
    if (tensor == NULL || !tvmq_tensor_is_constant(tensor)) continue;
    places = tvmq_checksum_word(places, (uintptr_t)tensor->data);
    keys[n++] = tvmq_content(hasher, tensor->data, tensor->bytes);
  }
  *content = tvmq_content(hasher, keys, (size_t)n * sizeof keys[0]);
  return tvmq_checksum_word(places, content->words[0]);
}

bool tvmq_node_reads_computed(const TfLiteContext *context, const struct tvmq_node *node) {
  bool found = false;
  for (int i = 0; i < node->n_inputs; i++) {
    const TfLiteTensor *tensor = tvmq_values_at(node->values, context, node->inputs[i]);
    found |= tensor != NULL && tensor->allocation_type == kTfLitePersistentRo;
  }
  return found;
}

bool tvmq_node_same_shapes(const TfLiteContext *context, const struct tvmq_node *node, const struct tvmq_shapes *shapes) {
  for (int i = 0; i < node->n_in; i++) {
    const TfLiteTensor *tensor = tensor_of(context, node, node->in[i]);
    if (tensor == NULL || tensor->dims == NULL || !tvmq_shape_has_dims(&shapes->in[i], tensor->dims->size, tensor->dims->data)) return false;
  }
  return true;
}

const char *tvmq_node_parameter(const struct tvmq_node_view *view, int input, const TfLiteTensor **tensor, struct tvmq_shape *shape) {
  *tensor = tvmq_values_at(view->node->values, view->context, view->node->inputs[input]);
  return tvmq_tensor_constant_shape(*tensor, shape);
}

// Returns the data of a constant input, or NULL if it changes or is not known yet. If two nodes write a tensor, one may
// have set its value and the other its shape.
static const void *constant_input(const TfLiteContext *context, const struct tvmq_node *node, const struct tvmq_shapes *shapes, int i) {
  const TfLiteTensor *tensor = tvmq_values_at(node->values, context, node->in[i]);
  return tensor != NULL && tvmq_tensor_is_constant(tensor) && tensor->bytes >= shapes->in[i].bytes ? tensor->data : NULL;
}

static bool may_be_value(const TfLiteTensor *tensor, const struct tvmq_shape *shape) {
  const enum tvmq_type type = tvmq_tensor_type(tensor);
  return (type == TVMQ_TYPE_S32 || type == TVMQ_TYPE_S64) && shape->bytes <= TVMQ_VALUE_BYTES;
}

void tvmq_node_forget(const struct tvmq_node *node) {
  for (int k = 0; k < node->n_out; k++) tvmq_values_drop(node->values, node->outs[k]);
}

void tvmq_node_evaluate(const TfLiteContext *context, const struct tvmq_node *node, const union tvmq_desc *desc, const struct tvmq_shapes *shapes) {
  const void *in[TVMQ_MAX_IN];
  void *outs[TVMQ_MAX_OUT];
  tvmq_node_forget(node);
  if (node->kind->op_def->evaluate == NULL || node->settable) return;
  for (int i = 0; i < node->n_in; i++) in[i] = constant_input(context, node, shapes, i);
  bool known = true, empty = true;
  for (int k = 0; k < node->n_out; k++) {
    empty &= shapes->outs[k].bytes == 0;
    const TfLiteTensor *tensor = tvmq_tensor_at(context, node->outs[k]);
    known &= may_be_value(tensor, &shapes->outs[k]);
    outs[k] = known ? tvmq_values_set(node->values, node->outs[k], tensor, &shapes->outs[k]) : NULL;
    known &= outs[k] != NULL;
  }
  if (!known || (!empty && !node->kind->op_def->evaluate(desc, in, outs))) tvmq_node_forget(node);
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
