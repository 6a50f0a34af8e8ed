// Bytes as a model: opened or refused, and what opens is run, resized and run again, unless that would take long.
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fuzz.h"
#include "network/model.h"
#include "tflite/tensor.h"
#include "tvmq_delegate.h"
#include "tvmq_network.h"

struct fuzz_counts fuzz_counts;

enum { MOST_BYTES = 1 << 16, MOST_MACS = 1 << 20, LARGEST_TENSOR = 1 << 22, ERROR = 256 };

// Sanitizers otherwise end the process where an allocation of that many bytes fails.
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }

static bool is_small(struct tvmq_network *network) {
  const struct tvmq_tensor_info *tensor;
  const struct tvmq_node_info *node;
  unsigned long long bytes = 0, macs = 0;
  for (int i = 0; (tensor = tvmq_network_input(network, i)) != NULL; i++) bytes += tensor->bytes;
  for (int i = 0; (tensor = tvmq_network_output(network, i)) != NULL; i++) bytes += tensor->bytes;
  for (int i = 0; (node = tvmq_get_node(tvmq_network_delegate(network), i)) != NULL; i++) macs += node->macs;
  return bytes < MOST_BYTES && macs < MOST_MACS && tvmq_get_delegate(tvmq_network_delegate(network))->arena_bytes < MOST_BYTES;
}

static void run(struct tvmq_network *network) {
  const struct tvmq_tensor_info *tensor;
  if (!is_small(network)) return;
  for (int i = 0; (tensor = tvmq_network_input(network, i)) != NULL; i++) memset(tensor->data, 3 * i + 1, tensor->bytes);
  if (tvmq_network_run(network) != 0) {
    if (tvmq_network_error(network)[0] == '\0') abort();
    return;
  }
  uint8_t sum = 0;
  for (int i = 0; (tensor = tvmq_network_output(network, i)) != NULL; i++) {
    for (unsigned long long j = 0; j < tensor->bytes; j++) sum = (uint8_t)(sum + ((const uint8_t *)tensor->data)[j]);
  }
  volatile uint8_t kept = sum;  // every byte of the outputs is readable
  (void)kept;
  fuzz_counts.compared++;
}

// Gives the first input one more row, and one channel less.
static void resize(struct tvmq_network *network) {
  const struct tvmq_tensor_info *input = tvmq_network_input(network, 0);
  int dims[8];
  if (input == NULL || input->rank == 0 || input->rank > 8) return;
  const int rank = input->rank;
  for (int change = 0; change < 2; change++) {
    memcpy(dims, tvmq_network_input(network, 0)->dims, (size_t)rank * sizeof dims[0]);
    int *changed = &dims[change == 0 ? rank / 2 : rank - 1];
    *changed = change == 0 ? (*changed < 64 ? *changed + 1 : *changed) : (*changed > 0 ? *changed - 1 : 0);
    if (tvmq_network_resize_input(network, 0, dims, rank) != 0 || tvmq_network_prepare(network) != 0) {
      if (tvmq_network_error(network)[0] == '\0' || tvmq_network_run(network) == 0) abort();
      continue;
    }
    run(network);
  }
}

// Returns whether planning takes long, because a tensor is large.
static bool plans_long(const void *bytes, size_t size) {
  struct tvmq_model model;
  struct tvmq_shape shape;
  bool found = false;
  if (tvmq_model_read(&model, bytes, size) != NULL) return false;
  for (size_t i = 0; i < model.n_tensors; i++) found |= tvmq_tensor_shape(&model.tensors[i], &shape) == NULL && shape.bytes > LARGEST_TENSOR;
  tvmq_model_release(&model);
  return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const keys[] = {"log_severity"}, *const values[] = {"silent"};
  const size_t blocks = tvmq_alloc_live();
  char error[ERROR];
  void *model = malloc(size > 0 ? size : 1);  // whose end is the end of a block
  if (model == NULL) return 0;
  memcpy(model, data, size);
  if (plans_long(model, size)) {
    free(model);
    return 0;
  }
  struct tvmq_network *network = tvmq_network_open(model, size, keys, values, 1, error, sizeof error);
  if ((network == NULL) != (error[0] != '\0')) abort();
  fuzz_counts.claimed += network != NULL;
  fuzz_counts.refused += network == NULL;
  if (network != NULL) {
    run(network);
    resize(network);
    tvmq_network_close(network);
  }
  free(model);
  if (tvmq_alloc_live() != blocks) abort();
  return 0;
}
