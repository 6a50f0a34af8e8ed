#include "graph/fold_maps.h"

#include <string.h>

#include "base/memory.h"
#include "tflite/node_kind.h"

static bool is_byte(const TfLiteContext *context, int tensor) {
  const TfLiteTensor *at = tvmq_tensor_at(context, tensor);
  return at != NULL && tvmq_type_is_byte(tvmq_tensor_type(at));
}

// Records of a partition. The map of a record is found after those of all earlier records.
struct records {
  const TfLiteContext *context;
  struct tvmq_record **of;        // [n]
  struct tvmq_record **computes;  // [tensors]: the record, among those whose maps are found, that computes the tensor as a known function; NULL: none
  int n;
};

static struct tvmq_record *find_known(const struct records *records, int tensor) {
  return tvmq_tensor_at(records->context, tensor) != NULL ? records->computes[tensor] : NULL;
}

// Inputs of a node, each as a table indexed by the root's byte.
enum { MOST_IN = 2 };  // largest number of inputs of a function of a byte

struct inputs {
  const uint8_t *tables[MOST_IN];
  uint8_t own[MOST_IN][TVMQ_N_BYTES];  // tables of constants and of the root itself
  int root;                            // tensor; -1: all inputs are constants
  bool composed;                       // an input is a constant or is computed from the root, or two inputs are the root
};

// Adds input `j`. Returns false if the input is neither a function of the root's byte nor a single constant byte.
static bool add_input(const struct records *records, const struct tvmq_record *record, int j, struct inputs *inputs) {
  const int tensor = record->node.in[j];
  if (!is_byte(records->context, tensor)) return false;
  const TfLiteTensor *at = tvmq_tensor_at(records->context, tensor);
  if (tvmq_tensor_is_constant(at)) {
    if (record->shapes.in[j].bytes != 1 || at->data == NULL) return false;
    memset(inputs->own[j], *(const uint8_t *)at->data, TVMQ_N_BYTES);
    inputs->composed = true;
    return true;
  }
  const struct tvmq_record *before = find_known(records, tensor);
  const int root = before != NULL ? before->map.root : tensor;
  if (record->shapes.in[j].bytes != record->shapes.out.bytes || (inputs->root >= 0 && inputs->root != root)) return false;
  if (before != NULL) inputs->tables[j] = before->map.table;
  for (int x = 0; before == NULL && x < TVMQ_N_BYTES; x++) inputs->own[j][x] = (uint8_t)x;
  inputs->composed |= before != NULL || inputs->root >= 0;
  inputs->root = root;
  return true;
}

static struct tvmq_map find_byte_function(const struct records *records, const struct tvmq_record *record, const struct tvmq_env *env) {
  const struct tvmq_operator *op_def = record->node.kind->op_def;
  struct tvmq_map map = {.root = -1};
  if (op_def->byte_function == NULL || record->node.settable || record->node.n_out != 1 || !is_byte(records->context, record->node.out)) return map;
  if (record->node.n_in > MOST_IN) return map;
  struct inputs inputs = {.root = -1};
  for (int j = 0; j < record->node.n_in; j++) {
    inputs.tables[j] = inputs.own[j];
    if (!add_input(records, record, j, &inputs)) return map;
  }
  if (inputs.root < 0 || !op_def->byte_function(&record->desc, env->rounding, inputs.tables, map.table)) return map;
  map.known = true;
  map.applied = inputs.composed || op_def->turn == NULL;  // a single operator's own kernel is no slower, and can be turned
  map.root = inputs.root;
  return map;
}

// Returns whether the tensor is computed as LOGISTIC of float32 tensor `x`.
static bool is_logistic_of(const struct records *records, int tensor, int x) {
  const struct tvmq_record *before = find_known(records, tensor);
  return before != NULL && before->map.floats && !before->map.applied && before->map.root == x;
}

// Returns the map of LOGISTIC, and of MUL of x by LOGISTIC(x) in any order.
static struct tvmq_map find_float_function(const struct records *records, const struct tvmq_record *record) {
  const struct tvmq_operator *op_def = record->node.kind->op_def;
  const int *in = record->node.in;
  if (op_def == &tvmq_operator_unary && record->desc.unary.function == TVMQ_FUNCTION_LOGISTIC)
    return (struct tvmq_map){.known = true, .floats = true, .root = in[0]};
  const struct tvmq_binary_desc *desc = &record->desc.binary;
  const bool is_product = op_def == &tvmq_operator_binary && desc->operation == TVMQ_OPERATION_MUL && desc->activation == TVMQ_ACTIVATION_NONE;
  for (int x = 0; is_product && x < 2; x++) {
    if (is_logistic_of(records, in[1 - x], in[x])) return (struct tvmq_map){.known = true, .applied = true, .floats = true, .root = in[x]};
  }
  return (struct tvmq_map){.root = -1};
}

static struct tvmq_map find_map(const struct records *records, const struct tvmq_record *record, const struct tvmq_env *env) {
  const TfLiteTensor *out = tvmq_tensor_at(records->context, record->node.out);
  const bool floats = out != NULL && tvmq_tensor_type(out) == TVMQ_TYPE_F32;
  return floats ? find_float_function(records, record) : find_byte_function(records, record, env);
}

// Lists the record as a reader of each tensor that its map stands for.
static void show_reader(const struct records *records, const struct tvmq_record *reader) {
  for (int j = 0; reader->map.applied && j < reader->node.n_in; j++) {
    struct tvmq_record *record = find_known(records, reader->node.in[j]);
    const bool again = j > 0 && reader->node.in[j] == reader->node.in[j - 1];
    if (record != NULL && !again) tvmq_record_fold_into(record, reader->info.node);
  }
}

static void fold_partition(const struct records *records, const struct tvmq_env *env) {
  for (int i = 0; i < records->n; i++) {
    struct tvmq_record *record = records->of[i];
    const struct tvmq_map map = find_map(records, record, env);
    record->planned &= memcmp(&map, &record->map, sizeof map) == 0;
    record->map = map;
    if (map.known) tvmq_record_unfold(record);
    if (map.known) records->computes[record->node.out] = record;
  }
  for (int i = 0; i < records->n; i++) show_reader(records, records->of[i]);
}

bool tvmq_fold_maps(struct tvmq_subgraph *subgraph, const TfLiteContext *context, const struct tvmq_env *env, const TfLiteDelegateParams *partitions,
                    int n_partitions) {
  struct records records = {
      .context = context,
      .of = tvmq_alloc(subgraph->n_records * sizeof records.of[0]),
      .computes = tvmq_alloc(context->tensors_size * sizeof records.computes[0]),
  };
  const bool complete = records.of != NULL && records.computes != NULL;
  for (int p = 0; complete && p < n_partitions; p++) {
    const TfLiteIntArray *nodes = partitions[p].nodes_to_replace;
    records.n = nodes->size;
    for (int i = 0; i < nodes->size; i++) records.of[i] = tvmq_subgraph_find(subgraph, nodes->data[i]);
    fold_partition(&records, env);
    for (int i = 0; i < nodes->size; i++) {
      if (records.of[i]->map.known) records.computes[records.of[i]->node.out] = NULL;
    }
  }
  tvmq_free(records.of);
  tvmq_free(records.computes);
  return complete;
}
