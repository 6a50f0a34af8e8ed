#include "network/model.h"

#include <string.h>

#include "base/memory.h"
#include "base/room.h"
#include "base/shape.h"

// Limits of what a graph may have. They keep structures and planning of a malicious file small; networks have a few
// hundred nodes.
enum { MOST_NODES = 1 << 14, MOST_TENSORS = 1 << 16, MOST_ZERO_POINTS = 1 << 22 };
enum { BUILTIN_CUSTOM = 32 };

// A model while it is read.
struct reader {
  struct tvmq_flatbuffer file;
  struct tvmq_model *model;
  struct tvmq_room room;
  struct tvmq_vector codes, buffers, tensors, nodes;
  size_t n_zero_points;
};

static void refuse(struct reader *reader, const char *reason) {
  if (reader->file.fault == NULL) reader->file.fault = reason;
}

// Returns a vector of 32-bit numbers in the file as an array of the interface: in both, the numbers follow their count.
static void *array_in_file(const struct tvmq_vector *vector) {
  static const int none[1];
  return vector->data != NULL ? (void *)(uintptr_t)((const int *)vector->data - 1) : (void *)(uintptr_t)none;
}

static TfLiteIntArray *indices(struct reader *reader, const struct tvmq_table *table, size_t field) {
  const struct tvmq_vector vector = tvmq_table_vector(&reader->file, table, field, sizeof(int));
  if (vector.n > INT32_MAX) refuse(reader, "a list is too long");
  return array_in_file(&vector);
}

// ---- tensors

// Copies the dimensions, because they may change. More than TVMQ_MAX_RANK remain in the file; all nodes refuse them.
static TfLiteIntArray *read_shape(struct reader *reader, const struct tvmq_table *table) {
  TfLiteIntArray *in_file = indices(reader, table, TENSOR_SHAPE), *own = tvmq_room_take(&reader->room, 1 + TVMQ_MAX_RANK, sizeof(int));
  if (own == NULL || in_file->size > TVMQ_MAX_RANK) return in_file;
  memcpy(own, in_file, sizeof *own + (size_t)in_file->size * sizeof own->data[0]);
  return own;
}

static bool matches_shape(const TfLiteIntArray *dims, int64_t axis, uint32_t n_scales) {
  if (axis < 0 || (dims->size > 0 && axis >= dims->size)) return false;
  return n_scales == 1 || dims->size == 0 || n_scales == (uint32_t)dims->data[axis];
}

static void read_quantization(struct reader *reader, const struct tvmq_table *tensor, TfLiteTensor *out, TfLiteAffineQuantization *affine) {
  const struct tvmq_table table = tvmq_table_table(&reader->file, tensor, TENSOR_QUANTIZATION);
  const struct tvmq_vector scales = tvmq_table_vector(&reader->file, &table, QUANTIZATION_SCALE, sizeof(float));
  const struct tvmq_vector zero_points = tvmq_table_vector(&reader->file, &table, QUANTIZATION_ZERO_POINT, sizeof(int64_t));
  const int32_t axis = (int32_t)tvmq_table_number(&reader->file, &table, QUANTIZATION_DIMENSION, sizeof axis, 0);
  if (tvmq_table_number(&reader->file, &table, QUANTIZATION_DETAILS_TYPE, 1, 0) != 0)
    refuse(reader, "a tensor's quantization is neither per tensor nor per channel");
  if (scales.n == 0) return;
  reader->n_zero_points += zero_points.n;
  if (scales.n != zero_points.n || !matches_shape(out->dims, axis, scales.n)) refuse(reader, "a tensor's scales, zero points and shape do not match");
  if (reader->n_zero_points > MOST_ZERO_POINTS) refuse(reader, "the model has too many zero points");
  if (reader->file.fault != NULL) return;
  TfLiteIntArray *own = tvmq_room_take(&reader->room, 1 + (size_t)zero_points.n, sizeof(int));
  if (own == NULL) return;
  own->size = (int)zero_points.n;
  for (uint32_t i = 0; i < zero_points.n; i++) memcpy(&own->data[i], (const char *)zero_points.data + i * sizeof(int64_t), sizeof own->data[i]);
  *affine = (TfLiteAffineQuantization){.scale = array_in_file(&scales), .zero_point = own, .quantized_dimension = axis};
  out->quantization = (TfLiteQuantization){.type = kTfLiteAffineQuantization, .params = affine};
  if (scales.n != 1) return;
  out->params.scale = affine->scale->data[0];
  out->params.zero_point = own->data[0];
}

static void read_tensor(struct reader *reader, uint32_t index, TfLiteTensor *out, TfLiteAffineQuantization *affine) {
  struct tvmq_flatbuffer *file = &reader->file;
  const struct tvmq_table table = tvmq_vector_table(file, &reader->tensors, index), sparsity = tvmq_table_table(file, &table, TENSOR_SPARSITY);
  const char *name = tvmq_table_string(file, &table, TENSOR_NAME);
  size_t bytes;
  const void *data = tvmq_schema_data(file, &reader->buffers, &table, &bytes);
  if (tvmq_table_number(file, &table, TENSOR_EXTERNAL_BUFFER, sizeof(uint32_t), 0) != 0) refuse(reader, "a tensor's data is in another file");
  *out = (TfLiteTensor){
      .type = tvmq_type_of_schema(tvmq_table_number(file, &table, TENSOR_TYPE, 1, 0)),
      .data = (void *)(uintptr_t)data,
      .dims = read_shape(reader, &table),
      .allocation_type = data != NULL ? kTfLiteMmapRo : kTfLiteArenaRw,
      .bytes = bytes,
      .allocation = data != NULL ? &reader->model->allocation : NULL,
      .name = name != NULL ? name : "",
      .buffer_handle = -1,
      .is_variable = tvmq_table_number(file, &table, TENSOR_IS_VARIABLE, 1, 0) != 0,
      .sparsity = sparsity.at != 0 ? (void *)(uintptr_t)(file->base + sparsity.at) : NULL,
  };
  read_quantization(reader, &table, out, affine);
}

// ---- nodes

static void check_indices(struct reader *reader, const TfLiteIntArray *array, bool optional) {
  for (int i = 0; reader->file.fault == NULL && i < array->size; i++) {
    const bool found = array->data[i] >= 0 && (size_t)array->data[i] < reader->model->n_tensors;
    if (!found && !(optional && array->data[i] == -1)) refuse(reader, "the index of a tensor is out of range");
  }
}

static void read_node(struct reader *reader, uint32_t index, struct tvmq_model_node *out, union tvmq_builtin_data *data) {
  struct tvmq_flatbuffer *file = &reader->file;
  const struct tvmq_table table = tvmq_vector_table(file, &reader->nodes, index);
  const struct tvmq_table code = tvmq_vector_table(file, &reader->codes, (uint32_t)tvmq_table_number(file, &table, OPERATOR_CODE, sizeof(uint32_t), 0));
  const int32_t builtin = (int32_t)tvmq_table_number(file, &code, OPERATOR_CODE_BUILTIN, sizeof builtin, 0);
  const int8_t in_byte = (int8_t)tvmq_table_number(file, &code, OPERATOR_CODE_DEPRECATED, 1, 0);
  const char *custom = tvmq_table_string(file, &code, OPERATOR_CODE_CUSTOM);
  *out = (struct tvmq_model_node){
      .node = {.inputs = indices(reader, &table, OPERATOR_INPUTS), .outputs = indices(reader, &table, OPERATOR_OUTPUTS)},
      .registration = {.builtin_code = builtin > in_byte ? builtin : in_byte,
                       .version = (int)tvmq_table_number(file, &code, OPERATOR_CODE_VERSION, sizeof(int), 1)},
  };
  if (out->registration.builtin_code == BUILTIN_CUSTOM) out->registration.custom_name = custom != NULL ? custom : "";
  if (tvmq_read_builtin_data(file, &table, out->registration.builtin_code, data)) out->node.builtin_data = data;
  check_indices(reader, out->node.inputs, true);
  check_indices(reader, out->node.outputs, false);
}

// ---- the graph

// Reads everything. The first time, with no memory yet, only adds up the bytes of all arrays.
static void read_graph(struct reader *reader, const struct tvmq_table *graph) {
  struct tvmq_model *model = reader->model;
  const size_t n_tensors = model->n_tensors, n_nodes = model->n_nodes;
  TfLiteTensor tensor;
  struct tvmq_model_node node;
  TfLiteAffineQuantization affine;
  union tvmq_builtin_data data;
  reader->n_zero_points = 0;
  model->tensors = tvmq_room_take(&reader->room, n_tensors, sizeof tensor);
  model->nodes = tvmq_room_take(&reader->room, n_nodes, sizeof node);
  model->quantization = tvmq_room_take(&reader->room, n_tensors, sizeof affine);
  model->builtin_data = tvmq_room_take(&reader->room, n_nodes, sizeof data);
  const bool keep = model->tensors != NULL;
  for (size_t i = 0; reader->file.fault == NULL && i < n_tensors; i++)
    read_tensor(reader, (uint32_t)i, keep ? &model->tensors[i] : &tensor, keep ? &model->quantization[i] : &affine);
  for (size_t i = 0; reader->file.fault == NULL && i < n_nodes; i++)
    read_node(reader, (uint32_t)i, keep ? &model->nodes[i] : &node, keep ? &model->builtin_data[i] : &data);
  model->inputs = indices(reader, graph, SUBGRAPH_INPUTS);
  model->outputs = indices(reader, graph, SUBGRAPH_OUTPUTS);
  check_indices(reader, model->inputs, false);
  check_indices(reader, model->outputs, false);
}

static struct tvmq_table find_graph(struct reader *reader) {
  struct tvmq_flatbuffer *file = &reader->file;
  const struct tvmq_table root = tvmq_flatbuffer_root(file, TVMQ_MODEL_IDENTIFIER);
  const struct tvmq_vector graphs = tvmq_table_vector(file, &root, MODEL_SUBGRAPHS, sizeof(uint32_t));
  if (tvmq_table_number(file, &root, MODEL_VERSION, sizeof(uint32_t), 0) != TVMQ_SCHEMA_VERSION) refuse(reader, "the version of the schema is not 3");
  if (graphs.n != 1) refuse(reader, graphs.n == 0 ? "the model has no subgraph" : "the model has more than one subgraph");
  reader->codes = tvmq_table_vector(file, &root, MODEL_OPERATOR_CODES, sizeof(uint32_t));
  reader->buffers = tvmq_table_vector(file, &root, MODEL_BUFFERS, sizeof(uint32_t));
  const struct tvmq_table graph = tvmq_vector_table(file, &graphs, 0);
  reader->tensors = tvmq_table_vector(file, &graph, SUBGRAPH_TENSORS, sizeof(uint32_t));
  reader->nodes = tvmq_table_vector(file, &graph, SUBGRAPH_OPERATORS, sizeof(uint32_t));
  if (reader->nodes.n > MOST_NODES || reader->tensors.n > MOST_TENSORS) refuse(reader, "the graph has more than 16384 nodes or 65536 tensors");
  return graph;
}

const char *tvmq_model_read(struct tvmq_model *model, const void *bytes, size_t size) {
  struct reader reader = {.file = {.base = bytes, .size = size}, .model = model};
  *model = (struct tvmq_model){.allocation = {.base = bytes, .bytes = size}};
  const struct tvmq_table graph = find_graph(&reader);
  model->n_tensors = reader.tensors.n;
  model->n_nodes = reader.nodes.n;
  if (reader.file.fault == NULL) read_graph(&reader, &graph);
  if (reader.file.fault != NULL) return reader.file.fault;
  reader.room = (struct tvmq_room){.base = model->memory = tvmq_alloc(reader.room.used)};
  if (model->memory == NULL) return "out of memory";
  read_graph(&reader, &graph);
  return NULL;
}

void tvmq_model_release(struct tvmq_model *model) { tvmq_free(model->memory); }
