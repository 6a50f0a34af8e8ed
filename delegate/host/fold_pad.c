#include "host/fold_pad.h"

#include <stdio.h>
#include <string.h>

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
  for (int i = 0; i < record->node.n_in; i++) found |= record->node.inputs[i] == tensor;
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

// Appends a node to the `length` characters of the list, or "..." once where it does not fit. Returns the new length.
static size_t list_reader(char list[TVMQ_FOLDED_SIZE], size_t length, int node) {
  static const char more[] = ", ...";
  char entry[32];
  const size_t n = (size_t)snprintf(entry, sizeof entry, length == 0 ? "folded into node %d" : ", %d", node), room = TVMQ_FOLDED_SIZE - length;
  if (room < sizeof more) return length;  // it has ended
  const bool fits = n + sizeof more <= room;
  memcpy(list + length, fits ? entry : more, fits ? n + 1 : sizeof more);
  return fits ? length + n : TVMQ_FOLDED_SIZE;
}

static void fold(struct tvmq_subgraph *subgraph, size_t index) {
  struct tvmq_record *record = &subgraph->records[index];
  const struct tvmq_pad_desc *pad = &record->desc.pad;
  size_t length = 0;
  for (size_t i = index + 1; i < subgraph->n_records; i++) {
    struct tvmq_record *reader = &subgraph->records[i];
    if (!tvmq_record_wanted(reader) || !reads(reader, record->node.out)) continue;
    reader->node.in[0] = record->node.in[0];
    set_border(reader, &reader->node.options, pad);
    if (length == 0) record->folded_into = reader->info.node;
    length = list_reader(record->folded, length, reader->info.node);
  }
}

void tvmq_fold_pads(struct tvmq_subgraph *subgraph) {
  for (size_t i = 0; i < subgraph->n_records; i++) {
    if (tvmq_record_wanted(&subgraph->records[i])) unfold(&subgraph->records[i]);
  }
  for (size_t i = 0; i < subgraph->n_records; i++) {
    if (!tvmq_is_pad(&subgraph->records[i])) continue;
    const char *reason = check(subgraph, i);
    if (reason == NULL) {
      fold(subgraph, i);
    } else {
      tvmq_record_refuse(&subgraph->records[i], reason);
    }
  }
}
