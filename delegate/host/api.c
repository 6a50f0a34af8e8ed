#pragma GCC visibility push(default)
#include "tvmq_delegate.h"
#pragma GCC visibility pop

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#include "base/checksum.h"
#include "cpu/cpu.h"
#include "cpu/cpu_arch.h"
#include "cpu/plan/machine_file.h"
#include "cpu/plan/peak.h"
#include "cpu/plan/select.h"
#include "cpu/threads/profile.h"
#include "graph/partition.h"
#include "host/answers.h"
#include "host/apply.h"
#include "host/options.h"

// ---- this CPU and the kernels: results are in the calling thread's memory

// Returns the first, and so smallest, instruction set that contains these features, or "" if none does.
static const char *isa_containing(uint32_t cpu) {
  for (size_t i = 0; i < tvmq_n_isas; i++) {
    if ((cpu & ~tvmq_isas[i].cpu) == 0) return tvmq_isas[i].name;
  }
  return "";
}

// Returns the last, and so largest, instruction set that these features contain.
static const char *greatest_isa(uint32_t cpu) {
  const char *greatest = "";
  for (size_t i = 0; i < tvmq_n_isas; i++) greatest = (tvmq_isas[i].cpu & ~cpu) == 0 ? tvmq_isas[i].name : greatest;
  return greatest;
}

const struct tvmq_cpu_info *tvmq_get_cpu(void) {
  struct tvmq_answers *answers = tvmq_answers();
  if (answers == NULL) return NULL;
  answers->cpu = (struct tvmq_cpu_info){.name = tvmq_cpu_name(),
                                        .isa = greatest_isa(tvmq_cpu_detect()),
                                        .count = tvmq_cpu_count(),
                                        .in_order = tvmq_cpu_in_order(),
                                        .identity = tvmq_cpu_identity(),
                                        .unused = tvmq_cpu_unused()};
  return &answers->cpu;
}

const struct tvmq_isa_info *tvmq_get_isa(int index) {
  struct tvmq_answers *answers = tvmq_answers();
  if (answers == NULL || index < 0 || (size_t)index >= tvmq_n_isas) return NULL;
  answers->isa = (struct tvmq_isa_info){.name = tvmq_isas[index].name, .available = tvmq_isa_offered(&tvmq_isas[index])};
  return &answers->isa;
}

const struct tvmq_kernel_info *tvmq_get_kernel(int index) {
#define FAMILY_NAME(id, name) name,
  static const char *const families[TVMQ_N_FAMILIES] = {TVMQ_FAMILIES(FAMILY_NAME)};
#undef FAMILY_NAME
  struct tvmq_answers *answers = tvmq_answers();
  if (answers == NULL || index < 0) return NULL;
  const struct tvmq_variant *variant = tvmq_variants, *const end = tvmq_variants + tvmq_n_variants;
  // Counts only variants that were built.
  for (; variant < end && (variant->fn.gemm == NULL || index-- > 0); variant++) continue;
  if (variant == end) return NULL;
  answers->packing[0] = '\0';
  if (variant->layout.weight_bytes != 0) tvmq_layout_name(&variant->layout, answers->packing, sizeof answers->packing);
  answers->kernel = (struct tvmq_kernel_info){
      .name = variant->name,
      .family = families[variant->family],
      .isa = isa_containing(variant->cpu),
      .packing = answers->packing,
      .available = tvmq_runs_on(variant, tvmq_cpu_detect()),
      .mr = variant->mr,
      .nr = variant->layout.nr,
  };
  return &answers->kernel;
}

const char *tvmq_kernels_checksum(void) {
  struct tvmq_answers *answers = tvmq_answers();
  if (answers == NULL) return NULL;
  uint64_t sum = 0;
  for (const struct tvmq_variant *v = tvmq_variants; v < tvmq_variants + tvmq_n_variants; v++) {
    if (v->fn.gemm != NULL) sum = tvmq_checksum(sum, v->name, strlen(v->name));
  }
  snprintf(answers->checksum, sizeof answers->checksum, "%016" PRIx64, sum);
  return answers->checksum;
}

const struct tvmq_machine_info *tvmq_get_machine(int index) {
  struct tvmq_answers *answers = tvmq_answers();
  if (answers == NULL || index < 0 || (size_t)index >= tvmq_n_machines) return NULL;
  const struct tvmq_machine *machine = &tvmq_machines[index];
  tvmq_machine_write(machine, &(struct tvmq_text){.at = answers->machine_text, .size = sizeof answers->machine_text});
  answers->machine =
      (struct tvmq_machine_info){.name = machine->name, .isa = greatest_isa(machine->cpu), .in_order = machine->in_order, .text = answers->machine_text};
  return &answers->machine;
}

const struct tvmq_core_info *tvmq_get_core(int index) {
  struct tvmq_answers *answers = tvmq_answers();
  if (answers == NULL || index < 0 || (size_t)index >= tvmq_n_known_cores) return NULL;
  const struct tvmq_known_core *core = &tvmq_known_cores[index];
  answers->core = (struct tvmq_core_info){.name = core->name, .machine = core->machine, .in_order = core->in_order, .ghz = core->ghz};
  return &answers->core;
}

const struct tvmq_option_info *tvmq_get_option(int index) { return index >= 0 ? tvmq_option((size_t)index) : NULL; }

int tvmq_auto_threads(void) { return tvmq_cpu_auto_count(); }

// ---- a delegate

const struct tvmq_delegate_info *tvmq_get_delegate(const void *base) {
  struct tvmq_delegate *delegate = tvmq_delegate_of(base);
  if (delegate == NULL) return NULL;
  struct tvmq_delegate_info *info = &delegate->info;
  snprintf(delegate->machine, sizeof delegate->machine, "%s", delegate->env.machine->name);
  *info = (struct tvmq_delegate_info){
      .threads = tvmq_threads_count(delegate->env.threads),
      .isa = greatest_isa(delegate->env.cpu),
      .rounding = delegate->rounding,
      .error = delegate->error,
      .scratch_bytes = delegate->scratch.size,
      .arena_bytes = delegate->arena.scratch.size,
      .in_order = delegate->env.machine->in_order,
      .machine = delegate->machine,
      .runtime = delegate->runtime,
      .fully_connected = delegate->fully_connected,
      .fast_math = delegate->fast_math,
      .hybrid = delegate->hybrid,
      .float32 = delegate->float32,
  };
  for (const struct tvmq_subgraph *s = delegate->subgraphs; s != NULL; s = s->next) {
    info->subgraphs++;
    info->nodes += (int)s->n_records;
    info->partitions += s->n_partitions;
    for (size_t i = 0; i < s->n_records; i++) {
      info->claimed += s->records[i].info.claimed;
      info->packed_bytes += s->records[i].info.packed_bytes;
      info->plans += s->records[i].plans;
      info->packs += s->records[i].packs;
    }
  }
  return info;
}

int tvmq_set_machine(const void *base, const char *text) {
  struct tvmq_delegate *delegate = tvmq_delegate_of(base);
  if (delegate == NULL || text == NULL) return -1;
  if (!tvmq_delegate_set_machine(delegate, text, &(struct tvmq_text){.at = delegate->error, .size = sizeof delegate->error})) return -1;
  struct tvmq_record *record;
  for (int i = 0; (record = tvmq_delegate_record(delegate, i)) != NULL; i++) record->n_candidates = 0;
  return 0;
}

const struct tvmq_node_info *tvmq_get_node(const void *base, int index) {
  const struct tvmq_delegate *delegate = tvmq_delegate_of(base);
  const struct tvmq_record *record = delegate != NULL ? tvmq_delegate_record(delegate, index) : NULL;
  return record != NULL ? &record->info : NULL;
}

const struct tvmq_buffer_info *tvmq_get_buffer(const void *base, int index) {
  struct tvmq_delegate *delegate = tvmq_delegate_of(base);
  if (delegate == NULL || index < 0) return NULL;
  for (const struct tvmq_subgraph *s = delegate->subgraphs; s != NULL; s = s->next) {
    for (const struct tvmq_partition *p = s->partitions; p != NULL; p = p->next) {
      for (size_t i = 0; i < p->n_buffers; i++) {
        const struct tvmq_arena_buffer *buffer = &p->buffers[i];
        if (buffer->size == 0 || index-- > 0) continue;
        const struct tvmq_node_info *first = &p->steps[buffer->first].record->info, *last = &p->steps[buffer->last].record->info;
        delegate->buffer = (struct tvmq_buffer_info){.subgraph = first->subgraph,
                                                     .partition = first->partition,
                                                     .first_node = first->node,
                                                     .last_node = last->node,
                                                     .offset = buffer->offset,
                                                     .bytes = buffer->size};
        return &delegate->buffer;
      }
    }
  }
  return NULL;
}

const struct tvmq_profile_info *tvmq_get_profile(const void *base, int index) {
  const struct tvmq_delegate *delegate = tvmq_delegate_of(base);
  struct tvmq_record *record = delegate != NULL ? tvmq_delegate_record(delegate, index) : NULL;
  if (record == NULL) return NULL;
  const struct tvmq_profile_slot *slot = &record->profile;
  record->profile_info = (struct tvmq_profile_info){
      .count = slot->count,
      .first_ns = slot->first_ns,
      .last_ns = slot->last_ns,
      .min_ns = slot->min_ns,
      .max_ns = slot->max_ns,
      .total_ns = slot->total_ns,
      .mean_ns = tvmq_profile_mean_ns(slot),
      .stddev_ns = tvmq_profile_stddev_ns(slot),
  };
  return &record->profile_info;
}

const struct tvmq_span_info *tvmq_get_span(const void *base, int index) {
  const struct tvmq_delegate *delegate = tvmq_delegate_of(base);
  return delegate != NULL && delegate->trace != NULL && index >= 0 ? tvmq_trace_at(delegate->trace, (size_t)index) : NULL;
}

int tvmq_reset_profile(const void *base) {
  const struct tvmq_delegate *delegate = tvmq_delegate_of(base);
  if (delegate == NULL) return -1;
  if (delegate->trace != NULL) tvmq_trace_reset(delegate->trace);
  struct tvmq_record *record;
  for (int i = 0; (record = tvmq_delegate_record(delegate, i)) != NULL; i++) record->profile = (struct tvmq_profile_slot){0};
  return 0;
}

const struct tvmq_peak_info *tvmq_measure_peak(const void *base) {
  struct tvmq_delegate *delegate = tvmq_delegate_of(base);
  if (delegate == NULL || delegate->options.estimate > 0) return NULL;
  struct tvmq_affinity affinity;
  tvmq_affinity_enter(&affinity, &delegate->options.cpu_affinity);
  if (delegate->env.threads != NULL) tvmq_threads_trace(delegate->env.threads, NULL);  // only nodes are traced
  const bool measured = tvmq_peak_measure(delegate->env.cpu, delegate->env.threads, &delegate->peak);
  if (delegate->env.threads != NULL) tvmq_threads_trace(delegate->env.threads, delegate->trace);
  tvmq_affinity_leave(&affinity);
  return measured ? &delegate->peak : NULL;
}
