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

static void run_task(void *context, struct tvmq_task task) {
  const struct tvmq_step_pass *pass = context;
  const struct tvmq_record *record = pass->step->record;
  record->op_class->run_task(record->op, &(struct tvmq_pass){pass->number, pass->step->in, pass->step->out, pass->step->out[0]}, task);
}

static void drop_passes(struct tvmq_partition *partition) {
  tvmq_sequence_destroy(partition->sequence);
  tvmq_free(partition->passes);
  partition->sequence = NULL;
  partition->passes = NULL;
  partition->pace = (struct tvmq_pace){0};
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
  struct tvmq_sequence_pass *passes = tvmq_alloc(n * sizeof *passes);
  partition->passes = tvmq_alloc(n * sizeof partition->passes[0]);
  if (passes != NULL && partition->passes != NULL) {
    for (size_t i = 0; i < partition->n; i++) {
      const struct tvmq_step *step = &partition->steps[i];
      for (size_t number = 0; number < step->n_passes; number++) {
        struct tvmq_step_pass *pass = &partition->passes[step->first_pass + number];
        *pass = (struct tvmq_step_pass){step, number};
        passes[step->first_pass + number] = (struct tvmq_sequence_pass){step->record->op_class->n_tasks(step->record->op, number), run_task, pass};
      }
    }
    partition->sequence = tvmq_sequence_create(partition->threads, passes, n);
  }
  tvmq_free(passes);
  return partition->sequence != NULL;
}

static bool find_room(struct tvmq_partition *partition) {
  size_t size;
  const bool shared = tvmq_threads_count(partition->threads) > 1;
  const bool fits = (shared ? tvmq_arena_plan_middles : tvmq_arena_plan)(partition->buffers, partition->n_buffers, &size);
  if (fits && size <= partition->arena_size) return true;
  tvmq_free(partition->arena);
  partition->arena = fits ? tvmq_alloc_unset(size) : NULL;
  partition->arena_size = partition->arena != NULL ? size : 0;
  return partition->arena != NULL;
}

// Nodes for which nothing runs are reported as such.
static void show_steps(const struct tvmq_partition *partition) {
  for (size_t i = 0; i < partition->n; i++) {
    const struct tvmq_step *step = &partition->steps[i];
    if (step->needed) tvmq_record_show_plan(step->record);
    if (!step->needed && step->record->bytes.known && step->record->folded_into >= 0) tvmq_record_show_folded(step->record);
    const bool known = !step->needed && tvmq_values_known(partition->subgraph->values, step->record->node.out);
    if (!known && (!step->needed || !step->idle)) continue;
    step->record->info.algorithm = known ? "constant" : "view";
    step->record->info.cycles = 0;
  }
}

bool tvmq_partition_size_up(struct tvmq_partition *partition) {
  tvmq_place_tensors(partition->steps, partition->n, partition->buffers, partition->n_buffers);
  show_steps(partition);
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
  for (size_t i = 0; i < n; i++) partition->steps[i].record = tvmq_subgraph_find(subgraph, nodes->data[i]);
  partition->tensors = tvmq_make_steps(partition->steps, n);
  for (size_t i = 0; partition->tensors != NULL && i < n; i++) {
    struct tvmq_step *step = &partition->steps[i];
    const struct tvmq_node *node = &step->record->node;
    for (int k = 0; k < node->n_out; k++) step->inside[k] = !tvmq_partition_outputs(params, node->outs[k]);
  }
  if (partition->tensors != NULL) {
    partition->n_buffers = tvmq_wire(partition->steps, n);
    partition->buffers = tvmq_alloc(partition->n_buffers * sizeof partition->buffers[0]);
  }
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
  tvmq_free(partition->tensors);
  tvmq_free(partition);
}

// ---- an inference

static void *at_place(const struct tvmq_partition *partition, const TfLiteContext *context, const struct tvmq_place *place) {
  uint8_t *base =
      place->buffer >= 0 ? partition->arena + partition->buffers[place->buffer].offset : tvmq_tensor_data(context, place->tensor, place->tensor_bytes);
  return base != NULL ? base + place->offset : NULL;
}

// False: the runtime provides no memory for a tensor of the step.
static bool find_tensors(struct tvmq_partition *partition, const TfLiteContext *context, size_t index) {
  struct tvmq_step *step = &partition->steps[index];
  const struct tvmq_record *record = step->record;
  bool complete = true;
  for (int k = 0; k < record->node.n_out; k++) {
    step->out[k] = record->shapes.outs[k].bytes > 0 ? at_place(partition, context, &step->out_places[k]) : NULL;
    complete &= step->out[k] != NULL || record->shapes.outs[k].bytes == 0;
  }
  const int *reads, n_reads = tvmq_record_reads(record, &reads);
  for (int j = 0; j < n_reads; j++) {
    step->in[j] = tvmq_record_read_bytes(record, j) > 0 ? at_place(partition, context, &step->in_places[j]) : NULL;
    complete &= step->in[j] != NULL || tvmq_record_read_bytes(record, j) == 0;
  }
  return complete;
}

const struct tvmq_record *tvmq_partition_find_tensors(struct tvmq_partition *partition, const TfLiteContext *context) {
  for (size_t i = 0; i < partition->n; i++) {
    if (!partition->steps[i].idle && !find_tensors(partition, context, i)) return partition->steps[i].record;
  }
  return NULL;
}

void tvmq_partition_run(struct tvmq_partition *partition) {
  const struct tvmq_pace_run run = tvmq_threads_count(partition->threads) > 1 ? tvmq_pace_next(&partition->pace) : (struct tvmq_pace_run){0};
  const uint64_t start = run.timed ? tvmq_now_ns() : 0;
  if (run.alone) {
    tvmq_sequence_run_alone(partition->sequence);
  } else {
    tvmq_sequence_run(partition->sequence, 0, SIZE_MAX);
  }
  tvmq_pace_done(&partition->pace, run, run.timed ? tvmq_now_ns() - start : 0);
}

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
