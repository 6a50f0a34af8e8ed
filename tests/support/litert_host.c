// A C program that runs a model in LiteRT's CompiledModel with the accelerator, and sets no options:
// litert_host FOLDER KERNEL_MODE MODEL [INPUT OUTPUT]. It prints which nodes the delegate takes, and why it leaves others.
//
// FOLDER holds libLiteRtGpuAccelerator.so and its tvmq_delegate.conf. INPUT and OUTPUT are files of the bytes of the model's one input and one output.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/litert_c.h"
#include "tvmq_delegate.h"

static void check(bool ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "%s: failed\n", what);
  exit(1);
}

#define CHECK(call) check((call) == kLiteRtStatusOk, #call)

static LiteRtEnvironment make_environment(const char *folder) {
  const LiteRtEnvOption option = {.tag = kLiteRtEnvOptionTagRuntimeLibraryDir, .value = {.type = kLiteRtAnyTypeString, .str_value = folder}};
  LiteRtEnvironment environment;
  CHECK(LiteRtCreateEnvironment(1, &option, &environment));
  return environment;
}

static LiteRtCompiledModel compile(LiteRtEnvironment environment, LiteRtModel model, const char *kernel_mode) {
  char *toml = malloc(256);
  check(toml != NULL && snprintf(toml, 256, "num_threads = 1\nkernel_mode = \"%s\"\n", kernel_mode) < 256, "the options");
  LiteRtOptions options;
  LiteRtOpaqueOptions cpu;
  LiteRtCompiledModel compiled;
  CHECK(LiteRtCreateOptions(&options));
  CHECK(LiteRtSetOptionsHardwareAccelerators(options, kLiteRtHwAcceleratorCpu));
  CHECK(LiteRtCreateOpaqueOptions("xnnpack", toml, free, &cpu));
  CHECK(LiteRtAddOpaqueOptions(options, cpu));
  CHECK(LiteRtCreateCompiledModel(environment, model, options, &compiled));
  LiteRtDestroyOptions(options);
  return compiled;
}

static LiteRtTensorBuffer make_buffer(LiteRtEnvironment environment, LiteRtTensor tensor, LiteRtTensorBufferRequirements requirements) {
  LiteRtRankedTensorType type;
  LiteRtTensorBuffer buffer;
  CHECK(LiteRtGetRankedTensorType(tensor, &type));
  CHECK(LiteRtCreateManagedTensorBufferFromRequirements(environment, &type, requirements, &buffer));
  return buffer;
}

// Fills the buffer from the file, or writes it there.
static void copy(LiteRtTensorBuffer buffer, const char *path, bool write) {
  void *memory;
  size_t size;
  FILE *file = fopen(path, write ? "wb" : "rb");
  check(file != NULL, path);
  CHECK(LiteRtGetTensorBufferPackedSize(buffer, &size));
  CHECK(LiteRtLockTensorBuffer(buffer, &memory, write ? kLiteRtTensorBufferLockModeRead : kLiteRtTensorBufferLockModeWrite));
  check((write ? fwrite(memory, 1, size, file) : fread(memory, 1, size, file)) == size, path);
  CHECK(LiteRtUnlockTensorBuffer(buffer));
  check(fclose(file) == 0, path);
}

static void run(LiteRtEnvironment environment, LiteRtModel model, LiteRtCompiledModel compiled, const char *from, const char *into) {
  LiteRtParamIndex index;
  LiteRtSubgraph graph;
  LiteRtTensor tensor;
  LiteRtTensorBufferRequirements requirements;
  CHECK(LiteRtGetMainModelSubgraphIndex(model, &index));
  CHECK(LiteRtGetModelSubgraph(model, index, &graph));
  CHECK(LiteRtGetSubgraphInput(graph, 0, &tensor));
  CHECK(LiteRtGetCompiledModelInputBufferRequirements(compiled, 0, 0, &requirements));
  LiteRtTensorBuffer input = make_buffer(environment, tensor, requirements);
  CHECK(LiteRtGetSubgraphOutput(graph, 0, &tensor));
  CHECK(LiteRtGetCompiledModelOutputBufferRequirements(compiled, 0, 0, &requirements));
  LiteRtTensorBuffer output = make_buffer(environment, tensor, requirements);
  copy(input, from, false);
  CHECK(LiteRtRunCompiledModel(compiled, 0, 1, &input, 1, &output));
  copy(output, into, true);
  LiteRtDestroyTensorBuffer(input);
  LiteRtDestroyTensorBuffer(output);
}

static void print_delegates(const char *folder) {
  char path[4096];
  check(snprintf(path, sizeof path, "%s/libLiteRtGpuAccelerator.so", folder) < (int)sizeof path, folder);
  void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
  check(library != NULL, path);
  const void *(*delegate_at)(int index);
  void *found = dlsym(library, "tvmq_accelerator_delegate");
  check(found != NULL, "tvmq_accelerator_delegate");
  memcpy(&delegate_at, &found, sizeof found);
  const void *delegate;
  for (int i = 0; (delegate = delegate_at(i)) != NULL; i++) {
    const struct tvmq_delegate_info *info = tvmq_get_delegate(delegate);
    printf("runtime: %s; fully_connected=%s, fast_math=%s, hybrid=%s, float32=%s\n", info->runtime, info->fully_connected, info->fast_math, info->hybrid,
           info->float32);
    const struct tvmq_node_info *node;
    for (int j = 0; (node = tvmq_get_node(delegate, j)) != NULL; j++) printf("node %d %d %s\n", node->subgraph, node->node, node->reason);
  }
}

int main(int argc, char **argv) {
  if (argc != 4 && argc != 6) {
    fprintf(stderr, "usage: %s FOLDER KERNEL_MODE MODEL [INPUT OUTPUT]\n", argv[0]);
    return 2;
  }
  LiteRtEnvironment environment = make_environment(argv[1]);
  LiteRtModel model;
  CHECK(LiteRtCreateModelFromFile(environment, argv[3], &model));
  LiteRtCompiledModel compiled = compile(environment, model, argv[2]);
  if (argc == 6) run(environment, model, compiled, argv[4], argv[5]);
  print_delegates(argv[1]);
  LiteRtDestroyCompiledModel(compiled);
  LiteRtDestroyModel(model);
  LiteRtDestroyEnvironment(environment);
  return 0;
}
