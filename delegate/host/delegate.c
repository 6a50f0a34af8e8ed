#include "host/delegate.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "cpu/cpu.h"
#include "host/partition.h"
#include "host/placement.h"
#include "tflite/abi_check.h"

static TfLiteStatus prepare(TfLiteContext *context, TfLiteDelegate *base);

// ---- life

static uint32_t cpu_of(const struct tvmq_options *options) {
  const uint32_t features = options->isa > 0 ? tvmq_isas[options->isa - 1].cpu : tvmq_cpu_detect();
  struct tvmq_affinity affinity;
  tvmq_affinity_enter(&affinity, &options->cpu_affinity);  // the cores that count are those it will run on
  const bool in_order = options->tune == TVMQ_TUNE_AUTO ? tvmq_cpu_in_order() : options->tune == TVMQ_TUNE_IN_ORDER;
  tvmq_affinity_leave(&affinity);
  return in_order ? features | TVMQ_CPU_IN_ORDER : features;
}

struct tvmq_delegate *tvmq_delegate_create(const struct tvmq_options *options) {
  struct tvmq_delegate *delegate = tvmq_alloc(sizeof *delegate);
  if (delegate == NULL) return NULL;
  delegate->base = (TfLiteDelegate){
      .data_ = delegate,
      .Prepare = prepare,
      // Shapes may change after delegation, and other delegates may follow; the kernels work out all shapes themselves whenever they are prepared.
      .flags = kTfLiteDelegateFlagsAllowDynamicTensors,
  };
  delegate->options = *options;
  delegate->transformed.limit = (size_t)options->winograd_megabytes << 20;
  delegate->env = (struct tvmq_env){
      .cpu = cpu_of(options),
      .rounding = (enum tvmq_rounding)options->rounding,
      .winograd = (enum tvmq_winograd_use)options->winograd,
      .transformed = &delegate->transformed,
      .scratch = &delegate->scratch,
  };
  tvmq_option_name("isa", options->isa, delegate->isa, sizeof delegate->isa);
  tvmq_option_name("rounding", options->rounding, delegate->rounding, sizeof delegate->rounding);
  return delegate;
}

static void drop_subgraph(struct tvmq_subgraph **link) {
  struct tvmq_subgraph *subgraph = *link;
  while (subgraph->partitions != NULL) tvmq_partition_destroy(subgraph->partitions);
  *link = subgraph->next;
  tvmq_subgraph_free(subgraph);
}

static void stop_threads(struct tvmq_delegate *delegate) {
  tvmq_threads_destroy(delegate->env.threads);
  tvmq_free(delegate->trace);
  delegate->env.threads = NULL;
  delegate->trace = NULL;
  delegate->has_threads = false;
}

static void release(struct tvmq_delegate *delegate) {
  while (delegate->subgraphs != NULL) drop_subgraph(&delegate->subgraphs);
  stop_threads(delegate);
  tvmq_scratch_free(&delegate->scratch);
  tvmq_free(delegate);
}

void tvmq_delegate_destroy(struct tvmq_delegate *delegate) {
  delegate->destroyed = true;
  if (delegate->n_live == 0) release(delegate);
}

void tvmq_delegate_leave(struct tvmq_delegate *delegate) {
  delegate->n_live--;
  if (delegate->n_live == 0) delegate->owner = NULL;  // it may be gone, and the next one at its address
  if (delegate->destroyed && delegate->n_live == 0) release(delegate);
}

struct tvmq_delegate *tvmq_delegate_of(const void *base) {
  const TfLiteDelegate *delegate = base;
  return delegate != NULL && delegate->Prepare == prepare ? delegate->data_ : NULL;
}

TfLiteStatus tvmq_delegate_fail(struct tvmq_delegate *delegate, TfLiteContext *context, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(delegate->error, sizeof delegate->error, format, args);
  va_end(args);
  context->ReportError(context, "tvmq-delegate: %s\n", delegate->error);  // the runtime's next message follows without a break
  return kTfLiteError;
}

// ---- applying it

// The interpreter's own context for its CPU kernels is made with it and shared by its subgraphs, so its address tells interpreters apart while they live.
static const void *owner_of(TfLiteContext *context) { return context->GetExternalContext(context, kTfLiteCpuBackendContext); }

// The place of the subgraph's old records in the list, or the list's end.
static struct tvmq_subgraph **find_subgraph(struct tvmq_delegate *delegate, const TfLiteContext *context, int *index) {
  struct tvmq_subgraph **link = &delegate->subgraphs;
  for (*index = 0; *link != NULL && (*link)->context != context; ++*index) link = &(*link)->next;
  return link;
}

static void start_threads(struct tvmq_delegate *delegate, const TfLiteContext *context) {
  struct tvmq_affinity affinity;
  tvmq_affinity_enter(&affinity, &delegate->options.cpu_affinity);  // threads start, and are counted, where they are to run
  const int wanted = delegate->options.num_threads > 0 ? delegate->options.num_threads : context->recommended_num_threads;
  const int most = tvmq_cpu_count();
  const int n = wanted < most ? wanted : most;
  if (wanted > most) tvmq_log(delegate->options.log_severity, TVMQ_LOG_INFO, "%d threads instead of %d: the process may use no more processors", most, wanted);
  if (n > 1) delegate->env.threads = tvmq_threads_create(n);
  tvmq_affinity_leave(&affinity);
  if (n > 1 && delegate->env.threads == NULL)
    tvmq_log(delegate->options.log_severity, TVMQ_LOG_WARNING, "no threads can be started: runs on the caller's alone");
}

static void start_trace(struct tvmq_delegate *delegate) {
  if (!delegate->options.profile) return;
  delegate->trace = tvmq_trace_create(tvmq_threads_count(delegate->env.threads));
  if (delegate->trace == NULL) tvmq_log(delegate->options.log_severity, TVMQ_LOG_WARNING, "no memory for a trace");
  if (delegate->env.threads != NULL) tvmq_threads_trace(delegate->env.threads, delegate->trace);
}

// The first node that is wanted, or that is not.
static const struct tvmq_record *first_record(const struct tvmq_subgraph *subgraph, bool wanted) {
  for (size_t i = 0; i < subgraph->n_records; i++) {
    if (tvmq_record_wanted(&subgraph->records[i]) == wanted) return &subgraph->records[i];
  }
  return NULL;
}

static bool same_refusal(const struct tvmq_record *a, const struct tvmq_record *b) {
  return strcmp(a->info.op, b->info.op) == 0 && strcmp(a->info.reason, b->info.reason) == 0;
}

// The sentence that TFLite's own tools print, then each reason once.
static void log_outcome(const struct tvmq_delegate *delegate, const struct tvmq_subgraph *subgraph) {
  const int threshold = delegate->options.log_severity;
  size_t claimed = 0;
  for (size_t i = 0; i < subgraph->n_records; i++) claimed += (size_t)subgraph->records[i].info.claimed;
  const char *extent = claimed == 0 ? "not be" : claimed < subgraph->n_records ? "be partially" : "be completely";
  tvmq_log(threshold, TVMQ_LOG_INFO, "subgraph %d: %zu of %zu nodes claimed; the model graph will %s executed by the delegate w/ %d delegate kernels",
           subgraph->index, claimed, subgraph->n_records, extent, subgraph->n_partitions);
  for (size_t i = 0; i < subgraph->n_records; i++) {
    const struct tvmq_record *record = &subgraph->records[i];
    bool first = !tvmq_record_wanted(record);
    for (size_t j = 0; j < i && first; j++) first = !same_refusal(&subgraph->records[j], record);
    if (!first) continue;
    size_t n = 0;
    for (size_t j = i; j < subgraph->n_records; j++) n += same_refusal(&subgraph->records[j], record);
    tvmq_log(threshold, TVMQ_LOG_INFO, "left to the runtime: %zu %s, first node %d: %s", n, record->info.op, record->info.node, record->info.reason);
  }
}

static TfLiteStatus claim_and_replace(struct tvmq_delegate *delegate, TfLiteContext *context, struct tvmq_subgraph *subgraph, TfLiteIntArray *nodes) {
  if (!delegate->has_threads && first_record(subgraph, true) != NULL) {
    delegate->has_threads = true;
    start_threads(delegate, context);
    start_trace(delegate);
  }
  tvmq_place(delegate, context, subgraph, nodes);
  const struct tvmq_record *refused = delegate->options.require_full_delegation ? first_record(subgraph, false) : NULL;
  if (refused != NULL) {
    return tvmq_delegate_fail(delegate, context, "require_full_delegation: node %d (%s) of subgraph %d would be left to the runtime: %s", refused->info.node,
                              refused->info.op, subgraph->index, refused->info.reason);
  }
  if (nodes->size > 0) {
    const TfLiteStatus status = context->ReplaceNodeSubsetsWithDelegateKernels(context, tvmq_partition_registration(), nodes, &delegate->base);
    if (status != kTfLiteOk) return status;
  }
  log_outcome(delegate, subgraph);
  return kTfLiteOk;
}

// Says so on stderr alone: the runtime's own way to report may be what is wrong.
static TfLiteStatus leave_all(struct tvmq_delegate *delegate, const char *why) {
  snprintf(delegate->error, sizeof delegate->error, "%s; nothing is delegated", why);
  tvmq_log(delegate->options.log_severity, TVMQ_LOG_WARNING, "%s", delegate->error);
  return delegate->options.require_full_delegation ? kTfLiteError : kTfLiteOk;
}

// Called once for each subgraph, and again when the interpreter had to undo delegation. A model that the delegate can do nothing for is no error.
static TfLiteStatus prepare(TfLiteContext *context, TfLiteDelegate *base) {
  struct tvmq_delegate *delegate = base->data_;
  const char *implausible = tvmq_abi_check(context);
  if (implausible != NULL) return leave_all(delegate, implausible);

  const void *owner = owner_of(context);
  if (owner != delegate->owner) {
    if (delegate->n_live > 0) return tvmq_delegate_fail(delegate, context, "the delegate already serves another interpreter; load one for each");
    while (delegate->subgraphs != NULL) drop_subgraph(&delegate->subgraphs);
    stop_threads(delegate);  // the next interpreter may want another number
    delegate->owner = owner;
  }
  int index;
  struct tvmq_subgraph **link = find_subgraph(delegate, context, &index);
  if (*link != NULL) {
    for (const struct tvmq_partition *p = (*link)->partitions; p != NULL; p = p->next) {
      if (p->live) return kTfLiteOk;  // applied twice: all that can be claimed is
    }
    drop_subgraph(link);
  }

  struct tvmq_subgraph *subgraph = tvmq_subgraph_create(context, index, (enum tvmq_scaling)delegate->options.fully_connected);
  TfLiteIntArray *nodes = subgraph != NULL ? tvmq_alloc(sizeof *nodes + subgraph->n_records * sizeof nodes->data[0]) : NULL;
  if (nodes == NULL) {
    if (subgraph != NULL) tvmq_subgraph_free(subgraph);
    return delegate->options.require_full_delegation ? tvmq_delegate_fail(delegate, context, "out of memory") : leave_all(delegate, "out of memory");
  }
  subgraph->next = *link;
  *link = subgraph;
  const TfLiteStatus status = claim_and_replace(delegate, context, subgraph, nodes);
  tvmq_free(nodes);
  return status;
}
