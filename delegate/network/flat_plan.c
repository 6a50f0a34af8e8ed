#include "network/flat_plan.h"

#include "base/memory.h"
#include "graph/partition.h"
#include "kernels/variants.h"

static size_t position(const TfLiteIntArray *list, int tensor) {
  size_t i = 0;
  while (i < (size_t)list->size && list->data[i] != tensor) i++;
  return i;
}

// Returns the number of the network's input or output, inputs first; SIZE_MAX for other tensors.
static size_t number_of(const struct tvmq_network *network, int tensor) {
  const TfLiteIntArray *inputs = network->runtime.model.inputs, *outputs = network->runtime.model.outputs;
  const size_t input = position(inputs, tensor), output = position(outputs, tensor);
  if (input < (size_t)inputs->size) return input;
  return output < (size_t)outputs->size ? (size_t)inputs->size + output : SIZE_MAX;
}

// Sets the slots of the tensors that each run gets; those that are constant keep the address that they have in the model.
static bool set_slots(const struct tvmq_network *network, const struct tvmq_partition *partition, struct tvmq_compiled *plan) {
  plan->slots = tvmq_alloc(partition->n_borrowed * sizeof plan->slots[0]);
  for (size_t i = 0; plan->slots != NULL && i < partition->n_borrowed; i++) {
    const struct tvmq_borrowed *tensor = &partition->borrowed[i];
    const size_t number = number_of(network, tensor->place->tensor);
    if (number != SIZE_MAX)
      plan->slots[plan->n_slots++] = (struct tvmq_compiled_slot){tensor->address, number, tensor->place->offset};
    else
      *tensor->address = (const uint8_t *)network->runtime.model.tensors[tensor->place->tensor].data + tensor->place->offset;
  }
  return plan->slots != NULL;
}

static bool set_passes(const struct tvmq_partition *partition, struct tvmq_compiled *plan) {
  for (size_t i = 0; i < partition->n; i++) plan->n_passes += partition->steps[i].n_passes;
  plan->passes = tvmq_alloc(plan->n_passes * sizeof plan->passes[0]);
  struct tvmq_compiled_pass *pass = plan->passes;
  for (size_t i = 0; pass != NULL && i < partition->n; i++) {
    const struct tvmq_step *step = &partition->steps[i];
    const struct tvmq_record *record = step->record;
    for (size_t number = 0; number < step->n_passes; number++) {
      *pass++ = (struct tvmq_compiled_pass){record->implementation,
                                            record->op,
                                            record->implementation->n_tasks(record->op, number),
                                            {.number = number, .in = step->in, .outs = step->out, .failure = &plan->failure}};
    }
  }
  return plan->passes != NULL;
}

// Returns whether a step writes each output of the network.
static bool writes_outputs(const struct tvmq_network *network, const struct tvmq_partition *partition) {
  const TfLiteIntArray *outputs = network->runtime.model.outputs;
  for (int i = 0; i < outputs->size; i++) {
    bool written = network->runtime.model.tensors[outputs->data[i]].bytes == 0;
    for (size_t j = 0; j < partition->n; j++) {
      const struct tvmq_step *step = &partition->steps[j];
      for (int k = 0; !step->idle && k < step->record->node.n_out; k++)
        written |= step->out_places[k].buffer < 0 && step->out_places[k].tensor == outputs->data[i];
    }
    if (!written) return false;
  }
  return true;
}

// Returns whether a tensor is listed twice among the inputs or among the outputs: a run gets one place for each tensor.
static bool lists_twice(const TfLiteIntArray *list) {
  for (int i = 0; i < list->size; i++) {
    if (position(list, list->data[i]) < (size_t)i) return true;
  }
  return false;
}

// Adds what is not the allocator's, or only a part of a block: the model's constants, the rows of kernels, the scratch.
// Marks the memory whose contents mean nothing, and the delegate itself, which no plan needs.
static void add_blocks(const struct tvmq_network *network, const struct tvmq_partition *partition, struct tvmq_recording *recording) {
  const struct tvmq_model *model = &network->runtime.model;
  for (size_t i = 0; i < model->n_tensors; i++) {
    const TfLiteTensor *tensor = &model->tensors[i];
    const TfLiteAffineQuantization *affine = tensor->quantization.params;
    if (tensor->allocation_type == kTfLiteMmapRo) tvmq_recording_add(recording, tensor->data, tensor->bytes, TVMQ_MEMORY_CONSTANT);
    if (affine != NULL) tvmq_recording_add(recording, affine->scale->data, (size_t)affine->scale->size * sizeof affine->scale->data[0], TVMQ_MEMORY_CONSTANT);
  }
  for (size_t i = 0; i < tvmq_n_variants; i++) {
    tvmq_recording_add(recording, &tvmq_variants[i], sizeof tvmq_variants[i], TVMQ_MEMORY_PLAN);
    tvmq_recording_note_unread(&tvmq_variants[i].name);
  }
  tvmq_recording_set_kind(recording, partition->arena->scratch.memory, TVMQ_MEMORY_ROOM);
  tvmq_recording_set_kind(recording, network->delegate->scratch.memory, TVMQ_MEMORY_ROOM);
  tvmq_recording_set_kind(recording, network->delegate, TVMQ_MEMORY_FOREIGN);
  tvmq_recording_add(recording, &network->delegate->scratch, sizeof network->delegate->scratch, TVMQ_MEMORY_PLAN);
}

void tvmq_flat_plan_free(struct tvmq_compiled *plan) {
  if (plan == NULL) return;
  tvmq_free(plan->passes);
  tvmq_free(plan->slots);
  tvmq_free(plan);
}

struct tvmq_compiled *tvmq_flat_plan(const struct tvmq_network *network, struct tvmq_recording *recording, struct tvmq_text *why) {
  const struct tvmq_partition *partition = network->runtime.node.user_data;
  const struct tvmq_model *model = &network->runtime.model;
  if (lists_twice(model->inputs) || lists_twice(model->outputs)) {
    tvmq_say(why, "a tensor is listed twice among the inputs or the outputs of the network");
    return NULL;
  }
  if (!writes_outputs(network, partition)) {
    tvmq_say(why, "an output of the network is a constant or an input");
    return NULL;
  }
  struct tvmq_compiled *plan = tvmq_alloc(sizeof *plan);
  if (plan == NULL || !set_slots(network, partition, plan) || !set_passes(partition, plan)) {
    tvmq_say(why, "out of memory");
    tvmq_flat_plan_free(plan);
    return NULL;
  }
  add_blocks(network, partition, recording);
  return plan;
}
