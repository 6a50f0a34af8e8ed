#include "graph/record.h"

#include <stdio.h>
#include <string.h>

#include "graph/signature.h"
#include "records/records.h"
#include "tflite/node_kind.h"

static void release_alone(struct tvmq_record *record) {
  if (record->alone != NULL) tvmq_op_release(record->implementation, record->alone);
  record->alone = NULL;
}

void tvmq_record_release(struct tvmq_record *record) {
  release_alone(record);
  if (record->op != NULL) tvmq_op_release(record->implementation, record->op);
  record->op = NULL;
  record->planned = false;
}

const struct tvmq_operator *tvmq_record_operator(const struct tvmq_record *record) {
  if (!record->map.applied) return record->node.kind->op_def;
  return record->map.floats ? &tvmq_operator_unary : &tvmq_operator_byte_map;
}

// Sets the implementation that computes `desc`. Releases the operator if the implementation changes.
static void set_implementation(struct tvmq_record *record, const union tvmq_desc *desc, const struct tvmq_env *env) {
  const struct tvmq_implementation *own = tvmq_implementation_of(tvmq_record_operator(record)), *by = tvmq_op_computed_by(own, desc, env);
  if (by != record->implementation) tvmq_record_release(record);
  record->implementation = by;
}

static void hide_plan(struct tvmq_record *record) {
  record->shown = 0;
  record->info.kernel = record->info.algorithm = record->info.packing = "";
  record->info.macs = record->info.packed_bytes = record->info.scratch_bytes = 0;
  record->info.folded_into = -1;
  record->info.cycles = 0;
}

void tvmq_record_refuse(struct tvmq_record *record, const char *reason) {
  tvmq_record_release(record);
  tvmq_node_forget(&record->node);
  record->info.reason = reason;
  record->info.refusal = "";
  hide_plan(record);
}

static const char undone[] = "the delegation failed";

void tvmq_record_undo(struct tvmq_record *record) {
  record->info.claimed = record->info.forced = record->info.tuned = 0;
  record->info.partition = -1;
  tvmq_record_refuse(record, undone);
}

bool tvmq_record_is_refused(const struct tvmq_record *record) { return !tvmq_record_wanted(record) && record->info.reason != undone; }

int tvmq_record_reads(const struct tvmq_record *record, const int **tensors) {
  *tensors = record->map.applied ? &record->map.root : record->node.in;
  return record->map.applied ? 1 : record->node.n_in;
}

size_t tvmq_record_read_bytes(const struct tvmq_record *record, int input) {
  return record->map.applied ? record->shapes.out.bytes : record->shapes.in[input].bytes;
}

// Appends a node to the `length` characters of the list, or "..." once if the node does not fit. Returns the new
// length.
static size_t append_node(char list[TVMQ_FOLDED_SIZE], size_t length, int node) {
  static const char more[] = ", ...";
  char entry[32];
  const size_t n = (size_t)snprintf(entry, sizeof entry, length == 0 ? "folded into node %d" : ", %d", node), room = TVMQ_FOLDED_SIZE - length;
  if (room < sizeof more) return length;  // the list already ends with "..."
  const bool fits = n + sizeof more <= room;
  memcpy(list + length, fits ? entry : more, fits ? n + 1 : sizeof more);
  return fits ? length + n : TVMQ_FOLDED_SIZE;
}

void tvmq_record_unfold(struct tvmq_record *record) {
  record->folded[0] = '\0';
  record->folded_into = -1;
}

void tvmq_record_fold_into(struct tvmq_record *record, int node) {
  if (record->folded_into < 0) record->folded_into = node;
  append_node(record->folded, strlen(record->folded), node);
}

void tvmq_record_show_folded(struct tvmq_record *record) {
  record->shown = 0;
  record->info.kernel = record->info.packing = "";
  record->info.algorithm = record->folded;
  record->info.folded_into = record->folded_into;
}

void tvmq_record_show_idle(struct tvmq_record *record, const char *why) {
  record->shown = 0;
  record->info.algorithm = why;
  record->info.cycles = 0;
}

void tvmq_record_show_plan(struct tvmq_record *record) {
  if (record->is_border) {
    tvmq_record_show_folded(record);
    return;
  }
  if (record->shown > 0 && record->shown == record->plans) return;
  record->shown = record->plans;
  struct tvmq_op_info info = {0};
  record->implementation->info(record->op, &info);
  memcpy(record->packing, info.packing, sizeof record->packing);
  record->packs = info.packs;
  record->info.folded_into = -1;
  record->info.kernel = info.kernel;
  record->info.algorithm = info.algorithm;
  record->info.packing = record->packing;
  record->info.macs = info.macs;
  record->info.packed_bytes = info.packed_bytes;
  record->info.scratch_bytes = info.scratch_bytes;
  const float cycles = info.cycles > 0 ? info.cycles : info.choice.cycles;
  record->info.cycles = (double)(cycles > 0 ? cycles + record->begin_cycles : 0);
}

void tvmq_record_show_offloaded(struct tvmq_record *record, const char *by) {
  record->shown = 0;
  record->info.kernel = record->info.packing = record->info.refusal = "";
  record->info.algorithm = by;
  record->info.packed_bytes = record->info.scratch_bytes = 0;
  record->info.cycles = 0;
}

static bool is_empty(const struct tvmq_record *record) {
  size_t bytes = 0;
  for (int i = 0; i < record->node.n_out; i++) bytes |= record->shapes.outs[i].bytes;
  return bytes == 0;
}

enum tvmq_turning tvmq_record_turning(const struct tvmq_record *record) {
  union tvmq_desc desc = record->desc;
  const struct tvmq_operator *op_def = tvmq_record_operator(record);
  return op_def->turn != NULL ? op_def->turn(&desc, false, false) : TVMQ_TURNS_NONE;
}

void tvmq_record_turn(const struct tvmq_record *record, union tvmq_desc *desc) {
  if (record->turns.in || record->turns.out) tvmq_record_operator(record)->turn(desc, record->turns.in, record->turns.out);
}

// Returns whether a plan for one thread may be faster on one thread: the operator is divided into tasks, is not large,
// and both plans may share packed weights. With a limit of memory there is none: packed weights of another form would
// exceed it.
static bool has_alone(const struct tvmq_record *record, const struct tvmq_env *env) {
  if (!env->wary || tvmq_threads_count(env->threads) < 2 || env->content == NULL || env->weights != NULL) return false;
  struct tvmq_op_info info = {0};
  record->implementation->info(record->op, &info);
  return record->implementation->n_tasks(record->op, 0) > 1 && (info.cycles > 0 ? info.cycles : info.choice.cycles) < TVMQ_SHARED_CYCLES;
}

static void plan_alone(struct tvmq_record *record, const union tvmq_desc *desc, const struct tvmq_env *env) {
  release_alone(record);
  if (!has_alone(record, env)) return;
  struct tvmq_env own = *env;
  own.threads = NULL;
  own.new_weights = NULL;  // the other plan's are kept
  if (tvmq_op_plan(record->implementation, &record->alone, desc, &own) != NULL) release_alone(record);
}

static const char *plan_once(struct tvmq_record *record, const union tvmq_desc *desc, const struct tvmq_env *env) {
  set_implementation(record, desc, env);
  const char *reason = tvmq_op_plan(record->implementation, &record->op, desc, env);
  if (reason == NULL) record->plans++;
  if (reason == NULL) plan_alone(record, desc, env);
  return reason;
}

// Returns the constraint on the operator's choice: the forced choice, or the choice of a tuning record. If no record
// matches the turned description, looks for a record of the description that the model has. Returns NULL if there is no
// constraint.
static const struct tvmq_choice *constraint_on(const struct tvmq_record *record, union tvmq_desc *turned, const struct tvmq_env *env) {
  char task[TVMQ_TASK_SIZE];
  if (record->map.applied) return NULL;
  if (record->is_forced) return &record->constraint;
  if (env->tuned == NULL || env->tuned->n == 0) return NULL;
  tvmq_sign(record->info.op, record->node.kind->op_def, turned, env, task);
  const struct tvmq_choice *found = tvmq_tuning_records_find(env->tuned, task);
  if (found != NULL || (!record->turns.in && !record->turns.out)) return found;
  tvmq_record_turn(record, turned);  // undo the turn
  tvmq_sign(record->info.op, record->node.kind->op_def, turned, env, task);
  tvmq_record_turn(record, turned);
  return tvmq_tuning_records_find(env->tuned, task);
}

// Returns whether a node with this description may be left to the runtime. A node on whose results shapes depend may
// not, because it is computed before anything runs.
static bool is_leavable(const struct tvmq_record *record, const union tvmq_desc *desc) {
  const struct tvmq_operator *op_def = record->node.kind->op_def;
  return op_def->leavable != NULL && op_def->leavable(desc) && !tvmq_values_known(record->node.values, record->node.out);
}

bool tvmq_record_left(const struct tvmq_record *record, const struct tvmq_env *env) {
  if (!record->planned || record->op == NULL || !is_leavable(record, &record->desc)) return false;
  union tvmq_desc turned = record->desc;
  tvmq_record_turn(record, &turned);
  const struct tvmq_choice *constraint = constraint_on(record, &turned, env);
  return constraint != NULL && constraint->algorithm == TVMQ_ALGORITHM_RUNTIME;
}

// Plans the operator with the constraint. Returns NULL, or why the constraint is refused.
static const char *plan_constrained(struct tvmq_record *record, const union tvmq_desc *desc, const struct tvmq_env *env) {
  if (env->constraint->algorithm != TVMQ_ALGORITHM_RUNTIME) return plan_once(record, desc, env);
  return is_leavable(record, desc) ? "a node can be left to the runtime only when the delegate is applied"
                                   : "this node cannot be left to the runtime, whose kernel may not be exact";
}

static void describe_map(const struct tvmq_record *record, union tvmq_desc *desc) {
  const size_t bytes = record->shapes.out.bytes;
  if (record->map.floats)
    *desc = (union tvmq_desc){.unary = {.function = TVMQ_FUNCTION_SILU, .in_type = TVMQ_TYPE_F32, .out_type = TVMQ_TYPE_F32, .n = bytes / sizeof(float)}};
  else
    *desc = (union tvmq_desc){.byte_map = {.n = bytes, .table = record->map.table}};
}

union tvmq_desc tvmq_record_planned(const struct tvmq_record *record) {
  union tvmq_desc desc = record->desc;
  if (record->map.applied) describe_map(record, &desc);
  tvmq_record_turn(record, &desc);
  return desc;
}

// Plans the operator with its constraint, or without it if the constraint is not legal. Changes *desc to the
// description that is planned. content: key of the constants; NULL: unknown.
static const char *plan_operator(struct tvmq_record *record, union tvmq_desc *desc, const struct tvmq_env *env, const struct tvmq_key *content) {
  if (record->map.applied) describe_map(record, desc);
  tvmq_record_turn(record, desc);
  struct tvmq_env own = *env;
  own.content = content;
  own.narrow = record->narrow;
  struct tvmq_env constrained = own;
  constrained.constraint = constraint_on(record, desc, env);
  const char *refusal = constrained.constraint != NULL ? plan_constrained(record, desc, &constrained) : NULL;
  const bool granted = constrained.constraint != NULL && refusal == NULL;
  record->info.forced = granted && record->is_forced;
  record->info.tuned = granted && !record->is_forced;
  record->info.refusal = refusal != NULL ? refusal : "";
  return granted ? NULL : plan_once(record, desc, &own);
}

const char *tvmq_record_replan(struct tvmq_record *record, const struct tvmq_env *env) {
  union tvmq_desc desc = record->desc;
  record->begin_cycles = env->machine->node_cycles;
  const char *reason = plan_operator(record, &desc, env, NULL);  // constants may differ from those of the key
  if (reason != NULL) hide_plan(record);
  record->planned = reason == NULL;
  if (record->planned) tvmq_record_show_plan(record);
  return reason;
}

const char *tvmq_record_plan(struct tvmq_record *record, const TfLiteContext *context, const struct tvmq_known_shapes *known, const struct tvmq_env *env) {
  union tvmq_desc desc;
  const char *reason = tvmq_node_describe(context, &record->node, known, &desc, &record->shapes);
  const uint64_t constants = tvmq_node_constants(context, &record->node, env->hasher, &record->content);
  const bool changed = record->planned && constants != record->constants;
  const bool same = reason == NULL && !changed && memcmp(&desc, &record->desc, sizeof desc) == 0;  // as claimed
  const bool empty = reason == NULL && is_empty(record);
  if (same || empty) tvmq_node_evaluate(context, &record->node, &desc, &record->shapes);
  if (empty || (record->planned && same)) return NULL;

  if (changed && (record->is_border || record->map.known)) return "constants that are folded into other nodes have changed";
  if (changed) tvmq_record_release(record);
  record->planned = false;
  record->begin_cycles = env->machine->node_cycles;
  if (reason == NULL && !same) reason = record->node.kind->op_def->claim(&desc);
  if (reason == NULL && !same) tvmq_node_evaluate(context, &record->node, &desc, &record->shapes);
  if (reason == NULL) record->desc = desc;
  if (reason == NULL && !record->is_border) reason = plan_operator(record, &desc, env, &record->content);
  if (reason != NULL) {
    hide_plan(record);
    return reason;
  }
  record->planned = true;
  record->constants = constants;
  record->n_candidates = 0;
  tvmq_record_show_plan(record);
  return NULL;
}
