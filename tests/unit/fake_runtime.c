#include "fake_runtime.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_kernels.h"
#include "operators/op_names.h"

enum { POISON = 0xdb };

// ---- arrays

static TfLiteIntArray *int_array(int n, const int *data) {
  TfLiteIntArray *array = malloc(sizeof *array + (size_t)n * sizeof(int));
  array->size = n;
  if (n > 0) memcpy(array->data, data, (size_t)n * sizeof(int));
  return array;
}

static void poison_array(TfLiteIntArray *array) {
  if (array == NULL) return;
  memset(array, POISON, sizeof *array + (size_t)array->size * sizeof(int));
  free(array);
}

// A copy elsewhere; what may still point at the old place finds poison.
static void *move(void *old, size_t old_size, size_t size) {
  void *place = calloc(1, size > 0 ? size : 1);
  if (old_size > 0) memcpy(place, old, old_size);
  if (old != NULL) memset(old, POISON, old_size);
  free(old);
  return place;
}

static struct fake_subgraph *subgraph_of(TfLiteContext *context) { return context->impl_; }
static size_t pair_size(const struct fake *fake) { return sizeof(TfLiteNode) + fake->registration_size; }
// Those that the runtime's registration and ours have in common.
static size_t registration_bytes(const struct fake *fake) {
  return fake->registration_size < sizeof(TfLiteRegistration) ? fake->registration_size : sizeof(TfLiteRegistration);
}
static TfLiteNode *node_at(const struct fake_subgraph *s, int index) { return (TfLiteNode *)(void *)(s->nodes + (size_t)index * pair_size(s->fake)); }

struct fake_node fake_node_at(const struct fake_subgraph *s, int index) {
  struct fake_node copy = {.node = *node_at(s, index)};
  memcpy(&copy.registration, node_at(s, index) + 1, registration_bytes(s->fake));
  return copy;
}

static size_t dims_bytes(TfLiteType type, const TfLiteIntArray *dims) {
  size_t bytes = type == kTfLiteInt32 || type == kTfLiteFloat32 ? 4 : type == kTfLiteInt16 ? 2 : 1;
  for (int i = 0; i < dims->size; i++) bytes *= (size_t)dims->data[i];
  return bytes;
}

// ---- the context's functions

static void report_error(TfLiteContext *context, const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *error = subgraph_of(context)->fake->error;
  vsnprintf(error, sizeof subgraph_of(context)->fake->error, format, args);
  va_end(args);
  error[strcspn(error, "\n")] = '\0';
}

static bool may(TfLiteContext *context) {
  struct fake *fake = subgraph_of(context)->fake;
  if (!fake->applying) fake->misuses++;
  return fake->applying;
}

static TfLiteStatus get_execution_plan(TfLiteContext *context, TfLiteIntArray **plan) {
  if (!may(context)) return kTfLiteError;
  struct fake_subgraph *s = subgraph_of(context);
  poison_array(s->lent_plan);
  *plan = s->lent_plan = int_array(s->n_plan, s->plan);
  return kTfLiteOk;
}

static TfLiteStatus get_node(TfLiteContext *context, int index, TfLiteNode **node, TfLiteRegistration **registration) {
  struct fake_subgraph *s = subgraph_of(context);
  if (!may(context) || index < 0 || (size_t)index >= s->n_nodes) return kTfLiteError;
  *node = node_at(s, index);
  *registration = (TfLiteRegistration *)(void *)(*node + 1);
  return kTfLiteOk;
}

static TfLiteExternalContext *get_external_context(TfLiteContext *context, int type) {
  return type == kTfLiteCpuBackendContext ? subgraph_of(context)->fake->cpu_backend : NULL;
}

static TfLiteStatus resize_tensor(TfLiteContext *context, TfLiteTensor *tensor, TfLiteIntArray *dims) {
  if (subgraph_of(context)->fake->refuses_resize || tensor->allocation_type == kTfLiteMmapRo) {
    free(dims);
    return kTfLiteError;
  }
  poison_array(tensor->dims);
  tensor->dims = dims;
  tensor->bytes = dims_bytes(tensor->type, dims);
  free(tensor->data);
  tensor->data = NULL;
  return kTfLiteOk;
}

static TfLiteStatus add_tensors(TfLiteContext *context, int n, int *first) {
  (void)n, (void)first;
  subgraph_of(context)->fake->misuses++;
  return kTfLiteError;
}

// ---- partitions: runs of the plan

static bool in_array(const TfLiteIntArray *array, int value) {
  for (int i = 0; i < array->size; i++) {
    if (array->data[i] == value) return true;
  }
  return false;
}

// An output leaves the partition if a node outside reads it or no node does.
static bool leaves(const struct fake_subgraph *s, const TfLiteIntArray *nodes, int tensor) {
  bool read = false;
  for (int i = 0; i < s->n_plan; i++) {
    if (!in_array(node_at(s, s->plan[i])->inputs, tensor)) continue;
    if (!in_array(nodes, s->plan[i])) return true;
    read = true;
  }
  return !read;
}

static bool writes(const struct fake_subgraph *s, const TfLiteIntArray *nodes, int tensor) {
  bool found = false;
  for (int i = 0; i < nodes->size; i++) found |= in_array(node_at(s, nodes->data[i])->outputs, tensor);
  return found;
}

// The inputs of the nodes, constants too, which none of them writes.
static TfLiteIntArray *inputs_of(const struct fake_subgraph *s, const TfLiteIntArray *nodes) {
  int inputs[FAKE_MAX_TENSORS], n = 0;
  for (int tensor = 0; tensor < (int)s->n_tensors; tensor++) {
    bool read = false;
    for (int i = 0; i < nodes->size; i++) read |= in_array(node_at(s, nodes->data[i])->inputs, tensor);
    if (read && !writes(s, nodes, tensor)) inputs[n++] = tensor;
  }
  return int_array(n, inputs);
}

static TfLiteDelegateParams params_of(const struct fake_subgraph *s, int first, int n) {
  TfLiteIntArray *nodes = int_array(n, s->plan + first);
  int outputs[FAKE_MAX_NODES], n_outputs = 0;
  for (int i = 0; i < n; i++) {
    const int out = node_at(s, nodes->data[i])->outputs->data[0];
    if (leaves(s, nodes, out)) outputs[n_outputs++] = out;
  }
  return (TfLiteDelegateParams){.nodes_to_replace = nodes, .input_tensors = inputs_of(s, nodes), .output_tensors = int_array(n_outputs, outputs)};
}

static void free_params(TfLiteDelegateParams *params) {
  poison_array(params->nodes_to_replace);
  poison_array(params->input_tensors);
  poison_array(params->output_tensors);
}

static void free_preview(struct fake_subgraph *s) {
  for (int i = 0; i < s->n_lent_partitions; i++) free_params(&s->lent_partitions[i]);
  free(s->lent_partitions);
  s->lent_partitions = NULL;
  s->n_lent_partitions = 0;
}

static TfLiteStatus preview(TfLiteContext *context, const TfLiteIntArray *nodes, TfLiteDelegateParams **partitions, int *n) {
  if (!may(context)) return kTfLiteError;
  struct fake_subgraph *s = subgraph_of(context);
  free_preview(s);
  s->lent_partitions = calloc(FAKE_MAX_NODES, sizeof s->lent_partitions[0]);
  for (int i = 0; i < s->n_plan; i++) {
    int run = 0;
    while (i + run < s->n_plan && in_array(nodes, s->plan[i + run])) run++;
    if (run == 0) continue;
    s->lent_partitions[s->n_lent_partitions++] = params_of(s, i, run);
    i += run;
  }
  *partitions = s->lent_partitions;
  *n = s->n_lent_partitions;
  return kTfLiteOk;
}

static int add_node(struct fake_subgraph *s, TfLiteNode node, const TfLiteRegistration *registration) {
  s->nodes = move(s->nodes, s->n_nodes * pair_size(s->fake), (s->n_nodes + 1) * pair_size(s->fake));
  const int index = (int)s->n_nodes++;
  *node_at(s, index) = node;
  memcpy(node_at(s, index) + 1, registration, registration_bytes(s->fake));
  return index;
}

static TfLiteStatus replace(TfLiteContext *context, TfLiteRegistration registration, const TfLiteIntArray *nodes, TfLiteDelegate *delegate) {
  TfLiteDelegateParams *partitions;
  int n;
  if (preview(context, nodes, &partitions, &n) != kTfLiteOk) return kTfLiteError;
  struct fake_subgraph *s = subgraph_of(context);
  int plan[FAKE_MAX_NODES], n_plan = 0, next = 0;
  for (int i = 0; i < s->n_plan; i++) {
    if (!in_array(nodes, s->plan[i])) {
      plan[n_plan++] = s->plan[i];
      continue;
    }
    TfLiteDelegateParams *params = malloc(sizeof *params);
    *params = partitions[next];
    memset(&partitions[next++], 0, sizeof *params);
    params->delegate = delegate;
    i += params->nodes_to_replace->size - 1;
    TfLiteNode node = {.inputs = int_array(params->input_tensors->size, params->input_tensors->data),
                       .outputs = int_array(params->output_tensors->size, params->output_tensors->data),
                       .builtin_data = params,
                       .delegate = delegate};
    node.user_data = registration.init(context, (const char *)params, 0);
    plan[n_plan++] = add_node(s, node, &registration);
  }
  memcpy(s->plan, plan, sizeof plan);
  s->n_plan = n_plan;
  return kTfLiteOk;
}

// ---- building

struct fake *fake_create(size_t registration_size) {
  struct fake *fake = calloc(1, sizeof *fake);
  fake->registration_size = registration_size;
  fake->cpu_backend = &fake->own;
  for (int i = 0; i < FAKE_SUBGRAPHS; i++) {
    struct fake_subgraph *s = &fake->subgraphs[i];
    s->fake = fake;
    s->context = (TfLiteContext){.impl_ = s,
                                 .GetExecutionPlan = get_execution_plan,
                                 .ResizeTensor = resize_tensor,
                                 .ReportError = report_error,
                                 .AddTensors = add_tensors,
                                 .GetNodeAndRegistration = get_node,
                                 .ReplaceNodeSubsetsWithDelegateKernels = replace,
                                 .recommended_num_threads = -1,
                                 .GetExternalContext = get_external_context,
                                 .PreviewDelegatePartitioning = preview};
  }
  return fake;
}

int fake_tensor(struct fake_subgraph *s, TfLiteType type, const int *dims, float scale, int zero_point, const void *data) {
  int rank = 0;
  while (dims[rank] != 0) rank++;
  s->tensors = move(s->tensors, s->n_tensors * sizeof s->tensors[0], (s->n_tensors + 1) * sizeof s->tensors[0]);
  TfLiteTensor *tensor = &s->tensors[s->n_tensors];
  *tensor = (TfLiteTensor){.type = type,
                           .data = (void *)(uintptr_t)data,
                           .dims = int_array(rank, dims),
                           .params = {.scale = scale, .zero_point = zero_point},
                           .allocation_type = data != NULL ? kTfLiteMmapRo : kTfLiteArenaRw,
                           .buffer_handle = -1};
  tensor->bytes = dims_bytes(type, tensor->dims);
  if (scale != 0) {
    TfLiteAffineQuantization *affine = malloc(sizeof *affine);
    affine->scale = malloc(sizeof *affine->scale + sizeof scale);
    affine->scale->size = 1;
    affine->scale->data[0] = scale;
    affine->zero_point = int_array(1, &zero_point);
    affine->quantized_dimension = 0;
    tensor->quantization = (TfLiteQuantization){.type = kTfLiteAffineQuantization, .params = affine};
  }
  s->context.tensors = s->tensors;
  s->context.tensors_size = ++s->n_tensors;
  return (int)s->n_tensors - 1;
}

int fake_builtin(struct fake_subgraph *s, int code, int n_inputs, const int *inputs, int out, void *options) {
  const TfLiteNode node = {.inputs = int_array(n_inputs, inputs), .outputs = int_array(1, &out), .builtin_data = options};
  const int index = add_node(s, node, fake_kernel(code));
  s->plan[s->n_plan++] = index;
  memcpy(s->original_plan, s->plan, sizeof s->plan);
  s->n_original_plan = s->n_plan;
  return index;
}

int fake_conv(struct fake_subgraph *s, bool depthwise, int in, int filter, int bias, int out, int stride, TfLitePadding padding) {
  const int inputs[] = {in, filter, bias};
  if (!depthwise) {
    TfLiteConvParams *params = malloc(sizeof *params);
    *params = (TfLiteConvParams){.padding = padding, .stride_width = stride, .stride_height = stride, .dilation_width_factor = 1, .dilation_height_factor = 1};
    return fake_builtin(s, TVMQ_BUILTIN_CONV_2D, 3, inputs, out, params);
  }
  TfLiteDepthwiseConvParams *params = malloc(sizeof *params);
  *params = (TfLiteDepthwiseConvParams){
      .padding = padding, .stride_width = stride, .stride_height = stride, .depth_multiplier = 1, .dilation_width_factor = 1, .dilation_height_factor = 1};
  return fake_builtin(s, TVMQ_BUILTIN_DEPTHWISE_CONV_2D, 3, inputs, out, params);
}

int fake_quantize(struct fake_subgraph *s, int in, int out) { return fake_builtin(s, TVMQ_BUILTIN_QUANTIZE, 1, &in, out, NULL); }
int fake_other(struct fake_subgraph *s, int in, int out) { return fake_builtin(s, FAKE_BUILTIN_OTHER, 1, &in, out, NULL); }

// ---- running

TfLiteStatus fake_apply(struct fake_subgraph *s, TfLiteDelegate *delegate) {
  s->fake->applying = true;
  const TfLiteStatus status = delegate->Prepare(&s->context, delegate);
  s->fake->applying = false;
  free_preview(s);
  if (status != kTfLiteOk) fake_undo(s);
  return status;
}

// Every tensor that the plan reads or writes gets memory, and all of it elsewhere than before; the others have none.
static void place_tensors(struct fake_subgraph *s) {
  for (size_t i = 0; i < s->n_tensors; i++) {
    TfLiteTensor *tensor = &s->tensors[i];
    if (tensor->allocation_type != kTfLiteArenaRw) continue;
    bool used = false;
    for (int j = 0; j < s->n_plan; j++) used |= in_array(node_at(s, s->plan[j])->inputs, (int)i) || in_array(node_at(s, s->plan[j])->outputs, (int)i);
    void *old = tensor->data;
    tensor->data = used ? malloc(tensor->bytes > 0 ? tensor->bytes : 1) : NULL;
    if (used) memset(tensor->data, POISON, tensor->bytes);
    free(old);
  }
}

TfLiteStatus fake_allocate(struct fake_subgraph *s) {
  s->tensors = move(s->tensors, s->n_tensors * sizeof s->tensors[0], s->n_tensors * sizeof s->tensors[0]);
  s->nodes = move(s->nodes, s->n_nodes * pair_size(s->fake), s->n_nodes * pair_size(s->fake));
  s->context.tensors = s->tensors;
  for (int i = 0; i < s->n_plan; i++) {
    struct fake_node copy = fake_node_at(s, s->plan[i]);
    if (copy.registration.prepare(&s->context, &copy.node) != kTfLiteOk) return kTfLiteError;
  }
  place_tensors(s);
  return kTfLiteOk;
}

TfLiteStatus fake_invoke(struct fake_subgraph *s) {
  for (int i = 0; i < s->n_plan; i++) {
    struct fake_node copy = fake_node_at(s, s->plan[i]);
    if (copy.registration.invoke(&s->context, &copy.node) != kTfLiteOk) return kTfLiteError;
  }
  return kTfLiteOk;
}

static void free_node(struct fake_subgraph *s, int index) {
  struct fake_node copy = fake_node_at(s, index);
  if (copy.node.delegate != NULL) {
    if (copy.node.user_data != NULL) copy.registration.free(&s->context, copy.node.user_data);
    free_params(copy.node.builtin_data);
  }
  poison_array(copy.node.inputs);
  poison_array(copy.node.outputs);
  free(copy.node.builtin_data);
}

void fake_undo(struct fake_subgraph *s) {
  size_t n = 0;
  for (int i = 0; i < s->n_original_plan; i++) n = (size_t)s->original_plan[i] + 1 > n ? (size_t)s->original_plan[i] + 1 : n;
  while (s->n_nodes > n) free_node(s, (int)--s->n_nodes);
  memcpy(s->plan, s->original_plan, sizeof s->plan);
  s->n_plan = s->n_original_plan;
}

void fake_resize(struct fake_subgraph *s, int tensor, const int *dims) {
  int rank = 0;
  while (dims[rank] >= 0) rank++;
  resize_tensor(&s->context, &s->tensors[tensor], int_array(rank, dims));
}

int fake_delegate_nodes(const struct fake_subgraph *s) {
  int n = 0;
  for (int i = 0; i < s->n_plan; i++) n += node_at(s, s->plan[i])->delegate != NULL;
  return n;
}

void fake_destroy(struct fake *fake) {
  for (int i = 0; i < FAKE_SUBGRAPHS; i++) {
    struct fake_subgraph *s = &fake->subgraphs[i];
    while (s->n_nodes > 0) free_node(s, (int)--s->n_nodes);
    for (size_t j = 0; j < s->n_tensors; j++) {
      TfLiteTensor *tensor = &s->tensors[j];
      TfLiteAffineQuantization *affine = tensor->quantization.params;
      if (affine != NULL) {
        free(affine->scale);
        free(affine->zero_point);
        free(affine);
      }
      if (tensor->allocation_type == kTfLiteArenaRw) free(tensor->data);
      free(tensor->dims);
    }
    free(s->tensors);
    free(s->nodes);
    poison_array(s->lent_plan);
  }
  free(fake);
}
