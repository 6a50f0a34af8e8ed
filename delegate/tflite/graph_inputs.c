#include "tflite/graph_inputs.h"

#include <string.h>

#include "base/flatbuffer.h"
#include "base/memory.h"
#include "tflite/schema.h"
#include "tflite/tensor.h"

// ---- the model's file, which is not trusted: a malformed part counts as absent

// Lists as many constants as fit into `inputs`. Returns the number of all.
static size_t list(struct tvmq_flatbuffer *file, struct tvmq_graph_inputs *inputs, size_t room) {
  const struct tvmq_table model = tvmq_flatbuffer_root(file, TVMQ_MODEL_IDENTIFIER);
  const struct tvmq_vector graphs = tvmq_table_vector(file, &model, MODEL_SUBGRAPHS, sizeof(uint32_t));
  const struct tvmq_vector buffers = tvmq_table_vector(file, &model, MODEL_BUFFERS, sizeof(uint32_t));
  size_t n = 0;
  for (uint32_t i = 0; i < graphs.n; i++) {
    const struct tvmq_table graph = tvmq_vector_table(file, &graphs, i);
    const struct tvmq_vector tensors = tvmq_table_vector(file, &graph, SUBGRAPH_TENSORS, sizeof(uint32_t));
    const struct tvmq_vector indices = tvmq_table_vector(file, &graph, SUBGRAPH_INPUTS, sizeof(uint32_t));
    for (uint32_t j = 0; j < indices.n; j++) {
      uint32_t index;
      memcpy(&index, (const char *)indices.data + j * sizeof index, sizeof index);
      const struct tvmq_table tensor = tvmq_vector_table(file, &tensors, index);
      size_t bytes;
      const void *data = tvmq_schema_data(file, &buffers, &tensor, &bytes);
      if (data == NULL) continue;
      if (n < room) inputs->data[n] = data;
      n++;
    }
  }
  return n;
}

// ---- the runtime

static bool lies_in(const struct tvmq_flatbuffer *file, const TfLiteTensor *tensor) {
  const uintptr_t base = (uintptr_t)file->base, data = (uintptr_t)tensor->data;
  return data >= base && data - base <= file->size && tensor->bytes <= file->size - (data - base);
}

// Returns the bytes of the model's file, which contains all its constants, or no bytes if the file is not accessible.
static struct tvmq_flatbuffer find_file(const TfLiteContext *context) {
  struct tvmq_flatbuffer file = {0};
  const TfLiteAllocation *allocation = NULL;
  for (size_t i = 0; i < context->tensors_size; i++) {
    const TfLiteTensor *tensor = &context->tensors[i];
    if (tensor->allocation_type != kTfLiteMmapRo || tensor->allocation == NULL || tensor->bytes == 0) continue;
    if (allocation == NULL) {
      allocation = tensor->allocation;
      file = (struct tvmq_flatbuffer){.base = allocation->base, .size = allocation->bytes};
    }
    if (tensor->allocation != allocation || !lies_in(&file, tensor)) return (struct tvmq_flatbuffer){0};
  }
  return file;
}

struct tvmq_graph_inputs *tvmq_graph_inputs_create(const TfLiteContext *context) {
  struct tvmq_flatbuffer file = find_file(context);
  const size_t n = list(&file, NULL, 0);
  struct tvmq_graph_inputs *inputs = tvmq_alloc(sizeof *inputs + n * sizeof inputs->data[0]);
  if (inputs != NULL && n > 0) inputs->n = list(&file, inputs, n);
  return inputs;
}

bool tvmq_graph_inputs_read(const struct tvmq_graph_inputs *inputs, const TfLiteContext *context, const TfLiteNode *node) {
  for (int i = 0; inputs->n > 0 && node->inputs != NULL && i < node->inputs->size; i++) {
    const TfLiteTensor *tensor = tvmq_tensor_at(context, node->inputs->data[i]);
    for (size_t j = 0; tensor != NULL && tvmq_tensor_is_constant(tensor) && j < inputs->n; j++) {
      if (tensor->data == inputs->data[j]) return true;
    }
  }
  return false;
}
