#include "graph/graph.h"

#include "base/arith.h"
#include "base/memory.h"
#include "base/text.h"
#include "operators/op_names.h"
#include "tflite/graph_inputs.h"
#include "tflite/node_kind.h"
#include "tflite/variables.h"

// Stores the shapes of the node's outputs. They are valid whether the delegate or the runtime computes the node.
static void note_shapes(const struct tvmq_record *record, struct tvmq_known_shapes *known) {
  for (int i = 0; i < record->node.n_out; i++) {
    if ((size_t)record->node.outs[i] < known->n) known->of[record->node.outs[i]] = &record->shapes.outs[i];
  }
}

// Allocates the shapes of the node's tensors.
static bool make_shapes(struct tvmq_record *record) {
  const size_t n_in = (size_t)record->node.n_in, n_out = (size_t)record->node.n_out;
  record->shapes.in = tvmq_alloc((n_in + n_out) * sizeof record->shapes.in[0]);
  record->shapes.outs = record->shapes.in != NULL ? record->shapes.in + n_in : NULL;
  return record->shapes.in != NULL;
}

static const char *read_node(TfLiteContext *context, const TfLiteNode *node, const TfLiteRegistration *registration, const struct tvmq_reference *reference,
                             const struct tvmq_subgraph *subgraph, const struct tvmq_graph_inputs *inputs, struct tvmq_record *record) {
  struct tvmq_known_shapes *known = subgraph->known;
  const char *reason = tvmq_node_read(context, node, registration, &record->node);
  record->node.reference = *reference;
  record->node.values = subgraph->values;
  record->node.variables = subgraph->variables;
  record->node.settable = tvmq_graph_inputs_read(inputs, context, node);
  if (reason == NULL && !make_shapes(record)) reason = "out of memory";
  if (reason == NULL) reason = tvmq_node_describe(context, &record->node, known, &record->desc, &record->shapes);
  if (reason != NULL) return reason;
  note_shapes(record, known);
  const struct tvmq_operator *op_def = record->node.kind->op_def;
  reason = op_def->claim(&record->desc);
  if (reason == NULL && reference->fast_math) reason = tvmq_node_scales(context, &record->node);
  if (reason == NULL && reference->fast_math && op_def->claim_fast_math != NULL) reason = op_def->claim_fast_math(&record->desc);
  if (reason == NULL) tvmq_node_evaluate(context, &record->node, &record->desc, &record->shapes);
  return reason;
}

static bool fill_record(TfLiteContext *context, const struct tvmq_subgraph *subgraph, int index, const struct tvmq_reference *reference,
                        const struct tvmq_graph_inputs *inputs, struct tvmq_record *record) {
  TfLiteNode *node;
  TfLiteRegistration *registration;
  if (context->GetNodeAndRegistration(context, index, &node, &registration) != kTfLiteOk) return false;
  const bool custom = registration->custom_name != NULL;
  struct tvmq_text name = {.at = record->op_name, .size = sizeof record->op_name};
  tvmq_say_escaped(&name, custom ? registration->custom_name : tvmq_op_name(registration->builtin_code));
  record->info = (struct tvmq_node_info){
      .subgraph = subgraph->index,
      .node = index,
      .builtin_code = registration->builtin_code,
      .op = record->op_name,
      .reason = "",
      .partition = -1,
      .kernel = "",
      .algorithm = "",
      .packing = "",
      .refusal = "",
      .folded_into = -1,
  };
  const char *reason = read_node(context, node, registration, reference, subgraph, inputs, record);
  if (reason != NULL) record->info.reason = reason;
  return true;
}

// Marks the tensors of the node. Returns true if the node writes a tensor that was marked before.
static bool overwrites(const TfLiteContext *context, const TfLiteNode *node, bool *noted) {
  bool found = false;
  for (int i = 0; node->inputs != NULL && i < node->inputs->size; i++) {
    const int tensor = node->inputs->data[i];
    if (tvmq_tensor_at(context, tensor) != NULL) noted[tensor] = true;
  }
  for (int i = 0; node->outputs != NULL && i < node->outputs->size; i++) {
    const int tensor = node->outputs->data[i];
    if (tvmq_tensor_at(context, tensor) == NULL) continue;
    found |= noted[tensor];
    noted[tensor] = true;
  }
  return found;
}

// Refuses all nodes if a node overwrites a tensor. When nodes are replaced, the runtime sorts all nodes, each after the
// nodes that write its inputs. The result is the order of the file only if each tensor is written once, before it is
// read. Returns false if out of memory.
static bool refuse_if_order_matters(TfLiteContext *context, struct tvmq_subgraph *subgraph) {
  bool *noted = tvmq_alloc(context->tensors_size * sizeof *noted), found = false;
  if (noted == NULL) return false;
  for (size_t i = 0; i < subgraph->n_records; i++) {
    TfLiteNode *node;
    TfLiteRegistration *registration;
    if (context->GetNodeAndRegistration(context, subgraph->records[i].info.node, &node, &registration) == kTfLiteOk) found |= overwrites(context, node, noted);
  }
  tvmq_free(noted);
  for (size_t i = 0; found && i < subgraph->n_records; i++) {
    if (tvmq_record_wanted(&subgraph->records[i])) tvmq_record_refuse(&subgraph->records[i], "a node of the graph overwrites a tensor");
  }
  return true;
}

struct tvmq_subgraph *tvmq_subgraph_create(TfLiteContext *context, int index, bool runs, const struct tvmq_reference *reference) {
  TfLiteIntArray *plan;
  if (context->GetExecutionPlan(context, &plan) != kTfLiteOk) return NULL;
  size_t n = runs ? (size_t)plan->size : 0, bytes;
  if (!tvmq_mul_size(n, sizeof(struct tvmq_record), &bytes) || !tvmq_add_size(bytes, sizeof(struct tvmq_subgraph), &bytes)) return NULL;
  struct tvmq_subgraph *subgraph = tvmq_alloc(bytes);
  if (subgraph == NULL) return NULL;
  subgraph->context = context;
  subgraph->index = index;
  subgraph->known = tvmq_alloc(sizeof *subgraph->known + context->tensors_size * sizeof subgraph->known->of[0]);
  subgraph->values = tvmq_values_create(context->tensors_size);
  subgraph->variables = tvmq_variables_create(context);
  struct tvmq_graph_inputs *inputs = tvmq_graph_inputs_create(context);
  const bool complete = subgraph->known != NULL && subgraph->values != NULL && subgraph->variables != NULL && inputs != NULL;
  if (!complete || context->GetExecutionPlan(context, &plan) != kTfLiteOk) {  // again: listing the variables has freed the array
    tvmq_free(inputs);
    tvmq_subgraph_free(subgraph);
    return NULL;
  }
  subgraph->known->n = context->tensors_size;
  // Nothing below asks for the plan again, which would free the array.
  for (size_t i = 0; i < n; i++) {
    if (fill_record(context, subgraph, plan->data[i], reference, inputs, &subgraph->records[subgraph->n_records])) subgraph->n_records++;
  }
  tvmq_free(inputs);
  if (refuse_if_order_matters(context, subgraph)) return subgraph;
  tvmq_subgraph_free(subgraph);
  return NULL;
}

size_t tvmq_subgraph_constant_bytes(const struct tvmq_subgraph *subgraph, const TfLiteContext *context) {
  size_t bytes = 0;
  for (size_t i = 0; i < subgraph->n_records; i++) {
    const struct tvmq_record *record = &subgraph->records[i];
    for (int j = 0; tvmq_record_wanted(record) && j < record->node.n_inputs; j++) {
      const TfLiteTensor *tensor = tvmq_tensor_at(context, record->node.inputs[j]);
      if (tensor != NULL && tvmq_tensor_is_constant(tensor) && !tvmq_add_size(bytes, tensor->bytes, &bytes)) return SIZE_MAX;
    }
  }
  return bytes;
}

void tvmq_subgraph_free(struct tvmq_subgraph *subgraph) {
  for (size_t i = 0; i < subgraph->n_records; i++) {
    tvmq_record_release(&subgraph->records[i]);
    tvmq_free(subgraph->records[i].candidates);
    tvmq_free(subgraph->records[i].signature);
    tvmq_free(subgraph->records[i].shapes.in);
  }
  tvmq_free(subgraph->known);
  tvmq_values_free(subgraph->values);
  tvmq_variables_free(subgraph->variables);
  tvmq_free(subgraph);
}

// Nodes are mostly in the order of their numbers, so the search begins at index `node`.
struct tvmq_record *tvmq_subgraph_find(struct tvmq_subgraph *subgraph, int node) {
  for (size_t i = 0; i < subgraph->n_records; i++) {
    struct tvmq_record *record = &subgraph->records[((size_t)node + i) % subgraph->n_records];
    if (record->info.node == node) return record;
  }
  return NULL;
}
