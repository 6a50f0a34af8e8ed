#include "host/partition.h"

#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "threads/profile.h"

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
    partition->sequence = tvmq_sequence_create(partition->threads, stages, n);
  }
  tvmq_free(stages);
  return partition->sequence != NULL;
}

static bool find_room(struct tvmq_partition *partition) {
  size_t size;
  const bool shared = tvmq_threads_count(partition->threads) > 1;
  const bool fits = (shared ? tvmq_arena_plan_middles : tvmq_arena_plan)(partition->buffers, partition->n, &size);
  if (fits && size <= partition->arena_size) return true;
  tvmq_free(partition->arena);
  partition->arena = fits ? tvmq_alloc(size) : NULL;
  partition->arena_size = partition->arena != NULL ? size : 0;
  return partition->arena != NULL;
}

bool tvmq_partition_size_up(struct tvmq_partition *partition) {
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

struct tvmq_partition *tvmq_partition_create(struct tvmq_delegate *delegate, struct tvmq_threads *threads, struct tvmq_subgraph *subgraph,
                                             const TfLiteDelegateParams *params) {
  const TfLiteIntArray *nodes = params->nodes_to_replace;
  const size_t n = (size_t)nodes->size;
  struct tvmq_partition *partition = tvmq_alloc(sizeof *partition + n * sizeof partition->steps[0]);
  if (partition == NULL) return NULL;
  *partition = (struct tvmq_partition){.next = subgraph->partitions, .delegate = delegate, .threads = threads, .subgraph = subgraph, .n = n};
  subgraph->partitions = partition;
  for (size_t i = 0; i < n; i++) {
    struct tvmq_step *step = &partition->steps[i];
    step->record = tvmq_subgraph_find(subgraph, nodes->data[i]);
    const struct tvmq_node *node = &step->record->node;
    for (int j = 0; j < node->n_in; j++) step->sources[j] = find_source(partition, i, node->in[j]);
    step->inside = !tvmq_partition_outputs(params, node->out);
  }
  partition->buffers = tvmq_alloc(n * sizeof partition->buffers[0]);
  if (partition->buffers != NULL && tvmq_partition_size_up(partition)) return partition;
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

// ---- an inference

static void *arena_buffer(const struct tvmq_partition *partition, size_t step) { return partition->arena + partition->buffers[step].offset; }

// False: the runtime provides no memory for a tensor of the step.
static bool find_tensors(struct tvmq_partition *partition, const TfLiteContext *context, size_t index) {
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
  return complete;
}

const struct tvmq_record *tvmq_partition_find_tensors(struct tvmq_partition *partition, const TfLiteContext *context) {
  for (size_t i = 0; i < partition->n; i++) {
    if (!partition->steps[i].idle && !find_tensors(partition, context, i)) return partition->steps[i].record;
  }
  return NULL;
}

void tvmq_partition_run(const struct tvmq_partition *partition) { tvmq_sequence_run(partition->sequence, 0, SIZE_MAX); }

static void run_profiled(const struct tvmq_partition *partition, const struct tvmq_step *step, struct tvmq_trace *trace) {
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

void tvmq_partition_run_profiled(const struct tvmq_partition *partition, struct tvmq_trace *trace) {
  for (size_t i = 0; i < partition->n; i++) {
    if (!partition->steps[i].idle) run_profiled(partition, &partition->steps[i], trace);
  }
}
