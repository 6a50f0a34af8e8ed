#include "graph/offload.h"

#include <string.h>

#include "base/arith.h"
#include "base/memory.h"
#include "opencl/lower.h"
#include "opencl/network.h"

// Memory of the device: tensors of the runtime that the partition reads, those that it writes, then the arena.
struct offload {
  struct tvmq_offload base;
  struct tvmq_opencl_network *network;
  struct tvmq_opencl_memory memory;
  struct tvmq_opencl_border *borders;    // of `ins`, then of `outs`
  const struct tvmq_borrowed **tensors;  // one of the partition's `borrowed` for each border
  const void **ins;                      // addresses, at each inference
  void **outs;                           // likewise
  uint64_t *step_ns;                     // times of a profiled inference
  uint8_t *kept;                         // results of the device while the CPU computes them, too
  size_t n_borders;
};

static const char no_memory[] = "OpenCL: out of memory";

// Returns whether a node of the partition has the tensor as an output. The places of outputs do not tell: an output that
// is a piece of what the partition only reads lies in that tensor.
static bool is_written(const struct tvmq_partition *partition, int tensor) {
  for (size_t i = 0; i < partition->n; i++) {
    const struct tvmq_node *const node = &partition->steps[i].record->node;
    for (int k = 0; k < node->n_out; k++) {
      if (node->outs[k] == tensor) return true;
    }
  }
  return false;
}

static bool is_listed(const struct offload *offload, int tensor) {
  for (size_t i = 0; i < offload->n_borders; i++) {
    if (offload->tensors[i]->place->tensor == tensor) return true;
  }
  return false;
}

// Lists the tensors that are written, or those that are only read, once each. Returns false if an offset exceeds 32 bits.
static bool list_borders(const struct tvmq_partition *partition, struct offload *offload, bool written) {
  const size_t first = offload->n_borders, begin = offload->memory.bytes;
  for (size_t i = 0; i < partition->n_borrowed; i++) {
    const struct tvmq_borrowed *const borrowed = &partition->borrowed[i];
    if (is_written(partition, borrowed->place->tensor) != written || is_listed(offload, borrowed->place->tensor)) continue;
    offload->tensors[offload->n_borders] = borrowed;
    offload->borders[offload->n_borders++] = (struct tvmq_opencl_border){offload->memory.bytes, borrowed->place->tensor_bytes};
    if (borrowed->place->tensor_bytes > INT32_MAX) return false;
    offload->memory.bytes = tvmq_round_up(offload->memory.bytes + borrowed->place->tensor_bytes, TVMQ_ALIGNMENT);
    if (offload->memory.bytes > INT32_MAX) return false;
  }
  *(written ? &offload->memory.n_outs : &offload->memory.n_ins) = offload->n_borders - first;
  *(written ? &offload->memory.out_bytes : &offload->memory.in_bytes) = offload->memory.bytes - begin;
  *(written ? &offload->memory.outs : &offload->memory.ins) = offload->borders + first;
  return true;
}

// Returns where a tensor lies in the device's memory; an empty tensor lies anywhere.
static int32_t offset_of(const struct tvmq_partition *partition, const struct offload *offload, const struct tvmq_place *place) {
  const size_t border_bytes = offload->memory.in_bytes + offload->memory.out_bytes;
  if (place->buffer >= 0) return (int32_t)(border_bytes + partition->buffers[place->buffer].offset + place->offset);
  for (size_t i = 0; i < offload->n_borders; i++) {
    if (offload->tensors[i]->place->tensor == place->tensor) return (int32_t)(offload->borders[i].offset + place->offset);
  }
  return 0;
}

// Returns why no back end but the CPU's may compute the partition, or NULL.
static const char *refuse(const struct tvmq_partition *partition) {
  if (partition->settable) return "OpenCL: a constant of a node is an input of the graph";
  for (size_t i = 0; i < partition->n; i++) {
    if (partition->steps[i].record->node.kind->state != TVMQ_STATE_NONE) return "OpenCL: the partition has variables";
  }
  return NULL;
}

static const char *lower_step(const struct tvmq_partition *partition, const struct offload *offload, const struct tvmq_step *step,
                              struct tvmq_opencl_plan *plan) {
  const struct tvmq_record *const record = step->record;
  const int *reads, n_reads = tvmq_record_reads(record, &reads);
  int32_t ins[TVMQ_MAX_IN], outs[TVMQ_MAX_OUT];
  for (int j = 0; j < n_reads; j++) ins[j] = offset_of(partition, offload, &step->in_places[j]);
  for (int k = 0; k < record->node.n_out; k++) outs[k] = offset_of(partition, offload, &step->out_places[k]);
  const union tvmq_desc desc = tvmq_record_planned(record);
  const struct tvmq_opencl_node node = {tvmq_record_operator(record), &desc, ins, outs, record->shapes.outs[0].bytes};
  return tvmq_opencl_lower(&node, plan);
}

// Lowers all steps. Returns the first that cannot be computed, and sets *reason, or NULL.
static const struct tvmq_step *lower(const struct tvmq_partition *partition, const struct offload *offload, struct tvmq_opencl_plan *plan,
                                     const char **reason) {
  for (plan->step = 0; plan->step < partition->n; plan->step++) {
    const struct tvmq_step *const step = &partition->steps[plan->step];
    if (!step->needed || step->idle) continue;
    *reason = lower_step(partition, offload, step, plan);
    if (*reason != NULL) return step;
  }
  return NULL;
}

static void show_reason(const struct tvmq_partition *partition, const struct tvmq_step *by, const char *reason) {
  for (size_t i = 0; i < partition->n; i++) {
    const struct tvmq_step *const step = &partition->steps[i];
    step->record->info.refusal = by == NULL || step == by ? reason : "OpenCL: another node of its partition runs on the CPU";
  }
}

static void show_steps(const struct tvmq_partition *partition) {
  for (size_t i = 0; i < partition->n; i++) {
    const struct tvmq_step *const step = &partition->steps[i];
    if (step->needed && !step->idle) tvmq_record_show_offloaded(step->record, "OpenCL");
  }
}

static void destroy(struct tvmq_offload *base) {
  struct offload *const offload = (struct offload *)base;
  if (offload == NULL) return;
  tvmq_opencl_network_destroy(offload->network);
  tvmq_free(offload->borders);
  tvmq_free(offload->tensors);
  tvmq_free(offload->ins);
  tvmq_free(offload->outs);
  tvmq_free(offload->step_ns);
  tvmq_free(offload->kept);
  tvmq_free(offload);
}

static struct offload *create(const struct tvmq_partition *partition) {
  struct offload *const offload = tvmq_alloc(sizeof *offload);
  if (offload == NULL) return NULL;
  const size_t n = partition->n_borrowed;
  offload->borders = tvmq_alloc(n * sizeof offload->borders[0]);
  offload->tensors = tvmq_alloc(n * sizeof offload->tensors[0]);
  offload->ins = tvmq_alloc(n * sizeof offload->ins[0]);
  offload->outs = tvmq_alloc(n * sizeof offload->outs[0]);
  offload->step_ns = tvmq_alloc(partition->n * sizeof offload->step_ns[0]);
  if (offload->borders != NULL && offload->tensors != NULL && offload->ins != NULL && offload->outs != NULL && offload->step_ns != NULL) return offload;
  destroy(&offload->base);
  return NULL;
}

// ---- an inference

static void find_addresses(const struct offload *offload) {
  for (size_t i = 0; i < offload->n_borders; i++) {
    const struct tvmq_borrowed *const borrowed = offload->tensors[i];
    uint8_t *const tensor = (uint8_t *)*borrowed->address - borrowed->place->offset;
    if (i < offload->memory.n_ins)
      offload->ins[i] = tensor;
    else
      offload->outs[i - offload->memory.n_ins] = tensor;
  }
}

static void record_times(const struct tvmq_partition *partition, const uint64_t *step_ns) {
  for (size_t i = 0; i < partition->n; i++) {
    const struct tvmq_step *const step = &partition->steps[i];
    if (step->needed && !step->idle) tvmq_profile_add(&step->record->profile, step_ns[i]);
  }
}

static bool run(struct tvmq_partition *partition, bool profiled, struct tvmq_text *why) {
  struct offload *const offload = (struct offload *)partition->offload;
  find_addresses(offload);
  if (profiled) memset(offload->step_ns, 0, partition->n * sizeof offload->step_ns[0]);
  if (!tvmq_opencl_network_run(offload->network, offload->ins, offload->outs, profiled ? offload->step_ns : NULL, why)) return false;
  if (profiled) record_times(partition, offload->step_ns);
  return true;
}

static bool verify(struct tvmq_partition *partition) {
  const struct offload *const offload = (const struct offload *)partition->offload;
  const struct tvmq_opencl_memory *const memory = &offload->memory;
  bool same = true;
  for (size_t i = 0; i < memory->n_outs; i++) memcpy(offload->kept + memory->outs[i].offset - memory->in_bytes, offload->outs[i], memory->outs[i].bytes);
  tvmq_partition_run(partition);
  for (size_t i = 0; i < memory->n_outs; i++)
    same &= memcmp(offload->kept + memory->outs[i].offset - memory->in_bytes, offload->outs[i], memory->outs[i].bytes) == 0;
  return same;
}

// ---- making one

// Sets *reason if a step cannot be computed, and returns that step; otherwise NULL.
static const struct tvmq_step *make(struct tvmq_partition *partition, struct offload *offload, struct tvmq_opencl_device *device, struct tvmq_opencl_plan *plan,
                                    const char **reason, struct tvmq_text *why) {
  *reason = refuse(partition);
  if (*reason != NULL) return NULL;
  if (!list_borders(partition, offload, false) || !list_borders(partition, offload, true) || partition->arena_bytes > INT32_MAX - offload->memory.bytes) {
    *reason = "OpenCL: the tensors exceed offsets of 32 bits";
    return NULL;
  }
  offload->memory.bytes += partition->arena_bytes;
  const struct tvmq_step *const by = lower(partition, offload, plan, reason);
  if (*reason != NULL) return by;
  if (plan->n_launches == 0 || offload->memory.n_outs == 0) {
    *reason = "OpenCL: there is nothing to compute";
    return NULL;
  }
  offload->kept = tvmq_alloc_unset(offload->memory.out_bytes);
  if (offload->kept == NULL) {
    *reason = no_memory;
    return NULL;
  }
  offload->network = tvmq_opencl_network_create(device, plan, &offload->memory, why);
  if (offload->network == NULL) *reason = "OpenCL: the device refused the partition";
  return NULL;
}

bool tvmq_offload(struct tvmq_partition *partition, struct tvmq_opencl_device *device, enum tvmq_rounding rounding, struct tvmq_text *why) {
  struct tvmq_opencl_plan plan = {.rounding = rounding, .dot = device->dot};
  struct offload *const offload = create(partition);
  const struct tvmq_step *by = NULL;
  const char *reason = no_memory;
  if (offload != NULL) by = make(partition, offload, device, &plan, &reason, why);
  tvmq_opencl_plan_free(&plan);
  if (reason == NULL) {
    offload->base = (struct tvmq_offload){.run = run, .verify = verify, .destroy = destroy};
    partition->offload = &offload->base;
    show_steps(partition);
    return true;
  }
  if (by != NULL) tvmq_say(why, "node %d (%s): ", by->record->info.node, by->record->info.op);
  tvmq_say(why, "%s%s", why->length > 0 && by == NULL ? ": " : "", reason);
  show_reason(partition, by, reason);
  destroy((struct tvmq_offload *)offload);
  return false;
}

void tvmq_offload_refuse(const struct tvmq_partition *partition, const char *reason) { show_reason(partition, NULL, reason); }
