#include "tflite/variables.h"

#include <string.h>

#include "base/memory.h"
#include "operators/op_names.h"

// An iterator over the nodes of a graph in execution order. Only one can be active, because getting the plan frees the
// previous one.
struct walk {
  TfLiteContext *context;
  TfLiteIntArray *plan;
  int at;
  TfLiteNode *node;
  int code;  // of the operator; -1: a custom one
};

static struct walk walk_through(TfLiteContext *context) {
  struct walk walk = {.context = context, .at = -1};
  if (context->GetExecutionPlan(context, &walk.plan) != kTfLiteOk) walk.plan = NULL;
  return walk;
}

static bool next_node(struct walk *walk) {
  TfLiteRegistration *registration;
  if (walk->plan == NULL || ++walk->at >= walk->plan->size) return false;
  if (walk->context->GetNodeAndRegistration(walk->context, walk->plan->data[walk->at], &walk->node, &registration) != kTfLiteOk) return false;
  walk->code = registration->custom_name == NULL ? registration->builtin_code : -1;
  return true;
}

static int input(const TfLiteNode *node, int i) { return node->inputs != NULL && i < node->inputs->size ? node->inputs->data[i] : -1; }
static int output(const TfLiteNode *node, int i) { return node->outputs != NULL && i < node->outputs->size ? node->outputs->data[i] : -1; }

static bool names(const struct tvmq_variable *variable, const TfLiteNode *handle) {
  const TfLiteVarHandleParams *params = handle->builtin_data;
  const char *container = params->container != NULL ? params->container : "", *name = params->shared_name != NULL ? params->shared_name : "";
  return strcmp(variable->container, container) == 0 && strcmp(variable->name, name) == 0;
}

static struct tvmq_variable *find_named(struct tvmq_variables *variables, const TfLiteNode *handle) {
  for (size_t i = 0; handle->builtin_data != NULL && i < variables->n; i++) {
    if (names(&variables->of[i], handle)) return &variables->of[i];
  }
  return NULL;
}

static struct tvmq_variable *find_listed(struct tvmq_variables *variables, int tensor) {
  for (size_t i = 0; variables != NULL && tensor >= 0 && i < variables->n; i++) {
    if (variables->of[i].resource == tensor) return &variables->of[i];
  }
  return NULL;
}

// Stops keeping a variable. Only the first reason is reported.
static void give_up(struct tvmq_variable *variable, const char *reason) {
  if (variable->reason == NULL) variable->reason = reason;
}

static void give_up_all(struct tvmq_variables *variables, const char *reason) {
  for (size_t i = 0; i < variables->n; i++) give_up(&variables->of[i], reason);
}

// ---- the graph itself

static void list_variable(struct tvmq_variables *variables, const struct walk *handle) {
  const TfLiteVarHandleParams *params = handle->node->builtin_data;
  const TfLiteTensor *resource = tvmq_tensor_at(handle->context, output(handle->node, 0));
  if (params == NULL || resource == NULL) return;
  struct tvmq_variable *before = find_named(variables, handle->node), *variable = &variables->of[variables->n++];
  *variable = (struct tvmq_variable){
      .container = params->container != NULL ? params->container : "",
      .name = params->shared_name != NULL ? params->shared_name : "",
      .resource = output(handle->node, 0),
      .n_nodes = 1,
  };
  if (resource->type != kTfLiteResource) give_up(variable, "the variable's handle is not a resource tensor");
  if (resource->data != NULL) give_up(variable, "the graph was prepared before the delegate was applied, and may have changed the variable");
  if (before == NULL) return;
  give_up(before, "the variable has more than one handle");
  give_up(variable, "the variable has more than one handle");
}

// Records that a node's input refers to the variable.
static void note_use(struct tvmq_variable *variable, const struct walk *user, int input, bool initialized) {
  variable->n_nodes++;
  const bool known = input == 0 && (user->code == TVMQ_BUILTIN_READ_VARIABLE || user->code == TVMQ_BUILTIN_ASSIGN_VARIABLE);
  if (!known) give_up(variable, "a node other than READ_VARIABLE or ASSIGN_VARIABLE uses the variable");
  if (!initialized) give_up(variable, "the variable is used before it is initialized");
}

static void note_nodes(TfLiteContext *context, struct tvmq_variables *variables) {
  for (struct walk walk = walk_through(context); next_node(&walk);) {
    const TfLiteCallOnceParams *once = walk.code == TVMQ_BUILTIN_CALL_ONCE ? walk.node->builtin_data : NULL;
    if (walk.code == TVMQ_BUILTIN_CALL_ONCE) variables->n_once++;
    if (once != NULL) variables->once_graph = once->init_subgraph_index;
    for (int i = 0; walk.node->inputs != NULL && i < walk.node->inputs->size; i++) {
      struct tvmq_variable *variable = find_listed(variables, walk.node->inputs->data[i]);
      if (variable != NULL) note_use(variable, &walk, i, variables->n_once > 0);
    }
  }
}

// ---- the graph that CALL_ONCE runs

static void keep_first_value(struct tvmq_variable *variable, const TfLiteTensor *value) {
  struct tvmq_shape shape;
  const char *reason = tvmq_tensor_constant_shape(value, &shape);
  if (reason == NULL && !tvmq_tensor_is_constant(value)) reason = "the variable's initial value is not constant";
  if (reason == NULL && variable->tensor.dims != NULL) reason = "the variable is initialized twice";
  if (reason == NULL && (shape.bytes != value->bytes || shape.bytes == 0)) reason = "size and shape of the variable's initial value differ";
  void *memory = reason == NULL ? tvmq_alloc(shape.bytes) : NULL;
  if (reason == NULL && memory == NULL) reason = "out of memory";
  if (reason != NULL) {
    give_up(variable, reason);
    return;
  }
  memcpy(memory, value->data, shape.bytes);
  variable->dims[0] = shape.rank;
  memcpy(&variable->dims[1], shape.dims, (size_t)shape.rank * sizeof variable->dims[0]);
  variable->tensor =
      (TfLiteTensor){.type = value->type, .data = memory, .dims = (TfLiteIntArray *)variable->dims, .allocation_type = kTfLiteArenaRw, .bytes = shape.bytes};
}

// Returns why the delegate cannot do what the graph does, NULL if it can.
static const char *read_once_graph(TfLiteContext *context, struct tvmq_variables *variables) {
  const char *reason = NULL;
  struct tvmq_variable **named = tvmq_alloc(context->tensors_size * sizeof named[0]);  // by each tensor
  if (named == NULL) return "out of memory";
  for (struct walk walk = walk_through(context); next_node(&walk);) {
    const TfLiteTensor *handle = tvmq_tensor_at(context, walk.code == TVMQ_BUILTIN_VAR_HANDLE ? output(walk.node, 0) : input(walk.node, 0));
    if (walk.code == TVMQ_BUILTIN_VAR_HANDLE) {
      if (handle != NULL) named[handle - context->tensors] = find_named(variables, walk.node);
      continue;
    }
    struct tvmq_variable *variable = walk.code == TVMQ_BUILTIN_ASSIGN_VARIABLE && handle != NULL ? named[handle - context->tensors] : NULL;
    const TfLiteTensor *value = tvmq_tensor_at(context, input(walk.node, 1));
    if (variable == NULL || value == NULL)
      reason = "its subgraph does more than assign constants to variables of this graph";
    else
      keep_first_value(variable, value);
  }
  tvmq_free(named);
  return reason;
}

// ---- all others

static void note_other_graph(TfLiteContext *context, struct tvmq_variables *variables) {
  for (struct walk walk = walk_through(context); next_node(&walk);) {
    struct tvmq_variable *variable = walk.code == TVMQ_BUILTIN_VAR_HANDLE ? find_named(variables, walk.node) : NULL;
    if (variable != NULL) give_up(variable, "another subgraph of the model uses the variable");
  }
}

static void report_nothing(TfLiteContext *context, const char *format, ...) {
  (void)context;
  (void)format;
}

// Acquires the context of a graph. Returns false if there is no such graph, for which the runtime would report an
// error, or the runtime has no such function.
static bool acquire(TfLiteContext *context, int index, TfLiteContext **graph) {
  if (context->AcquireSubgraphContext == NULL) return false;
  void (*const report)(TfLiteContext *, const char *, ...) = context->ReportError;
  context->ReportError = report_nothing;
  const TfLiteStatus status = context->AcquireSubgraphContext(context, index, graph);
  context->ReportError = report;
  return status == kTfLiteOk;
}

static void look_around(TfLiteContext *context, struct tvmq_variables *variables) {
  TfLiteContext *other;
  variables->once_reason = "its subgraph is unknown";
  for (int i = 0; acquire(context, i, &other); i++) {
    if (other == context) continue;  // it stays acquired
    if (variables->n_once == 1 && i == variables->once_graph) {
      variables->once_reason = read_once_graph(other, variables);
      variables->once_context = other;
    } else {
      note_other_graph(other, variables);
    }
    context->ReleaseSubgraphContext(context, i);
  }
  if (variables->once_reason != NULL) give_up_all(variables, "CALL_ONCE does more than initialize variables with constants");
  for (size_t i = 0; i < variables->n; i++) {
    struct tvmq_variable *variable = &variables->of[i];
    if (variable->tensor.dims == NULL) give_up(variable, "the variable is never initialized");
    if (variable->reason != NULL && variables->once_reason == NULL) variables->once_reason = "a variable that it initializes is left to the runtime";
  }
}

struct tvmq_variables *tvmq_variables_create(TfLiteContext *context) {
  size_t n = 0;
  for (struct walk walk = walk_through(context); next_node(&walk);) n += walk.code == TVMQ_BUILTIN_VAR_HANDLE;
  struct tvmq_variables *variables = tvmq_alloc(sizeof *variables + n * sizeof variables->of[0]);
  if (variables == NULL) return NULL;
  variables->once_graph = -1;
  variables->once_reason = "its subgraph does not initialize variables of this graph";
  if (n == 0) return variables;
  for (struct walk walk = walk_through(context); next_node(&walk);) {
    if (walk.code == TVMQ_BUILTIN_VAR_HANDLE) list_variable(variables, &walk);
  }
  note_nodes(context, variables);
  look_around(context, variables);
  return variables;
}

void tvmq_variables_free(struct tvmq_variables *variables) {
  for (size_t i = 0; variables != NULL && i < variables->n; i++) tvmq_free(variables->of[i].tensor.data);
  tvmq_free(variables);
}

struct tvmq_variable *tvmq_variables_find(struct tvmq_variables *variables, int tensor) {
  struct tvmq_variable *variable = find_listed(variables, tensor);
  return variable != NULL && variable->reason == NULL ? variable : NULL;
}

const char *tvmq_variables_refuse(struct tvmq_variables *variables, int tensor) {
  const struct tvmq_variable *variable = find_listed(variables, tensor);
  return variable != NULL ? variable->reason : "no VAR_HANDLE of the graph names the variable";
}

bool tvmq_variables_initialized_by(const struct tvmq_variables *variables, const TfLiteContext *context) {
  return variables->once_reason == NULL && variables->once_context == context;
}

const char *tvmq_variables_refuse_once(const struct tvmq_variables *variables) {
  return variables != NULL ? variables->once_reason : "its subgraph does not initialize variables of this graph";
}
