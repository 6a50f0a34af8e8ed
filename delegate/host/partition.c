#include "host/partition.h"

#include <string.h>

#include "base/clock.h"
#include "base/fp_mode.h"
#include "base/memory.h"
#include "host/delegate.h"
#include "ops/op_names.h"
#include "threads/profile.h"
#include "threads/trace.h"

bool tvmq_partition_outputs(const TfLiteDelegateParams *params, int tensor) {
  for (int i = 0; i < params->output_tensors->size; i++) {
    if (params->output_tensors->data[i] == tensor) return true;
  }
  return false;
}

// The last step before `n` that writes the tensor, into the arena; -1: none.
static int find_source(const struct tvmq_partition *partition, size_t n, int tensor) {
  for (size_t i = n; i-- > 0;) {
    if (partition->steps[i].record->node.out == tensor) return partition->steps[i].inside ? (int)i : -1;
  }
  return -1;
}

static void run_task(void *context, struct tvmq_tile task) {
  const struct tvmq_step_pass *pass = context;
  const struct tvmq_record *record = pass->step->record;
  record->op_class->run_task(record->op, &(struct tvmq_pass){pass->number, pass->step->in, pass->step->out}, task);
}

static void drop_passes(struct tvmq_partition *partition) {
  tvmq_sequence_destroy(partition->sequence);
  tvmq_free(partition->passes);
  partition->sequence = NULL;
  partition->passes = NULL;
}

// Numbers the passes of the steps; returns how many there are.
static size_t count_passes(struct tvmq_partition *partition) {
  size_t n = 0;
  for (size_t i = 0; i < partition->n; i++) {
    struct tvmq_step *step = &partition->steps[i];
    const struct tvmq_record *record = step->record;
    step->first_pass = n;
    for (step->n_passes = 0; !step->idle && record->op_class->n_tasks(record->op, step->n_passes) > 0;) step->n_passes++;
    n += step->n_passes;
  }
  return n;
}

// Makes the sequence of all passes. False: out of memory.
static bool line_up(struct tvmq_partition *partition) {
  drop_passes(partition);
  const size_t n = count_passes(partition);
  struct tvmq_sequence_stage *stages = tvmq_alloc(n * sizeof *stages);
  partition->passes = tvmq_alloc(n * sizeof partition->passes[0]);
  if (stages != NULL && partition->passes != NULL) {
    for (size_t i = 0; i < partition->n; i++) {
      const struct tvmq_step *step = &partition->steps[i];
      for (size_t number = 0; number < step->n_passes; number++) {
        struct tvmq_step_pass *pass = &partition->passes[step->first_pass + number];
        *pass = (struct tvmq_step_pass){step, number};
        stages[step->first_pass + number] = (struct tvmq_sequence_stage){step->record->op_class->n_tasks(step->record->op, number), run_task, pass};
      }
    }
    partition->sequence = tvmq_sequence_create(partition->delegate->env.threads, stages, n);
  }
  tvmq_free(stages);
  return partition->sequence != NULL;
}

static bool find_room(struct tvmq_partition *partition) {
  size_t size;
  const bool shared = tvmq_threads_count(partition->delegate->env.threads) > 1;
  const bool fits = (shared ? tvmq_arena_plan_middles : tvmq_arena_plan)(partition->buffers, partition->n, &size);
  if (fits && size <= partition->arena_size) return true;
  tvmq_free(partition->arena);
  partition->arena = fits ? tvmq_alloc(size) : NULL;
  partition->arena_size = partition->arena != NULL ? size : 0;
  return partition->arena != NULL;
}

// Finds out what there is to compute, and sizes the arena, for the shapes that the records have now. False: out of memory.
static bool size_up(struct tvmq_partition *partition) {
  for (size_t i = 0; i < partition->n; i++) {
    struct tvmq_step *step = &partition->steps[i];
    step->idle = tvmq_record_idle(step->record);
    partition->buffers[i] = (struct tvmq_arena_buffer){.size = step->inside && !step->idle ? step->record->shapes.out.bytes : 0, .first = i, .last = i};
    for (int j = 0; j < step->record->node.n_in; j++) {
      if (step->sources[j] >= 0) partition->buffers[step->sources[j]].last = i;
    }
  }
  return find_room(partition) && line_up(partition);
}

struct tvmq_partition *tvmq_partition_create(struct tvmq_delegate *delegate, struct tvmq_subgraph *subgraph, const TfLiteDelegateParams *params) {
  const TfLiteIntArray *nodes = params->nodes_to_replace;
  const size_t n = (size_t)nodes->size;
  struct tvmq_partition *partition = tvmq_alloc(sizeof *partition + n * sizeof partition->steps[0]);
  if (partition == NULL) return NULL;
  *partition = (struct tvmq_partition){.next = subgraph->partitions, .delegate = delegate, .subgraph = subgraph, .n = n};
  subgraph->partitions = partition;
  for (size_t i = 0; i < n; i++) {
    struct tvmq_step *step = &partition->steps[i];
    step->record = tvmq_subgraph_find(subgraph, nodes->data[i]);
    const struct tvmq_node *node = &step->record->node;
    for (int j = 0; j < node->n_in; j++) step->sources[j] = find_source(partition, i, node->in[j]);
    step->inside = !tvmq_partition_outputs(params, node->out);
  }
  partition->buffers = tvmq_alloc(n * sizeof partition->buffers[0]);
  if (partition->buffers != NULL && size_up(partition)) return partition;
  tvmq_partition_destroy(partition);
  return NULL;
}

void tvmq_partition_destroy(struct tvmq_partition *partition) {
  struct tvmq_partition **link = &partition->subgraph->partitions;
  while (*link != partition) link = &(*link)->next;
  *link = partition->next;
  for (size_t i = 0; i < partition->n; i++) tvmq_record_release(partition->steps[i].record);
  drop_passes(partition);
  tvmq_free(partition->arena);
  tvmq_free(partition->buffers);
  tvmq_free(partition);
}

// ---- what the interpreter calls

static bool same_nodes(const struct tvmq_partition *partition, const TfLiteIntArray *nodes) {
  if ((size_t)nodes->size != partition->n) return false;
  for (size_t i = 0; i < partition->n; i++) {
    if (partition->steps[i].record->info.node != nodes->data[i]) return false;
  }
  return true;
}

static struct tvmq_partition *find(const struct tvmq_delegate *delegate, const TfLiteContext *context, const TfLiteDelegateParams *params) {
  for (struct tvmq_subgraph *subgraph = delegate->subgraphs; subgraph != NULL; subgraph = subgraph->next) {
    for (struct tvmq_partition *p = subgraph->partitions; subgraph->context == context && p != NULL; p = p->next) {
      if (!p->live && same_nodes(p, params->nodes_to_replace)) return p;
    }
  }
  return NULL;
}

static void *init(TfLiteContext *context, const char *buffer, size_t length) {
  (void)length;  // 0: the buffer is a struct, not a model's bytes
  const TfLiteDelegateParams *params = (const void *)buffer;
  struct tvmq_delegate *delegate = tvmq_delegate_of(params->delegate);
  struct tvmq_partition *partition = find(delegate, context, params);
  if (partition == NULL) return NULL;  // other nodes than in the preview: prepare says so
  partition->live = true;
  const int number = partition->subgraph->n_partitions++;
  delegate->n_live++;
  for (size_t i = 0; i < partition->n; i++) {
    partition->steps[i].record->info.claimed = 1;
    partition->steps[i].record->info.partition = number;
  }
  return partition;
}

static void release(TfLiteContext *context, void *user_data) {
  (void)context;
  struct tvmq_partition *partition = user_data;
  if (partition == NULL) return;
  struct tvmq_delegate *delegate = partition->delegate;
  tvmq_partition_destroy(partition);
  tvmq_delegate_leave(delegate);
}

static TfLiteStatus fail_at(struct tvmq_partition *partition, TfLiteContext *context, const struct tvmq_record *record, const char *what, const char *why) {
  return tvmq_delegate_fail(partition->delegate, context, "node %d (%s) %s: %s", record->info.node, record->info.op, what, why);
}

// In order of execution, each step's output has its shape before the next step's input is looked at.
static TfLiteStatus prepare(TfLiteContext *context, TfLiteNode *node) {
  struct tvmq_partition *partition = node->user_data;
  if (partition == NULL) {
    context->ReportError(context, "tvmq-delegate: the runtime partitioned the graph otherwise than it announced");
    return kTfLiteError;
  }
  partition->ready = false;
  for (size_t i = 0; i < partition->n; i++) {
    const struct tvmq_step *step = &partition->steps[i];
    struct tvmq_record *record = step->record;
    const char *reason = tvmq_record_plan(record, context, &partition->delegate->env);
    if (reason != NULL) return fail_at(partition, context, record, "cannot be prepared", reason);
    if (!tvmq_tensor_resize(context, record->node.out, &record->shapes.out, !step->inside))
      return fail_at(partition, context, record, "cannot be prepared", "the runtime refuses the shape of its output");
  }
  if (!size_up(partition)) return tvmq_delegate_fail(partition->delegate, context, "no memory for the tensors of %zu nodes", partition->n);
  partition->ready = true;
  return kTfLiteOk;
}

static void *arena_buffer(const struct tvmq_partition *partition, size_t step) { return partition->arena + partition->buffers[step].offset; }

// Where the tensors of a step are in this inference.
static TfLiteStatus find_tensors(struct tvmq_partition *partition, TfLiteContext *context, size_t index) {
  struct tvmq_step *step = &partition->steps[index];
  const struct tvmq_record *record = step->record;
  const struct tvmq_node *node = &record->node;
  step->out = step->inside ? arena_buffer(partition, index) : tvmq_tensor_data(context, node->out, record->shapes.out.bytes);
  bool complete = step->out != NULL;
  for (int i = 0; i < node->n_in; i++) {
    const int source = step->sources[i];
    step->in[i] = source >= 0 ? arena_buffer(partition, (size_t)source) : tvmq_tensor_data(context, node->in[i], record->shapes.in[i].bytes);
    complete &= step->in[i] != NULL || record->shapes.in[i].bytes == 0;
  }
  return complete ? kTfLiteOk : fail_at(partition, context, record, "cannot run", "the runtime provides no memory for a tensor");
}

static void run_profiled(struct tvmq_partition *partition, const struct tvmq_step *step) {
  struct tvmq_trace *trace = partition->delegate->trace;
  struct tvmq_record *record = step->record;
  if (trace != NULL) {
    trace->subgraph = record->info.subgraph;
    trace->node = record->info.node;
  }
  const uint64_t start = tvmq_now_ns();
  tvmq_sequence_run(partition->sequence, step->first_pass, step->first_pass + step->n_passes);
  const uint64_t end = tvmq_now_ns();
  tvmq_profile_add(&record->profile, end - start);
  if (trace != NULL) tvmq_trace_add(trace, 0, -1, start, end);
}

static TfLiteStatus run_steps(struct tvmq_partition *partition, TfLiteContext *context) {
  for (size_t i = 0; i < partition->n; i++) {
    const TfLiteStatus status = partition->steps[i].idle ? kTfLiteOk : find_tensors(partition, context, i);
    if (status != kTfLiteOk) return status;
  }
  if (!partition->delegate->options.profile) {
    tvmq_sequence_run(partition->sequence, 0, SIZE_MAX);
    return kTfLiteOk;
  }
  for (size_t i = 0; i < partition->n; i++) {
    if (!partition->steps[i].idle) run_profiled(partition, &partition->steps[i]);
  }
  return kTfLiteOk;
}

static TfLiteStatus invoke(TfLiteContext *context, TfLiteNode *node) {
  struct tvmq_partition *partition = node->user_data;
  if (partition == NULL) return kTfLiteError;  // prepare has said why
  if (!partition->ready) return tvmq_delegate_fail(partition->delegate, context, "%zu nodes are not prepared", partition->n);
  struct tvmq_affinity affinity;
  tvmq_affinity_enter(&affinity, &partition->delegate->options.cpu_affinity);
  const struct tvmq_fp_mode fp_mode = tvmq_fp_enter();
  const TfLiteStatus status = run_steps(partition, context);
  tvmq_fp_leave(fp_mode);
  if (!tvmq_affinity_leave(&affinity))
    tvmq_log(partition->delegate->options.log_severity, TVMQ_LOG_WARNING, "the caller's thread may not run any more where it did, and stays on cpu_affinity");
  return status;
}

TfLiteRegistration tvmq_partition_registration(void) {
  return (TfLiteRegistration){
      .init = init,
      .free = release,
      .prepare = prepare,
      .invoke = invoke,
      .builtin_code = TVMQ_BUILTIN_DELEGATE,
      .custom_name = "TvmqDelegate",
      .version = 1,
  };
}
