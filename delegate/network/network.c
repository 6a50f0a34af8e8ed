// The public functions of tvmq_network.h.
#include "network/network.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "host/apply.h"
#include "network/reference.h"
#include "tflite/tensor.h"

// ---- opening

// Lists the nodes that the delegate does not claim, if whole lines fit.
static void list_refused(const struct tvmq_delegate *delegate, struct tvmq_text *why) {
  size_t n = 0, n_refused = 0;
  for (const struct tvmq_record *record; (record = tvmq_delegate_record(delegate, (int)n)) != NULL; n++) n_refused += tvmq_record_is_refused(record);
  if (n_refused == 0) {
    tvmq_say(why, "%s", delegate->error);
    return;
  }
  tvmq_say(why, "%zu of %zu nodes cannot be computed", n_refused, n);
  for (size_t i = 0; i < n; i++) {
    const struct tvmq_record *record = tvmq_delegate_record(delegate, (int)i);
    const size_t before = why->length;
    if (!tvmq_record_is_refused(record)) continue;
    tvmq_say(why, "\nnode %d (%s): %s", record->info.node, record->info.op, record->info.reason);
    if (why->length + 1 < why->size) continue;
    why->length = before;
    why->at[before] = '\0';
    return;
  }
}

static bool plan(struct tvmq_network *network, struct tvmq_text *why) {
  struct tvmq_runtime *runtime = &network->runtime;
  if (tvmq_apply(&runtime->context, &network->delegate->base) != kTfLiteOk || !runtime->replaced) {
    list_refused(network->delegate, why);
    return false;
  }
  network->ready = tvmq_runtime_prepare(runtime);
  if (!network->ready) tvmq_say(why, "%s", runtime->error);
  return network->ready;
}

static bool load(struct tvmq_network *network, const struct tvmq_options *options, struct tvmq_text *why) {
  const char *reason = tvmq_runtime_create(&network->runtime, network->file.bytes, network->file.size);
  if (reason != NULL) {
    tvmq_say(why, "%s", reason);
    return false;
  }
  const struct tvmq_model *model = &network->runtime.model;
  network->delegate = tvmq_delegate_create(options, tvmq_apply, why);
  network->tensors = tvmq_alloc(((size_t)model->inputs->size + (size_t)model->outputs->size) * sizeof network->tensors[0]);
  if (network->delegate != NULL && network->tensors == NULL) tvmq_say(why, "out of memory");
  return network->delegate != NULL && network->tensors != NULL && plan(network, why);
}

// Opens the file at `path`, or the bytes if `path` is NULL.
static struct tvmq_network *open_any(const char *path, const void *model, unsigned long long bytes, const char *const *keys, const char *const *values,
                                     int n_options, char *error, unsigned long long error_bytes) {
  char none[1];
  const bool wanted = error != NULL && error_bytes > 0;
  struct tvmq_text why = {.at = wanted ? error : none, .size = wanted ? (size_t)error_bytes : sizeof none};
  why.at[0] = '\0';
  struct tvmq_network *network = tvmq_alloc(sizeof *network);
  struct tvmq_options *options = tvmq_alloc(sizeof *options);  // too large for a small stack
  bool opened = false;
  if (network == NULL || options == NULL) {
    tvmq_say(&why, "out of memory");
  } else if (tvmq_network_options(keys, values, n_options > 0 ? (size_t)n_options : 0, options, &why)) {
    opened = path != NULL ? tvmq_model_file_open(&network->file, path, &why) : tvmq_model_file_take(&network->file, model, (size_t)bytes, &why);
    opened = opened && load(network, options, &why);
  }
  tvmq_free(options);
  if (opened) why.at[0] = '\0';
  if (opened) return network;
  tvmq_network_close(network);
  return NULL;
}

struct tvmq_network *tvmq_network_open(const void *model, unsigned long long bytes, const char *const *keys, const char *const *values, int n_options,
                                       char *error, unsigned long long error_bytes) {
  return open_any(NULL, model, model != NULL ? bytes : 0, keys, values, n_options, error, error_bytes);
}

struct tvmq_network *tvmq_network_open_file(const char *path, const char *const *keys, const char *const *values, int n_options, char *error,
                                            unsigned long long error_bytes) {
  return open_any(path != NULL ? path : "", NULL, 0, keys, values, n_options, error, error_bytes);
}

void tvmq_network_close(struct tvmq_network *network) {
  if (network == NULL) return;
  struct tvmq_runtime *runtime = &network->runtime;
  if (runtime->replaced) runtime->registration.free(&runtime->context, runtime->node.user_data);
  if (network->delegate != NULL) tvmq_delegate_destroy(network->delegate);
  tvmq_runtime_release(runtime);
  tvmq_model_file_release(&network->file);
  tvmq_free(network->tensors);
  tvmq_free(network);
}

// ---- using

static bool fail(struct tvmq_network *network, const char *error) {
  snprintf(network->runtime.error, sizeof network->runtime.error, "%s", error);
  return false;
}

// Names of the types that inputs and outputs may have.
static const char *const type_names[] = {
    [TVMQ_TYPE_S8] = "int8",   [TVMQ_TYPE_U8] = "uint8",    [TVMQ_TYPE_S16] = "int16", [TVMQ_TYPE_S32] = "int32",
    [TVMQ_TYPE_S64] = "int64", [TVMQ_TYPE_F32] = "float32", [TVMQ_TYPE_BOOL] = "bool",
};

static const struct tvmq_tensor_info *describe(const struct tvmq_network *network, const TfLiteIntArray *indices, int index, struct tvmq_tensor_info *tensors) {
  if (index < 0 || index >= indices->size) return NULL;
  const TfLiteTensor *tensor = &network->runtime.model.tensors[indices->data[index]];
  const struct tvmq_quant quant = tvmq_tensor_quant(tensor);
  tensors[index] = (struct tvmq_tensor_info){
      .name = tensor->name,
      .type = type_names[tvmq_tensor_type(tensor)],
      .rank = tensor->dims->size,
      .dims = tensor->dims->data,
      .bytes = tensor->bytes,
      .data = network->ready ? tensor->data : NULL,
      .scale = quant.scale,
      .zero_point = quant.zero_point,
      .index = indices->data[index],
  };
  return &tensors[index];
}

const struct tvmq_tensor_info *tvmq_network_input(struct tvmq_network *network, int index) {
  return describe(network, network->runtime.model.inputs, index, network->tensors);
}

const struct tvmq_tensor_info *tvmq_network_output(struct tvmq_network *network, int index) {
  return describe(network, network->runtime.model.outputs, index, network->tensors + network->runtime.model.inputs->size);
}

static bool resize(struct tvmq_network *network, int index, const int *dims, int rank) {
  const TfLiteIntArray *inputs = network->runtime.model.inputs;
  if (index < 0 || index >= inputs->size) return fail(network, "there is no such input");
  if (rank < 0 || rank > TVMQ_MAX_RANK || (rank > 0 && dims == NULL)) return fail(network, "an input has at most 8 dimensions");
  for (int i = 0; i < rank; i++) {
    if (dims[i] < 0) return fail(network, "an input has a negative dimension");
  }
  tvmq_runtime_resize(&network->runtime, inputs->data[index], rank, dims);
  network->ready = false;
  return true;
}

int tvmq_network_resize_input(struct tvmq_network *network, int index, const int *dims, int rank) { return resize(network, index, dims, rank) ? 0 : -1; }

int tvmq_network_prepare(struct tvmq_network *network) {
  network->ready = tvmq_runtime_prepare(&network->runtime);
  return network->ready ? 0 : -1;
}

int tvmq_network_run(struct tvmq_network *network) {
  struct tvmq_runtime *runtime = &network->runtime;
  if (!network->ready) {
    fail(network, "the network is not prepared for the shapes of its inputs");
    return -1;
  }
  return runtime->registration.invoke(&runtime->context, &runtime->node) == kTfLiteOk ? 0 : -1;
}

const char *tvmq_network_error(const struct tvmq_network *network) { return network->runtime.error; }

const void *tvmq_network_delegate(const struct tvmq_network *network) { return &network->delegate->base; }
