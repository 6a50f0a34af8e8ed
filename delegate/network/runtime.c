#include "network/runtime.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tflite/tensor.h"

static struct tvmq_runtime *runtime_of(const TfLiteContext *context) { return context->impl_; }

// ---- the context's functions

static void report_error(TfLiteContext *context, const char *format, ...) {
  struct tvmq_runtime *runtime = runtime_of(context);
  va_list args;
  va_start(args, format);
  vsnprintf(runtime->error, sizeof runtime->error, format, args);
  va_end(args);
  runtime->error[strcspn(runtime->error, "\n")] = '\0';
}

static TfLiteStatus get_execution_plan(TfLiteContext *context, TfLiteIntArray **plan) {
  *plan = runtime_of(context)->plan;
  return kTfLiteOk;
}

static TfLiteStatus get_node(TfLiteContext *context, int index, TfLiteNode **node, TfLiteRegistration **registration) {
  const struct tvmq_model *model = &runtime_of(context)->model;
  if (index < 0 || (size_t)index >= model->n_nodes) return kTfLiteError;
  *node = &model->nodes[index].node;
  *registration = &model->nodes[index].registration;
  return kTfLiteOk;
}

static TfLiteExternalContext *get_external_context(TfLiteContext *context, int type) {
  return type == kTfLiteCpuBackendContext ? (TfLiteExternalContext *)(void *)runtime_of(context) : NULL;  // identity only
}

static TfLiteStatus add_tensors(TfLiteContext *context, int n, int *first) {
  (void)context;
  (void)n;
  (void)first;
  return kTfLiteError;
}

void tvmq_runtime_resize(struct tvmq_runtime *runtime, int tensor, int rank, const int *dims) {
  TfLiteIntArray *own = runtime->model.tensors[tensor].dims;
  own->size = rank;
  memmove(own->data, dims, (size_t)rank * sizeof dims[0]);  // a caller may give an input its own dimensions again
}

// Changes the shape alone. Memory follows after the partition is prepared, for the tensors that need some.
static TfLiteStatus resize_tensor(TfLiteContext *context, TfLiteTensor *tensor, TfLiteIntArray *dims) {
  struct tvmq_runtime *runtime = runtime_of(context);
  const bool possible = tensor->allocation_type == kTfLiteArenaRw && tensor->dims->size <= TVMQ_MAX_RANK && dims->size <= TVMQ_MAX_RANK;
  if (possible) tvmq_runtime_resize(runtime, (int)(tensor - context->tensors), dims->size, dims->data);
  free(dims);
  return possible ? kTfLiteOk : kTfLiteError;
}

// Offers one partition of whatever nodes are wanted. It is made only if these are all nodes of the graph.
static TfLiteStatus preview(TfLiteContext *context, const TfLiteIntArray *nodes, TfLiteDelegateParams **partitions, int *n) {
  struct tvmq_runtime *runtime = runtime_of(context);
  runtime->partition.nodes_to_replace = (TfLiteIntArray *)(uintptr_t)nodes;  // which the caller keeps until it replaces them
  *partitions = &runtime->partition;
  *n = 1;
  return kTfLiteOk;
}

static TfLiteStatus replace(TfLiteContext *context, TfLiteRegistration registration, const TfLiteIntArray *nodes, TfLiteDelegate *delegate) {
  struct tvmq_runtime *runtime = runtime_of(context);
  if ((size_t)nodes->size != runtime->model.n_nodes) return kTfLiteError;
  runtime->partition.nodes_to_replace = (TfLiteIntArray *)(uintptr_t)nodes;
  runtime->partition.delegate = delegate;
  runtime->registration = registration;
  runtime->node = (TfLiteNode){.delegate = delegate, .user_data = registration.init(context, (const char *)&runtime->partition, 0)};
  runtime->partition.nodes_to_replace = NULL;
  runtime->replaced = true;
  return kTfLiteOk;
}

// ---- memory

// Gives a tensor memory for its shape, unless it is constant or has some of that size, which keeps its contents.
static bool give_memory(struct tvmq_runtime *runtime, int index) {
  TfLiteTensor *tensor = &runtime->model.tensors[index];
  struct tvmq_shape shape;
  if (tvmq_tensor_shape(tensor, &shape) != NULL) return false;
  tensor->bytes = shape.bytes;  // a constant may have more
  if (tensor->allocation_type != kTfLiteArenaRw) return true;
  if (tensor->data != NULL && runtime->held[index] == shape.bytes) return true;
  tvmq_free(tensor->data);
  tensor->data = tvmq_alloc_unset(shape.bytes);  // a file may ask for more than there is, which is harmless until it is used
  runtime->held[index] = shape.bytes;
  return tensor->data != NULL;
}

static bool give_all(struct tvmq_runtime *runtime, const TfLiteIntArray *indices) {
  for (int i = 0; i < indices->size; i++) {
    if (!give_memory(runtime, indices->data[i])) return false;
  }
  return true;
}

bool tvmq_runtime_prepare(struct tvmq_runtime *runtime) {
  runtime->error[0] = '\0';
  if (runtime->registration.prepare(&runtime->context, &runtime->node) != kTfLiteOk) return false;
  if (give_all(runtime, runtime->model.inputs) && give_all(runtime, runtime->model.outputs)) return true;
  report_error(&runtime->context, "no memory for an input or output");
  return false;
}

// ---- the graph as a whole

// Types that inputs and outputs may have.
static bool is_plain(const TfLiteTensor *tensor) {
  const enum tvmq_type type = tvmq_tensor_type(tensor);
  return type != TVMQ_TYPE_OTHER && type != TVMQ_TYPE_S4;
}

static const char *check_border(const struct tvmq_model *model) {
  struct tvmq_shape shape;
  for (int i = 0; i < model->inputs->size; i++) {
    const TfLiteTensor *tensor = &model->tensors[model->inputs->data[i]];
    if (tensor->allocation_type != kTfLiteArenaRw) return "an input of the graph is a constant";
    if (tensor->is_variable) return "an input of the graph is a variable";
    if (!is_plain(tensor)) return "an input of the graph is neither of integers, bool nor float32";
    const char *reason = tvmq_tensor_shape(tensor, &shape);
    if (reason != NULL) return reason;
  }
  for (int i = 0; i < model->outputs->size; i++) {
    const TfLiteTensor *tensor = &model->tensors[model->outputs->data[i]];
    if (!is_plain(tensor)) return "an output of the graph is neither of integers, bool nor float32";
    const char *reason = tvmq_tensor_constant_shape(tensor, &shape);
    if (reason != NULL) return reason;
    if ((uintptr_t)tensor->data % tvmq_type_bytes(tvmq_tensor_type(tensor)) != 0) return "a constant output of the graph is not aligned";
  }
  return model->outputs->size > 0 && model->n_nodes > 0 ? NULL : "the graph has no nodes or no outputs";
}

static void note(bool *known, const TfLiteIntArray *indices) {
  for (int i = 0; i < indices->size; i++) known[indices->data[i]] = true;
}

static bool all_known(const struct tvmq_model *model, const bool *known, const TfLiteIntArray *indices) {
  for (int i = 0; i < indices->size; i++) {
    const int index = indices->data[i];
    if (index >= 0 && !known[index] && model->tensors[index].data == NULL && !model->tensors[index].is_variable) return false;
  }
  return true;
}

// Checks that each tensor is computed before it is read.
static const char *check_order(const struct tvmq_model *model) {
  bool *known = tvmq_alloc(model->n_tensors * sizeof *known);
  if (known == NULL) return "out of memory";
  bool complete = true;
  note(known, model->inputs);
  for (size_t i = 0; complete && i < model->n_nodes; i++) {
    complete = all_known(model, known, model->nodes[i].node.inputs);
    note(known, model->nodes[i].node.outputs);
  }
  complete = complete && all_known(model, known, model->outputs);
  tvmq_free(known);
  return complete ? NULL : "a tensor is read before it is computed";
}

static const char *make_plan(struct tvmq_runtime *runtime) {
  const size_t n = runtime->model.n_nodes;
  runtime->plan = tvmq_alloc(sizeof *runtime->plan + n * sizeof runtime->plan->data[0]);
  runtime->held = tvmq_alloc(runtime->model.n_tensors * sizeof runtime->held[0]);
  if (runtime->plan == NULL || runtime->held == NULL) return "out of memory";
  runtime->plan->size = (int)n;
  for (size_t i = 0; i < n; i++) runtime->plan->data[i] = (int)i;
  runtime->partition = (TfLiteDelegateParams){.input_tensors = (TfLiteIntArray *)(uintptr_t)runtime->model.inputs,
                                              .output_tensors = (TfLiteIntArray *)(uintptr_t)runtime->model.outputs};
  return NULL;
}

const char *tvmq_runtime_create(struct tvmq_runtime *runtime, const void *bytes, size_t size) {
  *runtime = (struct tvmq_runtime){0};
  const char *reason = tvmq_model_read(&runtime->model, bytes, size);
  if (reason != NULL) return reason;
  reason = check_border(&runtime->model);
  if (reason == NULL) reason = check_order(&runtime->model);
  if (reason == NULL) reason = make_plan(runtime);
  if (reason != NULL) {
    tvmq_runtime_release(runtime);
    return reason;
  }
  runtime->context = (TfLiteContext){
      .tensors_size = runtime->model.n_tensors,
      .GetExecutionPlan = get_execution_plan,
      .tensors = runtime->model.tensors,
      .impl_ = runtime,
      .ResizeTensor = resize_tensor,
      .ReportError = report_error,
      .AddTensors = add_tensors,
      .GetNodeAndRegistration = get_node,
      .ReplaceNodeSubsetsWithDelegateKernels = replace,
      .recommended_num_threads = -1,
      .GetExternalContext = get_external_context,
      .PreviewDelegatePartitioning = preview,
  };
  return NULL;
}

void tvmq_runtime_release(struct tvmq_runtime *runtime) {
  for (size_t i = 0; runtime->held != NULL && i < runtime->model.n_tensors; i++) {
    if (runtime->model.tensors[i].allocation_type == kTfLiteArenaRw) tvmq_free(runtime->model.tensors[i].data);
  }
  tvmq_free(runtime->held);
  tvmq_free(runtime->plan);
  tvmq_model_release(&runtime->model);
  *runtime = (struct tvmq_runtime){0};
}
