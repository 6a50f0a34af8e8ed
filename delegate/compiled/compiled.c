#include "compiled/compiled.h"

#include <string.h>

#include "base/fp_mode.h"
#include "cpu/cpu_arch.h"

static void write_image(const struct tvmq_compiled_data *data, char *to) {
  const uint32_t *next = data->words;
  memset(to, 0, data->image_bytes);
  for (size_t first = 0; first < data->image_bytes / sizeof *next; first += 32) {
    for (uint32_t present = data->present[first / 32]; present != 0; present &= present - 1)
      memcpy(to + (first + (size_t)__builtin_ctz(present)) * sizeof *next, next++, sizeof *next);
  }
}

int tvmq_compiled_init(const struct tvmq_compiled_data *const *plans, size_t n, void *arena) {
  if (arena == NULL || (uintptr_t)arena % TVMQ_ALIGNMENT != 0) return TVMQ_COMPILED_UNALIGNED;
  const uint32_t features = tvmq_cpu_arch_features();
  while (n > 0 && ((*plans)->cpu & ~features) != 0) plans++, n--;
  if (n == 0) return TVMQ_COMPILED_CPU;
  const struct tvmq_compiled_data *data = *plans;
  write_image(data, arena);
  for (const struct tvmq_compiled_pointer *p = data->pointers; p < data->pointers + data->n_pointers; p++) {
    const uintptr_t base = p->base == TVMQ_BASE_ARENA       ? (uintptr_t)arena
                           : p->base == TVMQ_BASE_CONSTANTS ? (uintptr_t)data->constants
                                                            : (uintptr_t)data->symbols[p->base - TVMQ_BASE_SYMBOLS];
    *(uintptr_t *)((char *)arena + p->at) += base;
  }
  return TVMQ_COMPILED_OK;
}

static void run_pass(const struct tvmq_compiled_pass *pass) {
  for (size_t i = 0; i < pass->n_tasks; i++) pass->implementation->run_task(pass->op, &pass->pass, (struct tvmq_task){.index = i, .since = i > 0});
}

int tvmq_compiled_run(const struct tvmq_compiled_data *data, void *arena, const void *const *inputs, void *const *outputs) {
  struct tvmq_compiled *compiled = arena;
  for (const struct tvmq_compiled_slot *slot = compiled->slots; slot < compiled->slots + compiled->n_slots; slot++) {
    const void *tensor = slot->tensor < data->n_inputs ? inputs[slot->tensor] : outputs[slot->tensor - data->n_inputs];
    *slot->address = (const char *)tensor + slot->offset;
  }
  compiled->failure = NULL;
  const struct tvmq_fp_mode fp_mode = tvmq_fp_enter();
  for (size_t i = 0; i < compiled->n_passes; i++) run_pass(&compiled->passes[i]);
  tvmq_fp_leave(fp_mode);
  return compiled->failure == NULL ? TVMQ_COMPILED_OK : TVMQ_COMPILED_FAILED;
}
