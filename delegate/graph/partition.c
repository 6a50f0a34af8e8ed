#include "graph/partition.h"

#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "cpu/threads/profile.h"
#include "tflite/variables.h"

bool tvmq_partition_outputs(const TfLiteDelegateParams *params, int tensor) {
  for (int i = 0; i < params->output_tensors->size; i++) {
    if (params->output_tensors->data[i] == tensor) return true;
  }
  return false;
}

static void run_task(void *context, struct tvmq_task task) {
  const struct tvmq_step_pass *pass = context;
  pass->run_task(pass->op, &pass->pass, task);
}

static void drop_lineup(struct tvmq_lineup *line) {
  tvmq_sequence_destroy(line->sequence);
  tvmq_free(line->passes);
  *line = (struct tvmq_lineup){0};
}

static void drop_passes(struct tvmq_partition *partition) {
  drop_lineup(&partition->shared);
  drop_lineup(&partition->alone);
  tvmq_pace_restart(&partition->pace);
}

static const struct tvmq_op *op_of(const struct tvmq_record *record, bool alone) { return alone && record->alone != NULL ? record->alone : record->op; }

static size_t n_passes_of(const struct tvmq_step *step, bool alone) {
  const struct tvmq_record *record = step->record;
  size_t n = 0;
  while (!step->idle && record->implementation->n_tasks(op_of(record, alone), n) > 0) n++;
  return n;
}

// Lines up the passes of all steps, as they are planned for all threads or for one. Returns false if out of memory.
static bool make_lineup(struct tvmq_partition *partition, bool alone, struct tvmq_lineup *line) {
  size_t n = 0;
  for (size_t i = 0; i < partition->n; i++) n += n_passes_of(&partition->steps[i], alone);
  struct tvmq_sequence_pass *passes = tvmq_alloc(n * sizeof *passes);
  line->passes = tvmq_alloc(n * sizeof line->passes[0]);
  n = 0;
  for (size_t i = 0; passes != NULL && line->passes != NULL && i < partition->n; i++) {
    struct tvmq_step *step = &partition->steps[i];
    const struct tvmq_record *record = step->record;
    const struct tvmq_op *op = op_of(record, alone);
    const size_t n_passes = n_passes_of(step, alone);
    if (!alone) step->first_pass = n;
    if (!alone) step->n_passes = n_passes;
    for (size_t number = 0; number < n_passes; number++, n++) {
      line->passes[n] =
          (struct tvmq_step_pass){record->implementation->run_task, op, {.number = number, .in = step->in, .outs = step->out, .failure = &partition->failure}};
      passes[n] = (struct tvmq_sequence_pass){record->implementation->n_tasks(op, number), run_task, &line->passes[n]};
    }
  }
  if (passes != NULL && line->passes != NULL) line->sequence = tvmq_sequence_create(alone ? NULL : partition->threads, passes, n);
  tvmq_free(passes);
  return line->sequence != NULL;
}

static bool line_up(struct tvmq_partition *partition) {
  bool has_alone = false;
  drop_passes(partition);
  for (size_t i = 0; i < partition->n; i++) has_alone |= partition->steps[i].record->alone != NULL;
  return make_lineup(partition, false, &partition->shared) && (!has_alone || make_lineup(partition, true, &partition->alone));
}

static bool find_room(struct tvmq_partition *partition) {
  size_t size;
  const bool shared = tvmq_threads_count(partition->threads) > 1;
  const bool fits = (shared ? tvmq_arena_plan_middles : tvmq_arena_plan)(partition->buffers, partition->n_buffers, &size);
  if (!fits) return false;
  partition->arena_bytes = size;
  return tvmq_scratch_reserve(&partition->arena->scratch, size, 0, 0);
}

// Updates the report. Nodes for which nothing runs are reported as "constant" or "view".
static void show_steps(const struct tvmq_partition *partition) {
  for (size_t i = 0; i < partition->n; i++) {
    const struct tvmq_step *step = &partition->steps[i];
    if (step->needed) tvmq_record_show_plan(step->record);
    if (!step->needed && step->record->map.known && step->record->folded_into >= 0) tvmq_record_show_folded(step->record);
    const struct tvmq_node *node = &step->record->node;
    const bool known = !step->needed && (node->n_out == 0 || tvmq_values_known(partition->subgraph->values, node->out));
    if (!known && (!step->needed || !step->idle)) continue;
    tvmq_record_show_idle(step->record, known ? "constant" : "view");
  }
}

// Finds the address of a tensor, or lists the tensor in `borrowed` if each inference must look up its address. An empty
// tensor gets NULL.
static void find_tensor(struct tvmq_partition *partition, const struct tvmq_step *step, const struct tvmq_place *place, size_t bytes, const void **address) {
  const struct tvmq_variable *variable = place->buffer < 0 ? tvmq_variables_find(partition->subgraph->variables, place->tensor) : NULL;
  *address = NULL;
  if (bytes == 0) return;
  if (variable != NULL)
    *address = (const uint8_t *)variable->tensor.data + place->offset;
  else if (place->buffer >= 0)
    *address = partition->arena->scratch.memory + partition->buffers[place->buffer].offset + place->offset;
  else
    partition->borrowed[partition->n_borrowed++] = (struct tvmq_borrowed){step, place, address};
}

static void find_tensors(struct tvmq_partition *partition) {
  partition->placed = partition->arena->scratch.memory;
  partition->n_borrowed = 0;
  for (size_t i = 0; i < partition->n; i++) {
    const struct tvmq_step *step = &partition->steps[i];
    const int *reads, n_reads = step->idle ? 0 : tvmq_record_reads(step->record, &reads), n_out = step->idle ? 0 : step->record->node.n_out;
    for (int j = 0; j < n_reads; j++) find_tensor(partition, step, &step->in_places[j], tvmq_record_read_bytes(step->record, j), &step->in[j]);
    for (int k = 0; k < n_out; k++) find_tensor(partition, step, &step->out_places[k], step->record->shapes.outs[k].bytes, (const void **)&step->out[k]);
  }
}

static void destroy_offload(struct tvmq_partition *partition) {
  if (partition->offload != NULL) partition->offload->destroy(partition->offload);
  partition->offload = NULL;
}

void tvmq_partition_drop_offload(struct tvmq_partition *partition) {
  destroy_offload(partition);
  show_steps(partition);
}

bool tvmq_partition_size_up(struct tvmq_partition *partition) {
  destroy_offload(partition);
  tvmq_place_tensors(partition->steps, partition->n, partition->buffers, partition->n_buffers);
  show_steps(partition);
  if (!find_room(partition)) return false;
  find_tensors(partition);
  return line_up(partition);
}

// Returns the number of tensors that all steps read and write.
static size_t count_tensors(const struct tvmq_partition *partition) {
  size_t n = 0;
  for (size_t i = 0; i < partition->n; i++) n += (size_t)partition->steps[i].record->node.n_in + (size_t)partition->steps[i].record->node.n_out;
  return n;
}

struct tvmq_partition *tvmq_partition_create(struct tvmq_delegate *delegate, struct tvmq_threads *threads, struct tvmq_arena *arena,
                                             struct tvmq_subgraph *subgraph, const TfLiteDelegateParams *params) {
  const TfLiteIntArray *nodes = params->nodes_to_replace;
  const size_t n = (size_t)nodes->size;
  struct tvmq_partition *partition = tvmq_alloc(sizeof *partition + n * sizeof partition->steps[0]);
  if (partition == NULL) return NULL;
  *partition = (struct tvmq_partition){
      .next = subgraph->partitions, .delegate = delegate, .threads = threads, .arena = arena, .subgraph = subgraph, .fresh = true, .n = n};
  subgraph->partitions = partition;
  arena->n_partitions++;
  for (size_t i = 0; i < n; i++) partition->steps[i].record = tvmq_subgraph_find(subgraph, nodes->data[i]);
  partition->tensors = tvmq_make_steps(partition->steps, n);
  for (size_t i = 0; partition->tensors != NULL && i < n; i++) {
    struct tvmq_step *step = &partition->steps[i];
    const struct tvmq_node *node = &step->record->node;
    partition->settable |= node->settable;
    for (int k = 0; k < node->n_out; k++) step->inside[k] = !tvmq_partition_outputs(params, node->outs[k]) && node->outs[k] != node->handle;
  }
  if (partition->tensors != NULL) {
    partition->n_buffers = tvmq_wire(partition->steps, n);
    partition->buffers = tvmq_alloc(partition->n_buffers * sizeof partition->buffers[0]);
    partition->borrowed = tvmq_alloc(count_tensors(partition) * sizeof partition->borrowed[0]);
  }
  const bool based = partition->tensors != NULL && tvmq_basis_create(&partition->basis, partition->steps, n);
  if (based && partition->buffers != NULL && partition->borrowed != NULL && tvmq_partition_size_up(partition)) return partition;
  tvmq_partition_destroy(partition);
  return NULL;
}

void tvmq_partition_destroy(struct tvmq_partition *partition) {
  struct tvmq_partition **link = &partition->subgraph->partitions;
  while (*link != partition) link = &(*link)->next;
  *link = partition->next;
  destroy_offload(partition);
  for (size_t i = 0; i < partition->n; i++) tvmq_record_release(partition->steps[i].record);
  drop_passes(partition);
  if (--partition->arena->n_partitions == 0) tvmq_scratch_free(&partition->arena->scratch);
  tvmq_free(partition->buffers);
  tvmq_free(partition->borrowed);
  tvmq_basis_free(&partition->basis);
  tvmq_free(partition->tensors);
  tvmq_free(partition);
}

// ---- an inference

const struct tvmq_record *tvmq_partition_find_tensors(struct tvmq_partition *partition, const TfLiteContext *context) {
  if (partition->placed != partition->arena->scratch.memory) find_tensors(partition);
  for (size_t i = 0; i < partition->n_borrowed; i++) {
    const struct tvmq_borrowed *tensor = &partition->borrowed[i];
    const uint8_t *base = tvmq_tensor_data(context, tensor->place->tensor, tensor->place->tensor_bytes);
    if (base == NULL) return tensor->step->record;
    *tensor->address = base + tensor->place->offset;
  }
  return NULL;
}

void tvmq_partition_run(struct tvmq_partition *partition) {
  const struct tvmq_pace_run run = tvmq_threads_count(partition->threads) > 1 ? tvmq_pace_next(&partition->pace) : (struct tvmq_pace_run){0};
  const uint64_t start = run.timed ? tvmq_now_ns() : 0;
  if (run.alone && partition->alone.sequence == NULL) {
    tvmq_sequence_run_alone(partition->shared.sequence);
  } else {
    tvmq_sequence_run(run.alone ? partition->alone.sequence : partition->shared.sequence, 0, SIZE_MAX);
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
  tvmq_sequence_run(partition->shared.sequence, step->first_pass, step->first_pass + step->n_passes);
  const uint64_t end = tvmq_now_ns();
  tvmq_profile_add(&record->profile, end - start);
  if (trace != NULL) tvmq_trace_add(trace, 0, -1, start, end);
}

void tvmq_partition_run_profiled(const struct tvmq_partition *partition, struct tvmq_trace *trace) {
  for (size_t i = 0; i < partition->n; i++) {
    if (!partition->steps[i].idle) run_profiled(partition, &partition->steps[i], trace);
  }
}
