// Runs a model in LiteRT's CompiledModel with the delegate: run MODEL FOLDER THREADS INPUT OUTPUT. FOLDER is the one that holds libLiteRtGpuAccelerator.so
// alone (pkg-config --variable=litert_runtime_path tvmq_delegate); INPUT and OUTPUT are files of the tensors' bytes, one tensor after the other.
//
//   c++ -std=c++17 run.cpp -I<LiteRT's sources> $(pkg-config --cflags --libs tvmq_delegate) -L<folder of libLiteRt.so> -lLiteRt -ldl -o run
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <tvmq_delegate.hpp>
#include <type_traits>
#include <vector>

#include "litert/c/litert_compiled_model.h"
#include "litert/c/litert_environment.h"
#include "litert/c/litert_environment_options.h"
#include "litert/c/litert_model.h"
#include "litert/c/litert_opaque_options.h"
#include "litert/c/litert_options.h"
#include "litert/c/litert_tensor_buffer.h"

namespace {

void check(LiteRtStatus status, const char *what) {
  if (status == kLiteRtStatusOk) return;
  std::fprintf(stderr, "%s: LiteRT's status %d\n", what, static_cast<int>(status));
  std::exit(1);
}

template <typename Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, void (*)(Handle)>;

// An environment that finds the delegate in a folder.
Owned<LiteRtEnvironment> make_environment(const char *folder) {
  LiteRtEnvOption option{};
  option.tag = kLiteRtEnvOptionTagRuntimeLibraryDir;
  option.value.type = kLiteRtAnyTypeString;
  option.value.str_value = folder;
  LiteRtEnvironment environment = nullptr;
  check(LiteRtCreateEnvironment(1, &option, &environment), "the environment");
  return {environment, LiteRtDestroyEnvironment};
}

// LiteRT's CPU options are lines of TOML; this is what LrtCreateCpuOptions and LrtSetCpuOptionsNumThread make.
Owned<LiteRtOptions> make_options(const std::string &threads) {
  LiteRtOptions options = nullptr;
  check(LiteRtCreateOptions(&options), "the options");
  check(LiteRtSetOptionsHardwareAccelerators(options, kLiteRtHwAcceleratorCpu), "the options");
  LiteRtOpaqueOptions cpu = nullptr;
  check(LiteRtCreateOpaqueOptions("xnnpack", strdup(("num_threads = " + threads + "\n").c_str()), std::free, &cpu), "the CPU options");
  check(LiteRtAddOpaqueOptions(options, cpu), "the CPU options");
  return {options, LiteRtDestroyOptions};
}

// Buffers for the tensors at one end of the model, with memory as the compiled model wants it.
template <typename Count, typename Get, typename Require>
std::vector<LiteRtTensorBuffer> make_buffers(LiteRtEnvironment environment, LiteRtSubgraph graph, LiteRtCompiledModel model, Count count, Get get,
                                             Require require) {
  LiteRtParamIndex n = 0;
  check(count(graph, &n), "the number of tensors");
  std::vector<LiteRtTensorBuffer> buffers(n);
  for (LiteRtParamIndex i = 0; i < n; i++) {
    LiteRtTensor tensor = nullptr;
    LiteRtRankedTensorType type;
    LiteRtTensorBufferRequirements requirements = nullptr;
    check(get(graph, i, &tensor), "a tensor");
    check(LiteRtGetRankedTensorType(tensor, &type), "the type of a tensor");
    check(require(model, 0, i, &requirements), "what a buffer has to be");
    check(LiteRtCreateManagedTensorBufferFromRequirements(environment, &type, requirements, &buffers[i]), "a buffer");
  }
  return buffers;
}

template <typename Copy>
void with_memory(LiteRtTensorBuffer buffer, LiteRtTensorBufferLockMode mode, Copy copy) {
  void *memory = nullptr;
  size_t size = 0;
  check(LiteRtGetTensorBufferPackedSize(buffer, &size), "the size of a buffer");
  check(LiteRtLockTensorBuffer(buffer, &memory, mode), "the memory of a buffer");
  copy(static_cast<char *>(memory), size);
  check(LiteRtUnlockTensorBuffer(buffer), "the memory of a buffer");
}

// How much of the model the delegate took: the accelerator that LiteRT has loaded tells its delegates.
void print_delegates(const char *folder) {
  void *library = dlopen((std::string(folder) + "/libLiteRtGpuAccelerator.so").c_str(), RTLD_NOW | RTLD_NOLOAD);
  void *symbol = library != nullptr ? dlsym(library, "tvmq_accelerator_delegate") : nullptr;
  const auto at = reinterpret_cast<const void *(*)(int)>(symbol);
  if (at == nullptr || at(0) == nullptr) std::printf("the delegate is not there\n");
  const void *delegate;
  for (int i = 0; at != nullptr && (delegate = at(i)) != nullptr; i++) {
    const tvmq_delegate_info *info = tvmq_get_delegate(delegate);
    std::printf("%d of %d nodes by the delegate, %d threads\n", info->claimed, info->nodes, info->threads);
  }
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: %s MODEL FOLDER THREADS INPUT OUTPUT\n", argv[0]);
    return 2;
  }
  const auto environment = make_environment(argv[2]);
  LiteRtModel loaded = nullptr;
  check(LiteRtCreateModelFromFile(environment.get(), argv[1], &loaded), argv[1]);
  const Owned<LiteRtModel> model(loaded, LiteRtDestroyModel);
  const auto options = make_options(argv[3]);
  LiteRtCompiledModel made = nullptr;
  check(LiteRtCreateCompiledModel(environment.get(), model.get(), options.get(), &made), "the compiled model");
  const Owned<LiteRtCompiledModel> compiled(made, LiteRtDestroyCompiledModel);

  LiteRtParamIndex index = 0;
  LiteRtSubgraph graph = nullptr;
  check(LiteRtGetMainModelSubgraphIndex(model.get(), &index), "the graph");
  check(LiteRtGetModelSubgraph(model.get(), index, &graph), "the graph");
  auto inputs =
      make_buffers(environment.get(), graph, compiled.get(), LiteRtGetNumSubgraphInputs, LiteRtGetSubgraphInput, LiteRtGetCompiledModelInputBufferRequirements);
  auto outputs = make_buffers(environment.get(), graph, compiled.get(), LiteRtGetNumSubgraphOutputs, LiteRtGetSubgraphOutput,
                              LiteRtGetCompiledModelOutputBufferRequirements);
  std::ifstream source(argv[4], std::ios::binary);
  for (LiteRtTensorBuffer buffer : inputs) {
    with_memory(buffer, kLiteRtTensorBufferLockModeWrite, [&](char *memory, size_t size) { source.read(memory, static_cast<std::streamsize>(size)); });
  }
  if (!source) {
    std::fprintf(stderr, "%s: fewer bytes than the model's inputs have\n", argv[4]);
    return 1;
  }
  check(LiteRtRunCompiledModel(compiled.get(), 0, inputs.size(), inputs.data(), outputs.size(), outputs.data()), "the run");
  std::ofstream target(argv[5], std::ios::binary);
  for (LiteRtTensorBuffer buffer : outputs) {
    with_memory(buffer, kLiteRtTensorBufferLockModeRead, [&](char *memory, size_t size) { target.write(memory, static_cast<std::streamsize>(size)); });
  }
  print_delegates(argv[2]);
  for (LiteRtTensorBuffer buffer : inputs) LiteRtDestroyTensorBuffer(buffer);
  for (LiteRtTensorBuffer buffer : outputs) LiteRtDestroyTensorBuffer(buffer);
  return 0;
}
