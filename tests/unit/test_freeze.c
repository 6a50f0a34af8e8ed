// Plans as data: a plan that is frozen, and thawed in other memory by the functions of a compiled network, gives the
// results of the network. The constants are in memory that cannot be written to, and the image alone decides on the rest.
// Arguments are models, the first one small, and folders of models.
#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "compiled/compiled.h"
#include "kernels/variants.h"
#include "network/symbols.h"
#include "tvmq_network.h"
#include "unit.h"

enum { ERROR = 4096, MOST_TENSORS = 64, ROUNDS = 3, MOST_SYMBOLS = 256, PATH = 4096, SURVIVED = 16, STACK = 256 << 10 };

static char error[ERROR];

// Returns the address of a symbol: a row's kernel, or one of those that plans may point to.
static const void *address_of(const char *name) {
  for (size_t i = 0; i < tvmq_n_variants; i++) {
    if (strcmp(tvmq_variants[i].name, name) == 0) return (const void *)(uintptr_t)tvmq_variants[i].fn.gemm;
  }
  for (size_t i = 0; i < tvmq_n_symbols; i++) {
    if (strcmp(tvmq_symbols[i].name, name) == 0) return (const void *)tvmq_symbols[i].address;
  }
  return NULL;
}

static void fill(void *data, size_t bytes, const char *type, unsigned long long *seed) {
  for (size_t i = 0; i < bytes; i++) ((uint8_t *)data)[i] = (uint8_t)(unit_random(seed) >> 56);
  for (size_t i = 0; strcmp(type, "float32") == 0 && i < bytes / sizeof(float); i++) ((float *)data)[i] = (float)(int8_t)((uint8_t *)data)[4 * i] / 64;
}

// Compares one inference. `arena` has an instance.
static void check_run(const char *path, struct tvmq_network *network, const struct tvmq_compiled_data *data, void *arena, unsigned long long *seed) {
  const void *inputs[MOST_TENSORS];
  void *outputs[MOST_TENSORS];
  int n_in = 0, n_out = 0;
  for (const struct tvmq_tensor_info *in; (in = tvmq_network_input(network, n_in)) != NULL; n_in++) {
    fill(in->data, in->bytes, in->type, seed);
    inputs[n_in] = in->data;
  }
  for (const struct tvmq_tensor_info *out; (out = tvmq_network_output(network, n_out)) != NULL; n_out++) outputs[n_out] = malloc(out->bytes + 1);
  const int status = tvmq_compiled_run(data, arena, inputs, outputs);
  CHECK((tvmq_network_run(network) == 0) == (status == TVMQ_COMPILED_OK), "%s: status %d", path, status);
  for (int i = 0; i < n_out; i++) {
    const struct tvmq_tensor_info *out = tvmq_network_output(network, i);
    CHECK(status != TVMQ_COMPILED_OK || memcmp(out->data, outputs[i], out->bytes) == 0, "%s: output %d differs", path, i);
    free(outputs[i]);
  }
}

static void check_frozen(const char *path, const struct tvmq_frozen_network *frozen, struct tvmq_network *network) {
  static const void *symbols[MOST_SYMBOLS];
  CHECK(frozen->n_symbols <= MOST_SYMBOLS, "%s: %d symbols", path, frozen->n_symbols);
  for (int i = 0; i < frozen->n_symbols; i++) {
    symbols[i] = address_of(frozen->symbols[i]);
    CHECK(symbols[i] != NULL, "%s: %s", path, frozen->symbols[i]);
  }
  const size_t bytes = frozen->constants_bytes;
  void *constants = mmap(NULL, bytes + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(constants, frozen->constants, bytes);
  mprotect(constants, bytes + 1, PROT_READ);
  struct tvmq_compiled_data data = {
      .present = frozen->present,
      .words = frozen->words,
      .image_bytes = frozen->image_bytes,
      .arena_bytes = frozen->arena_bytes,
      .constants = constants,
      .pointers = (const struct tvmq_compiled_pointer *)frozen->pointers,
      .n_pointers = (size_t)frozen->n_pointers,
      .symbols = symbols,
      .cpu = frozen->cpu,
  };
  while (tvmq_network_input(network, (int)data.n_inputs) != NULL) data.n_inputs++;
  void *arena = aligned_alloc(TVMQ_ALIGNMENT, (frozen->arena_bytes / TVMQ_ALIGNMENT + 1) * TVMQ_ALIGNMENT);
  memset(arena, 0xa5, frozen->arena_bytes);
  struct tvmq_compiled_data better = data;  // for another processor, and without anything else
  better.cpu |= 1u << 31;
  better.image_bytes = 0;
  const struct tvmq_compiled_data *const plans[] = {&better, &data};
  CHECK(tvmq_compiled_init(plans, 2, (char *)arena + 8) == TVMQ_COMPILED_UNALIGNED && tvmq_compiled_init(plans, 2, NULL) == TVMQ_COMPILED_UNALIGNED, "%s",
        path);
  CHECK(tvmq_compiled_init(plans, 1, arena) == TVMQ_COMPILED_CPU, "%s: features that no processor has", path);
  CHECK(tvmq_compiled_init(plans, 2, arena) == TVMQ_COMPILED_OK, "%s", path);
  unsigned long long seed = 1;
  for (int round = 0; round < ROUNDS; round++) check_run(path, network, &data, arena, &seed);
  free(arena);
  munmap(constants, bytes + 1);
}

// Leaves a byte in all of the stack that the next calls use: where a structure is copied with its padding, the plan has that byte.
static __attribute__((noinline)) void fill_stack(int byte) {
  volatile char below[STACK];
  for (size_t i = 0; i < sizeof below; i++) below[i] = (char)byte;
}

// Compares two plans, each with another byte on the stack.
static void check_undefined(const char *path, const void *model, size_t size) {
  const struct tvmq_frozen_network *plans[2];
  for (int i = 0; i < 2; i++) {
    fill_stack(i == 0 ? 0x11 : 0x22);
    plans[i] = tvmq_network_freeze(model, size, NULL, NULL, 0, error, ERROR);
  }
  if (plans[0] != NULL && CHECK(plans[1] != NULL && plans[0]->image_bytes == plans[1]->image_bytes, "%s: plans differ", path)) {
    CHECK(plans[0]->n_words == plans[1]->n_words && memcmp(plans[0]->words, plans[1]->words, plans[0]->n_words * sizeof plans[0]->words[0]) == 0,
          "%s: undefined bytes are in the plan", path);
  }
  for (int i = 0; i < 2; i++) tvmq_frozen_release(plans[i]);
}

static void check_model(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0, "%s", path)) return;
  const long size = ftell(file);
  void *model = malloc((size_t)size);
  rewind(file);
  CHECK(fread(model, 1, (size_t)size, file) == (size_t)size, "%s", path);
  fclose(file);
  const char *const keys[] = {"log_severity"}, *const values[] = {"silent"};
  struct tvmq_network *network = tvmq_network_open(model, (unsigned long long)size, keys, values, 1, error, ERROR);
  const struct tvmq_frozen_network *frozen = tvmq_network_freeze(model, (unsigned long long)size, keys, values, 1, error, ERROR);
  const bool refused = frozen == NULL && (network == NULL || strstr(error, "math library") != NULL || strstr(error, "an output of the network is") != NULL);
  CHECK(frozen != NULL || refused, "%s: %s", path, error);
  if (frozen != NULL && CHECK(network != NULL, "%s: only frozen", path)) check_frozen(path, frozen, network);
  tvmq_frozen_release(frozen);
  tvmq_network_close(network);
  check_undefined(path, model, (size_t)size);
  free(model);
}

// Lets each allocation fail in turn, until so many in a row do not matter that there are no more.
static void check_memory_failures(const char *path) {
  static uint8_t model[1 << 16];
  FILE *file = fopen(path, "rb");
  const size_t size = file != NULL ? fread(model, 1, sizeof model, file) : 0, blocks = tvmq_alloc_live();
  if (file != NULL) fclose(file);
  size_t n_failed = 0;
  for (size_t n = 1, in_a_row = 0; in_a_row < SURVIVED; n++) {
    tvmq_alloc_fail_once(n);
    const struct tvmq_frozen_network *frozen = tvmq_network_freeze(model, size, NULL, NULL, 0, error, ERROR);
    tvmq_alloc_fail_once(0);
    in_a_row = frozen != NULL ? in_a_row + 1 : 0;
    n_failed += frozen == NULL;
    CHECK(frozen != NULL || error[0] != '\0', "%s: allocation %zu fails without a reason", path, n);
    tvmq_frozen_release(frozen);
    CHECK(tvmq_alloc_live() == blocks, "%s: allocation %zu fails: %zu blocks are left", path, n, tvmq_alloc_live() - blocks);
  }
  CHECK(n_failed > 50, "%s: %zu failures", path, n_failed);
}

static void check_folder(const char *folder) {
  DIR *list = opendir(folder);
  if (list == NULL) {
    check_model(folder);
    return;
  }
  for (const struct dirent *entry; (entry = readdir(list)) != NULL;) {
    char path[PATH];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (strstr(entry->d_name, ".tflite") != NULL) check_model(path);
  }
  closedir(list);
}

int main(int argc, char **argv) {
  if (argc > 1) check_memory_failures(argv[1]);
  for (int i = 1; i < argc; i++) check_folder(argv[i]);
  return unit_report();
}
