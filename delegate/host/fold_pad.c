#include "host/fold_pad.h"

#include "ops/op.h"
#include "tflite/node_kind.h"

bool tvmq_is_pad(const struct tvmq_record *record) { return tvmq_record_wanted(record) && record->node.kind->op_class == &tvmq_op_pad; }

// NULL, or why what the record describes cannot take in the PAD's border.
static const char *set_border(const struct tvmq_record *record, union tvmq_desc *options, const struct tvmq_pad_desc *pad) {
  const struct tvmq_op_class *op_class = record->node.kind->op_class;
  return op_class->set_border != NULL ? op_class->set_border(options, pad) : "its reader is neither a convolution nor a max pooling";
}

static void unfold(struct tvmq_record *reader) {
  static const struct tvmq_pad_desc nothing;
  if (set_border(reader, &reader->node.options, &nothing) == NULL) reader->node.in[0] = reader->node.inputs[0];
}

static bool reads(const struct tvmq_record *record, int tensor) {
  bool found = false;
  for (int i = 0; i < TVMQ_MAX_IN; i++) found |= record->node.inputs[i] == tensor;
  return found;
}

// NULL, or why the PAD at `index` cannot be folded. Readers among the nodes that are left to the runtime show in the partitions only (placement.c).
static const char *check(const struct tvmq_subgraph *subgraph, size_t index) {
  const struct tvmq_node *pad = &subgraph->records[index].node;
  const struct tvmq_pad_desc *desc = &subgraph->records[index].desc.pad;
  bool any = false;
  for (size_t i = index + 1; i < subgraph->n_records; i++) {
    const struct tvmq_record *record = &subgraph->records[i];
    if (!tvmq_record_wanted(record) || !reads(record, pad->out)) continue;
    union tvmq_desc options = record->node.options;
    const char *reason = set_border(record, &options, desc);
    if (reason != NULL) return reason;
    any = true;
  }
  return any ? NULL : "nothing that the delegate takes reads it";
}

static void fold(struct tvmq_subgraph *subgraph, size_t index) {
  struct tvmq_record *record = &subgraph->records[index];
  const struct tvmq_pad_desc *pad = &record->desc.pad;
  for (size_t i = index + 1; i < subgraph->n_records; i++) {
    struct tvmq_record *reader = &subgraph->records[i];
    if (!tvmq_record_wanted(reader) || !reads(reader, record->node.out)) continue;
    reader->node.in[0] = record->node.in[0];
    set_border(reader, &reader->node.options, pad);
    tvmq_record_fold_into(record, reader->info.node);
  }
}

void tvmq_fold_pads(struct tvmq_subgraph *subgraph) {
  for (size_t i = 0; i < subgraph->n_records; i++) {
    if (tvmq_record_wanted(&subgraph->records[i])) unfold(&subgraph->records[i]);
  }
  for (size_t i = 0; i < subgraph->n_records; i++) {
    if (!tvmq_is_pad(&subgraph->records[i])) continue;
    const char *reason = check(subgraph, i);
    tvmq_record_unfold(&subgraph->records[i]);
    if (reason == NULL) {
      fold(subgraph, i);
    } else {
      tvmq_record_refuse(&subgraph->records[i], reason);
    }
  }
}
