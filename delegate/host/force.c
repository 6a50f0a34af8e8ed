// The public functions (tvmq_delegate.h) that list a node's candidates, return its signature and force a candidate.
#pragma GCC visibility push(default)
#include "tvmq_delegate.h"
#pragma GCC visibility pop

#include "base/fp_mode.h"
#include "base/memory.h"
#include "graph/partition.h"
#include "graph/signature.h"
#include "host/apply.h"
#include "host/delegate.h"

// Upper bound of a node's candidates: a few algorithms, times the kernels, times a few block sizes.
enum { MOST_CANDIDATES = 512 };

static bool is_planned(const struct tvmq_record *record) { return record != NULL && record->planned && record->op != NULL && !record->map.applied; }

// Lists the record's candidates. The implementation of the node's operator lists them, even if another one computes the node.
// The planned operator's own part of the budget for transformed weights counts as available, because its next plan can use it.
static void list_candidates(struct tvmq_record *record, const struct tvmq_env *env) {
  const struct tvmq_implementation *own = tvmq_implementation_of(record->node.kind->op_def);
  struct tvmq_op_info info = {0};
  record->n_candidates = 0;
  if (record->candidates == NULL) record->candidates = tvmq_alloc(MOST_CANDIDATES * sizeof *record->candidates);
  if (record->candidates == NULL || own->candidates == NULL) return;
  record->implementation->info(record->op, &info);
  struct tvmq_budget transformed = *env->transformed;
  transformed.used -= info.transformed_bytes;
  struct tvmq_env any = *env;
  any.transformed = &transformed;
  union tvmq_desc turned = record->desc;
  tvmq_record_turn(record, &turned);
  record->n_candidates = own->candidates(&turned, &any, record->candidates, MOST_CANDIDATES);
}

const struct tvmq_candidate_info *tvmq_get_candidate(const void *base, int index, int candidate) {
  const struct tvmq_delegate *delegate = tvmq_delegate_of(base);
  struct tvmq_record *record = delegate != NULL ? tvmq_delegate_record(delegate, index) : NULL;
  if (!is_planned(record) || candidate < 0) return NULL;
  if (candidate == 0 || record->n_candidates == 0) list_candidates(record, &delegate->env);
  if ((size_t)candidate >= record->n_candidates) return NULL;
  const struct tvmq_choice *choice = &record->candidates[candidate];
  struct tvmq_op_info info = {0};
  record->implementation->info(record->op, &info);
  record->candidate = (struct tvmq_candidate_info){
      .algorithm = tvmq_algorithm_name(choice->algorithm),
      .kernel = choice->variant->name,
      .flipped_copy = choice->flip == TVMQ_FLIP_COPY,
      .rows = choice->rows,
      .panels = choice->panels,
      .cycles = (double)(choice->cycles + delegate->env.machine->node_cycles),
      .runs = tvmq_same_choice(choice, &info.choice),
  };
  return &record->candidate;
}

const char *tvmq_get_signature(const void *base, int index) {
  const struct tvmq_delegate *delegate = tvmq_delegate_of(base);
  struct tvmq_record *record = delegate != NULL ? tvmq_delegate_record(delegate, index) : NULL;
  if (!is_planned(record)) return NULL;
  if (record->signature == NULL) record->signature = tvmq_alloc(TVMQ_TASK_SIZE);
  if (record->signature == NULL) return NULL;
  union tvmq_desc turned = record->desc;
  tvmq_record_turn(record, &turned);
  tvmq_sign(record->info.op, record->node.kind->op_def, &turned, &delegate->env, record->signature);
  return record->signature[0] != '\0' ? record->signature : NULL;
}

static struct tvmq_partition *partition_of(const struct tvmq_delegate *delegate, const struct tvmq_record *record) {
  for (const struct tvmq_subgraph *subgraph = delegate->subgraphs; subgraph != NULL; subgraph = subgraph->next) {
    for (struct tvmq_partition *p = subgraph->partitions; p != NULL; p = p->next) {
      for (size_t i = 0; i < p->n; i++) {
        if (p->steps[i].record == record) return p;
      }
    }
  }
  return NULL;
}

// Returns whether all nodes that will run are planned. They are not if preparation failed midway.
static bool is_whole(const struct tvmq_partition *partition) {
  for (size_t i = 0; i < partition->n; i++) {
    if (partition->steps[i].needed && !partition->steps[i].record->planned) return false;
  }
  return true;
}

int tvmq_force(const void *base, int index, int candidate) {
  struct tvmq_delegate *delegate = tvmq_delegate_of(base);
  struct tvmq_record *record = delegate != NULL ? tvmq_delegate_record(delegate, index) : NULL;
  struct tvmq_partition *partition = is_planned(record) ? partition_of(delegate, record) : NULL;
  if (partition == NULL || !is_whole(partition)) return -1;
  if (candidate >= 0 && record->n_candidates == 0) list_candidates(record, &delegate->env);
  if (candidate >= (int)record->n_candidates) return -1;
  record->is_forced = candidate >= 0;
  if (candidate >= 0) record->constraint = record->candidates[candidate];
  const struct tvmq_fp_mode fp_mode = tvmq_fp_enter();
  const bool planned = tvmq_record_replan(record, &delegate->env) == NULL && tvmq_partition_size_up(partition);
  tvmq_fp_leave(fp_mode);
  if (planned) return 0;
  partition->ready = partition->fresh = false;
  return -2;
}
