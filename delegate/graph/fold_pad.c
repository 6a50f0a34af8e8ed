#include "graph/fold_pad.h"

#include "tflite/node_kind.h"

static bool is_pad(const struct tvmq_record *record) { return tvmq_record_wanted(record) && record->node.kind->op_def == &tvmq_operator_pad; }

// Adds the PAD's border to `options`. Returns whether the record's operator supports the border.
static bool set_border(const struct tvmq_record *record, union tvmq_desc *options, const struct tvmq_pad_desc *pad) {
  const struct tvmq_operator *op_def = record->node.kind->op_def;
  return op_def->set_border != NULL && op_def->set_border(options, pad);
}

static void unfold(struct tvmq_record *reader) {
  static const struct tvmq_pad_desc nothing;
  union tvmq_desc options;
  if (reader->node.kind->op_def->set_border == NULL) return;
  tvmq_node_get_options(&reader->node, &options);
  if (!set_border(reader, &options, &nothing)) return;
  tvmq_node_set_options(&reader->node, &options);
  reader->node.in[0] = reader->node.inputs[0];
}

static bool reads(const struct tvmq_record *record, int tensor) {
  bool found = false;
  for (int i = 0; i < record->node.n_inputs; i++) found |= record->node.inputs[i] == tensor;
  return found;
}

// Finds the border that a PAD adds to height and width of an NHWC tensor. Returns false if it pads another dimension,
// or if input and output differ in scale or zero point.
static bool find_border(const struct tvmq_copy_desc *copy, struct tvmq_pad_desc *pad) {
  enum { BATCH, HEIGHT, WIDTH, CHANNELS, RANK };
  if (copy->rank != RANK || !copy->same_quant) return false;
  const struct tvmq_copy_axis *axes = copy->axes;
  if (axes[BATCH].kind == TVMQ_COPY_PADDED || axes[CHANNELS].kind == TVMQ_COPY_PADDED) return false;
  int32_t before[RANK] = {0}, after[RANK] = {0};
  for (int d = HEIGHT; d <= WIDTH; d++) {
    if (axes[d].kind != TVMQ_COPY_PADDED) continue;
    before[d] = (int32_t)axes[d].first;
    after[d] = (int32_t)(axes[d].n - axes[d].size) - before[d];
  }
  pad->border = (struct tvmq_border){.top = before[HEIGHT], .bottom = after[HEIGHT], .left = before[WIDTH], .right = after[WIDTH], .value = copy->value};
  pad->type = copy->in_type;
  pad->zero_point = copy->zero_point;
  return true;
}

// Returns whether the PAD can be folded into all claimed nodes that read its output. Readers that are left to the
// runtime are known only after partitioning (placement.c).
static bool can_fold(const struct tvmq_subgraph *subgraph, size_t index, struct tvmq_pad_desc *pad) {
  const struct tvmq_record *record = &subgraph->records[index];
  bool any = false;
  if (record->stays || record->node.settable || !find_border(&record->desc.copy, pad)) return false;
  for (size_t i = index + 1; i < subgraph->n_records; i++) {
    const struct tvmq_record *reader = &subgraph->records[i];
    if (!tvmq_record_wanted(reader) || !reads(reader, record->node.out)) continue;
    union tvmq_desc options;
    tvmq_node_get_options(&reader->node, &options);
    if (!set_border(reader, &options, pad)) return false;
    any = true;
  }
  return any;
}

static void fold(struct tvmq_subgraph *subgraph, size_t index, const struct tvmq_pad_desc *pad) {
  struct tvmq_record *record = &subgraph->records[index];
  for (size_t i = index + 1; i < subgraph->n_records; i++) {
    struct tvmq_record *reader = &subgraph->records[i];
    if (!tvmq_record_wanted(reader) || !reads(reader, record->node.out)) continue;
    reader->node.in[0] = record->node.in[0];
    union tvmq_desc options;
    tvmq_node_get_options(&reader->node, &options);
    set_border(reader, &options, pad);
    tvmq_node_set_options(&reader->node, &options);
    tvmq_record_fold_into(record, reader->info.node);
  }
}

void tvmq_fold_pads(struct tvmq_subgraph *subgraph) {
  for (size_t i = 0; i < subgraph->n_records; i++) {
    if (tvmq_record_wanted(&subgraph->records[i])) unfold(&subgraph->records[i]);
  }
  for (size_t i = 0; i < subgraph->n_records; i++) {
    struct tvmq_record *record = &subgraph->records[i];
    if (!is_pad(record)) continue;
    struct tvmq_pad_desc pad;
    const bool folds = can_fold(subgraph, i, &pad);
    tvmq_record_unfold(record);
    if (folds != record->is_border) tvmq_record_release(record);
    record->is_border = folds;
    if (folds) fold(subgraph, i, &pad);
  }
}
