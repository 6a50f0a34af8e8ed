#include "host/apply.h"

#include <stdio.h>
#include <string.h>

#include "base/fp_mode.h"
#include "base/memory.h"
#include "base/slab.h"
#include "graph/partition.h"
#include "host/placement.h"
#include "host/reference.h"
#include "host/registration.h"
#include "tflite/abi_check.h"
#include "tflite/variables.h"

struct tvmq_delegate *tvmq_delegate_of(const void *base) {
  const TfLiteDelegate *delegate = base;
  return delegate != NULL && delegate->Prepare == tvmq_apply ? delegate->data_ : NULL;
}

// Returns the interpreter's context for its CPU kernels as the interpreter's identity. It lives as long as the
// interpreter, and all subgraphs share it.
static const void *owner_of(TfLiteContext *context) { return context->GetExternalContext(context, kTfLiteCpuBackendContext); }

// Returns the link to the subgraph's previous records, or to the end of the list, and sets *index to its position.
static struct tvmq_subgraph **find_subgraph(struct tvmq_delegate *delegate, const TfLiteContext *context, int *index) {
  struct tvmq_subgraph **link = &delegate->subgraphs;
  for (*index = 0; *link != NULL && (*link)->context != context; ++*index) link = &(*link)->next;
  return link;
}

// Returns the first node for which tvmq_record_wanted() == wanted, or NULL.
static const struct tvmq_record *first_record(const struct tvmq_subgraph *subgraph, bool wanted) {
  for (size_t i = 0; i < subgraph->n_records; i++) {
    if (tvmq_record_wanted(&subgraph->records[i]) == wanted) return &subgraph->records[i];
  }
  return NULL;
}

// Returns whether the graph belongs to a CALL_ONCE that has already initialized its variables.
static bool never_runs(const struct tvmq_delegate *delegate, const TfLiteContext *context) {
  for (const struct tvmq_subgraph *s = delegate->subgraphs; s != NULL; s = s->next) {
    if (!tvmq_variables_initialized_by(s->variables, context)) continue;
    for (size_t i = 0; i < s->n_records; i++) {
      const struct tvmq_record *record = &s->records[i];
      if (record->info.claimed && record->node.kind->state == TVMQ_STATE_FIRST_VALUES) return true;
    }
  }
  return false;
}

static bool same_refusal(const struct tvmq_record *a, const struct tvmq_record *b) {
  return strcmp(a->info.op, b->info.op) == 0 && strcmp(a->info.reason, b->info.reason) == 0;
}

// Logs the sentence that TFLite's own tools print, then how each claimed node is computed, and each refusal reason
// once.
static void log_outcome(const struct tvmq_delegate *delegate, const struct tvmq_subgraph *subgraph) {
  const int threshold = delegate->options.log_severity;
  size_t claimed = 0;
  for (size_t i = 0; i < subgraph->n_records; i++) claimed += (size_t)subgraph->records[i].info.claimed;
  const char *extent = claimed == 0 ? "not be" : claimed < subgraph->n_records ? "be partially" : "be completely";
  tvmq_log(threshold, TVMQ_LOG_INFO, "subgraph %d: %zu of %zu nodes claimed; the model graph will %s executed by the delegate w/ %d delegate kernels",
           subgraph->index, claimed, subgraph->n_records, extent, subgraph->n_partitions);
  tvmq_delegate_log_tuned(delegate, subgraph);
  for (size_t i = 0; i < subgraph->n_records; i++) {
    const struct tvmq_record *record = &subgraph->records[i];
    if (record->info.claimed) tvmq_delegate_log_plan(delegate, record);
    bool first = !tvmq_record_wanted(record);
    for (size_t j = 0; j < i && first; j++) first = !same_refusal(&subgraph->records[j], record);
    if (!first) continue;
    size_t n = 0;
    for (size_t j = i; j < subgraph->n_records; j++) n += same_refusal(&subgraph->records[j], record);
    tvmq_log(threshold, TVMQ_LOG_INFO, "left to the runtime: %zu %s, first node %d: %s", n, record->info.op, record->info.node, record->info.reason);
  }
}

static TfLiteStatus claim_and_replace(struct tvmq_delegate *delegate, TfLiteContext *context, struct tvmq_subgraph *subgraph, TfLiteIntArray *nodes) {
  const bool wholly = delegate->options.require_full_delegation;
  if (!wholly || first_record(subgraph, false) == NULL) {
    if (first_record(subgraph, true) != NULL) tvmq_delegate_start_threads(delegate, context);
    tvmq_place(delegate, context, subgraph, nodes);
  }
  const struct tvmq_record *refused = wholly ? first_record(subgraph, false) : NULL;
  if (refused != NULL) {
    return tvmq_delegate_fail(delegate, context, "require_full_delegation: node %d (%s) of subgraph %d would be left to the runtime: %s", refused->info.node,
                              refused->info.op, subgraph->index, refused->info.reason);
  }
  if (nodes->size > 0) {
    const TfLiteStatus status = context->ReplaceNodeSubsetsWithDelegateKernels(context, tvmq_registration(), nodes, &delegate->base);
    if (status != kTfLiteOk) return status;
  }
  log_outcome(delegate, subgraph);
  return kTfLiteOk;
}

// Leaves the graph to the runtime. Reports only on stderr, because the runtime's error reporting may itself be broken.
static TfLiteStatus leave_all(struct tvmq_delegate *delegate, const char *why) {
  snprintf(delegate->error, sizeof delegate->error, "%s; nothing is delegated", why);
  tvmq_log(delegate->options.log_severity, TVMQ_LOG_ERROR, "%s", delegate->error);
  return delegate->options.require_full_delegation ? kTfLiteError : kTfLiteOk;
}

// Marks the delegation as failed and releases the partitions that the interpreter does not hold. The interpreter frees
// the others itself.
static void fail_subgraph(struct tvmq_subgraph *subgraph) {
  subgraph->failed = true;
  for (struct tvmq_partition *next, *p = subgraph->partitions; p != NULL; p = next) {
    next = p->next;
    if (!p->live) tvmq_partition_destroy(p);
  }
  for (size_t i = 0; i < subgraph->n_records; i++) {
    struct tvmq_record *record = &subgraph->records[i];
    if (tvmq_record_wanted(record) && !record->info.claimed) tvmq_record_undo(record);
  }
}

static TfLiteStatus apply_to_graph(TfLiteContext *context, struct tvmq_delegate *delegate) {
  const char *implausible = tvmq_abi_check(context);
  if (implausible != NULL) return leave_all(delegate, implausible);

  const void *owner = owner_of(context);
  if (owner != delegate->owner) {
    if (delegate->n_live > 0) return tvmq_delegate_fail(delegate, context, "the delegate already serves another interpreter; load one for each interpreter");
    tvmq_delegate_reset(delegate);  // the next interpreter may want a different number of threads
    delegate->owner = owner;
  }
  int index;
  struct tvmq_subgraph **link = find_subgraph(delegate, context, &index);
  if (*link != NULL) {
    for (const struct tvmq_partition *p = (*link)->partitions; p != NULL; p = p->next) {
      if (p->live) return kTfLiteOk;  // applied twice: nothing more can be claimed
    }
    tvmq_delegate_drop(link);
  }

  const struct tvmq_reference reference = tvmq_reference_find(delegate, context);
  struct tvmq_subgraph *subgraph = tvmq_subgraph_create(context, index, !never_runs(delegate, context), &reference);
  TfLiteIntArray *nodes = subgraph != NULL ? tvmq_alloc(sizeof *nodes + subgraph->n_records * sizeof nodes->data[0]) : NULL;
  if (nodes == NULL) {
    if (subgraph != NULL) tvmq_subgraph_free(subgraph);
    return delegate->options.require_full_delegation ? tvmq_delegate_fail(delegate, context, "out of memory") : leave_all(delegate, "out of memory");
  }
  subgraph->next = *link;
  *link = subgraph;
  tvmq_weight_cache_begin(&delegate->weight_cache, &delegate->env);
  const size_t constant_bytes = tvmq_subgraph_constant_bytes(subgraph, context);
  struct tvmq_slabs slabs = {.expected = constant_bytes < SIZE_MAX / 2 ? 2 * constant_bytes : SIZE_MAX};  // int16 weights take twice the bytes
  // With a limit of memory, weights that are given up must return theirs, which blocks of a slab do not.
  delegate->env.slabs = constant_bytes >= TVMQ_SLABS_LEAST && delegate->memory_limit == 0 ? &slabs : NULL;
  const TfLiteStatus status = claim_and_replace(delegate, context, subgraph, nodes);
  delegate->env.slabs = NULL;
  tvmq_slabs_close(&slabs);
  tvmq_weight_cache_end(&delegate->weight_cache, &delegate->env, status == kTfLiteOk);
  if (status != kTfLiteOk) fail_subgraph(subgraph);
  tvmq_free(nodes);
  return status;
}

TfLiteStatus tvmq_apply(TfLiteContext *context, TfLiteDelegate *base) {
  const struct tvmq_fp_mode fp_mode = tvmq_fp_enter();
  const TfLiteStatus status = apply_to_graph(context, base->data_);
  tvmq_fp_leave(fp_mode);
  return status;
}
