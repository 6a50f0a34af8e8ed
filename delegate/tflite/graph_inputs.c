#include "tflite/graph_inputs.h"

#include <string.h>

#include "base/memory.h"
#include "tflite/tensor.h"

// ---- a flatbuffer: little-endian numbers that are not trusted; position 0 means absent

struct bytes {
  const uint8_t *base;
  size_t size;
};

static uint32_t number(struct bytes file, size_t at, size_t width) {
  uint32_t value = 0;
  if (at <= file.size && width <= file.size - at) memcpy(&value, file.base + at, width);
  return value;
}

static size_t follow(struct bytes file, size_t at) {
  const uint32_t offset = at > 0 ? number(file, at, sizeof(uint32_t)) : 0;
  return offset > 0 && offset < file.size - at ? at + offset : 0;
}

static size_t field(struct bytes file, size_t table, size_t index) {
  if (table == 0) return 0;
  const int64_t vtable = (int64_t)table - (int32_t)number(file, table, sizeof(uint32_t));
  const size_t entry = sizeof(uint16_t) * (2 + index);
  if (vtable < 0 || (uint64_t)vtable >= file.size || entry >= number(file, (size_t)vtable, sizeof(uint16_t))) return 0;
  const uint32_t offset = number(file, (size_t)vtable + entry, sizeof(uint16_t));
  return offset > 0 && offset < file.size - table ? table + offset : 0;
}

// A vector of 32-bit numbers, or of offsets of tables.
struct vector {
  size_t first, n;
};

static struct vector vector_at(struct bytes file, size_t field) {
  const size_t at = follow(file, field), n = at > 0 ? number(file, at, sizeof(uint32_t)) : 0, first = at + sizeof(uint32_t);
  return n > 0 && first < file.size && n <= (file.size - first) / sizeof(uint32_t) ? (struct vector){first, n} : (struct vector){0, 0};
}

static size_t table_in(struct bytes file, struct vector vector, uint32_t index) {
  return index < vector.n ? follow(file, vector.first + index * sizeof(uint32_t)) : 0;
}

// ---- the schema of TFLite

enum { MODEL_SUBGRAPHS = 2, MODEL_BUFFERS = 4, SUBGRAPH_TENSORS = 0, SUBGRAPH_INPUTS = 1, TENSOR_BUFFER = 2, BUFFER_DATA = 0, BUFFER_OFFSET = 1 };

// Returns the address of a tensor's constant, which is in its buffer or after the flatbuffer.
static const void *data_of(struct bytes file, struct vector buffers, size_t tensor) {
  const size_t number_at = field(file, tensor, TENSOR_BUFFER);
  const size_t buffer = number_at > 0 ? table_in(file, buffers, number(file, number_at, sizeof(uint32_t))) : 0;
  const size_t offset = field(file, buffer, BUFFER_OFFSET), data = follow(file, field(file, buffer, BUFFER_DATA));
  uint64_t behind = 0;
  if (offset > 0 && offset <= file.size - sizeof behind) memcpy(&behind, file.base + offset, sizeof behind);
  if (behind > 1) return behind < file.size ? file.base + behind : NULL;  // 1 stands for none
  return data > 0 && data < file.size - sizeof(uint32_t) ? file.base + data + sizeof(uint32_t) : NULL;
}

// Lists as many constants as fit into `inputs`. Returns the number of all.
static size_t list(struct bytes file, struct tvmq_graph_inputs *inputs, size_t room) {
  const size_t root = number(file, 0, sizeof(uint32_t)), model = root < file.size ? root : 0;
  const struct vector graphs = vector_at(file, field(file, model, MODEL_SUBGRAPHS)), buffers = vector_at(file, field(file, model, MODEL_BUFFERS));
  size_t n = 0;
  for (uint32_t i = 0; i < graphs.n; i++) {
    const size_t graph = table_in(file, graphs, i);
    const struct vector tensors = vector_at(file, field(file, graph, SUBGRAPH_TENSORS)), indices = vector_at(file, field(file, graph, SUBGRAPH_INPUTS));
    for (uint32_t j = 0; j < indices.n; j++) {
      const uint32_t index = number(file, indices.first + j * sizeof(uint32_t), sizeof(uint32_t));
      const void *data = data_of(file, buffers, table_in(file, tensors, index));
      if (data == NULL) continue;
      if (n < room) inputs->data[n] = data;
      n++;
    }
  }
  return n;
}

// ---- the runtime

static bool lies_in(struct bytes file, const TfLiteTensor *tensor) {
  const uintptr_t base = (uintptr_t)file.base, data = (uintptr_t)tensor->data;
  return data >= base && data - base <= file.size && tensor->bytes <= file.size - (data - base);
}

// Returns the bytes of the model's file, which contains all its constants, or no bytes if the file is not accessible.
static struct bytes find_file(const TfLiteContext *context) {
  static const char identifier[4] = {'T', 'F', 'L', '3'};
  struct bytes file = {0};
  const TfLiteAllocation *allocation = NULL;
  for (size_t i = 0; i < context->tensors_size; i++) {
    const TfLiteTensor *tensor = &context->tensors[i];
    if (tensor->allocation_type != kTfLiteMmapRo || tensor->allocation == NULL || tensor->bytes == 0) continue;
    if (allocation == NULL) {
      allocation = tensor->allocation;
      file = (struct bytes){allocation->base, allocation->bytes};
    }
    if (tensor->allocation != allocation || !lies_in(file, tensor)) return (struct bytes){0};
  }
  const bool is_model = file.size > 2 * sizeof identifier && memcmp(file.base + sizeof identifier, identifier, sizeof identifier) == 0;
  return is_model ? file : (struct bytes){0};
}

struct tvmq_graph_inputs *tvmq_graph_inputs_create(const TfLiteContext *context) {
  const struct bytes file = find_file(context);
  const size_t n = file.size > 0 ? list(file, NULL, 0) : 0;
  struct tvmq_graph_inputs *inputs = tvmq_alloc(sizeof *inputs + n * sizeof inputs->data[0]);
  if (inputs != NULL && n > 0) inputs->n = list(file, inputs, n);
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
