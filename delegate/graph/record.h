// The delegate's record of a node: its fate, and what a claimed node needs to run.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/ops/op.h"
#include "cpu/threads/profile.h"
#include "tflite/node.h"
#include "tvmq_delegate.h"

enum { TVMQ_FOLDED_SIZE = 64 };

// A node each of whose output bytes depends on one byte of a tensor (fold_bytes.h).
struct tvmq_bytes {
  bool known;    // the table holds what each byte of tensor `root` becomes
  bool applied;  // the node reads the root and applies the table, instead of what its own operator does
  int root;
  uint8_t table[TVMQ_N_BYTES];
};

// Which tensors of a node are turned (turn_bytes.h).
struct tvmq_turns {
  bool in, out;
};

struct tvmq_record {
  struct tvmq_node_info info;                   // as the public header shows it; info.reason is "" as long as the node is to be claimed
  char op_name[64], packing[TVMQ_LAYOUT_NAME];  // what info's strings may point at
  struct tvmq_profile_slot profile;
  struct tvmq_profile_info profile_info;
  unsigned long long plans, packs;  // how often each was done
  unsigned long long shown;         // the number of plans when info was told of the last one; 0: something else was shown since

  // Only for nodes to be claimed
  struct tvmq_node node;
  const struct tvmq_implementation *implementation;  // of the operator, chosen whenever it is planned
  struct tvmq_op *op;
  bool planned;
  float begin_cycles;    // that the machine takes for any operator, besides what the operator estimates
  union tvmq_desc desc;  // that the operator is planned for
  uint64_t constants;    // likewise: tvmq_node_constants()
  struct tvmq_key content;
  struct tvmq_shapes shapes;

  struct tvmq_bytes bytes;
  struct tvmq_turns turns;

  // The forced choice, and the choices there are
  bool is_forced;
  struct tvmq_choice wish;
  struct tvmq_choice *candidates;  // as listed last, for the description
  size_t n_candidates;
  char *signature;                       // as asked for last
  struct tvmq_candidate_info candidate;  // that was asked for last

  // Only for a PAD
  bool stays;      // it must be computed: its output is read outside of the partition
  bool is_border;  // it is folded into what reads it

  // Only for a node that is folded: the first of the nodes that it is folded into, and as many of them in words as there is room for
  int folded_into;
  char folded[TVMQ_FOLDED_SIZE];
};

static inline bool tvmq_record_wanted(const struct tvmq_record *record) { return record->info.reason[0] == '\0'; }

// Describes the node as its tensors are now, and plans its operator unless it is planned for just that or there is nothing to compute. NULL, or why not. What
// has been packed of constants that have changed since is packed anew.
const char *tvmq_record_plan(struct tvmq_record *record, const TfLiteContext *context, const struct tvmq_known_shapes *known, const struct tvmq_env *env);
bool tvmq_record_left(const struct tvmq_record *record, const struct tvmq_env *env);  // it is planned, but a record of tuning leaves it to the runtime

// The tensors that the planned operator reads, and how large each is.
int tvmq_record_reads(const struct tvmq_record *record, const int **tensors);
size_t tvmq_record_read_bytes(const struct tvmq_record *record, int input);

// The operator that the node is planned as: its own, or that of a function of a byte.
const struct tvmq_operator *tvmq_record_operator(const struct tvmq_record *record);

// Which of the record's tensors may be turned. And has a description of its operator turn those that are.
enum tvmq_turning tvmq_record_turning(const struct tvmq_record *record);
void tvmq_record_turn(const struct tvmq_record *record, union tvmq_desc *desc);

// Which nodes it is folded into, if it is; and the report says so.
void tvmq_record_unfold(struct tvmq_record *record);
void tvmq_record_fold_into(struct tvmq_record *record, int node);
void tvmq_record_show_folded(struct tvmq_record *record);
void tvmq_record_show_idle(struct tvmq_record *record, const char *why);  // that nothing runs for it
void tvmq_record_show_plan(struct tvmq_record *record);                   // what the report says of it otherwise

// Plans the operator, which is planned, again for the same tensors: for another wish. NULL, or why not.
const char *tvmq_record_replan(struct tvmq_record *record, const struct tvmq_env *env);

void tvmq_record_release(struct tvmq_record *record);                     // the operator; what the record says of it stays
void tvmq_record_refuse(struct tvmq_record *record, const char *reason);  // and releases the operator
void tvmq_record_undo(struct tvmq_record *record);                        // likewise, as its delegation has failed
