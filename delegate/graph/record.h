// Record of a node: whether the delegate claims it, and everything that a claimed node needs to run.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/ops/op.h"
#include "cpu/threads/profile.h"
#include "tflite/node.h"
#include "tvmq_delegate.h"

enum { TVMQ_FOLDED_SIZE = 64 };

// Each output element of the node depends on one element of a tensor (fold_maps.h).
struct tvmq_map {
  bool known;    // the output is a known function of tensor `root`
  bool applied;  // the node reads the root and applies the function, instead of computing its own operator
  bool floats;   // the function is x LOGISTIC(x) of float32, or a part of it; else it is one of bytes
  int root;
  uint8_t table[TVMQ_N_BYTES];  // of a function of bytes: the output for each byte
};

// Which tensors of a node are turned (turn_bytes.h).
struct tvmq_turns {
  bool in, out;
};

struct tvmq_record {
  struct tvmq_node_info info;                   // as in the public header; info.reason is "" while the node is claimed
  char op_name[64], packing[TVMQ_LAYOUT_NAME];  // memory for strings of `info`
  struct tvmq_profile_slot profile;
  struct tvmq_profile_info profile_info;
  unsigned long long plans, packs;  // number of times the node was planned and packed
  unsigned long long shown;         // value of `plans` when `info` last showed the plan; 0: `info` shows something else

  // Only for claimed nodes
  struct tvmq_node node;
  const struct tvmq_implementation *implementation;  // chosen at each plan
  struct tvmq_op *op;
  struct tvmq_op *alone;  // the same operator planned for one thread, with the same weights, where trials may prefer that; NULL: `op` serves
  bool planned;
  float begin_cycles;    // fixed cycles per operator on the machine, in addition to the estimate
  union tvmq_desc desc;  // description for which the operator is planned
  uint64_t constants;    // tvmq_node_constants() at that plan
  struct tvmq_key content;
  struct tvmq_shapes shapes;

  struct tvmq_map map;
  struct tvmq_turns turns;

  bool narrow;  // weights are packed in bytes if possible, because of memory_megabytes

  // Forced choice, and candidates
  bool is_forced;
  struct tvmq_choice constraint;
  struct tvmq_choice *candidates;  // last list, for `desc`
  size_t n_candidates;
  char *signature;                       // last result of a query
  struct tvmq_candidate_info candidate;  // last result of a query

  // Only for a PAD
  bool stays;      // must be computed, because its output is read outside the partition
  bool is_border;  // folded into the nodes that read it

  // Only for a folded node: the first node that it is folded into, and a text that lists as many of these nodes as fit
  int folded_into;
  char folded[TVMQ_FOLDED_SIZE];
};

static inline bool tvmq_record_wanted(const struct tvmq_record *record) { return record->info.reason[0] == '\0'; }

// Returns whether the node itself was refused, and not only given back because the delegation failed.
bool tvmq_record_is_refused(const struct tvmq_record *record);

// Describes the node with its current tensors, and plans its operator. Does nothing more if that description is already
// planned, or if there is nothing to compute. Packs constants again if they have changed. Returns NULL, or why planning
// failed.
const char *tvmq_record_plan(struct tvmq_record *record, const TfLiteContext *context, const struct tvmq_known_shapes *known, const struct tvmq_env *env);

// Returns whether the node is planned, but a tuning record leaves it to the runtime.
bool tvmq_record_left(const struct tvmq_record *record, const struct tvmq_env *env);

// Return the number of tensors that the planned operator reads, with their indices, and the bytes of each.
int tvmq_record_reads(const struct tvmq_record *record, const int **tensors);
size_t tvmq_record_read_bytes(const struct tvmq_record *record, int input);

// Returns the operator that the node is planned as: its own, or that of its map.
const struct tvmq_operator *tvmq_record_operator(const struct tvmq_record *record);

// Returns the description that the operator is planned for: that of its map, with its tensors turned.
union tvmq_desc tvmq_record_planned(const struct tvmq_record *record);

// Return which of the record's tensors may be turned, and turn a description for the tensors that are turned.
enum tvmq_turning tvmq_record_turning(const struct tvmq_record *record);
void tvmq_record_turn(const struct tvmq_record *record, union tvmq_desc *desc);

// Clear the list of nodes that this node is folded into, add a node to the list, and show the list in the report.
void tvmq_record_unfold(struct tvmq_record *record);
void tvmq_record_fold_into(struct tvmq_record *record, int node);
void tvmq_record_show_folded(struct tvmq_record *record);
void tvmq_record_show_idle(struct tvmq_record *record, const char *why);      // shows that nothing runs for the node
void tvmq_record_show_plan(struct tvmq_record *record);                       // shows the plan
void tvmq_record_show_offloaded(struct tvmq_record *record, const char *by);  // shows what computes the node instead of the plan

// Plans an already planned operator again for the same tensors, with another constraint. Returns NULL, or why it
// failed.
const char *tvmq_record_replan(struct tvmq_record *record, const struct tvmq_env *env);

void tvmq_record_release(struct tvmq_record *record);                     // releases the operator; the report stays
void tvmq_record_refuse(struct tvmq_record *record, const char *reason);  // also releases the operator
void tvmq_record_undo(struct tvmq_record *record);                        // same, because delegation failed
