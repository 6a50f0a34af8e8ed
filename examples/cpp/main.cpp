// What the library says of the processor and of a delegate. A program with TensorFlow Lite's headers hands the delegate to its interpreter:
//
//   interpreter->ModifyGraphWithDelegate(static_cast<TfLiteDelegate *>(delegate.get()));
#include <tvmq_delegate.hpp>

#include <cstdio>
#include <memory>

extern "C" {
void *tflite_plugin_create_delegate(const char *const *names, const char *const *values, size_t n, void (*report_error)(const char *));
void tflite_plugin_destroy_delegate(void *delegate);
}

int main() {
  const tvmq_cpu_info *cpu = tvmq_get_cpu();
  std::printf("%s: tvmq-delegate %s on %s (%s)\n", TVMQ_LIBRARY, tvmq_version(), cpu->name, cpu->isa);
  int kernels = 0;
  const tvmq_kernel_info *kernel;
  for (int i = 0; (kernel = tvmq_get_kernel(i)) != nullptr; i++) kernels += kernel->available;
  std::printf("%d kernels for this processor\n", kernels);

  const char *const names[] = {"num_threads", "profile"}, *const values[] = {"1", "true"};
  const auto report = [](const char *message) { std::fprintf(stderr, "%s\n", message); };
  const std::unique_ptr<void, void (*)(void *)> delegate(tflite_plugin_create_delegate(names, values, 2, report), tflite_plugin_destroy_delegate);
  if (!delegate) return 1;
  std::printf("a delegate with %d threads, rounding %s\n", tvmq_get_delegate(delegate.get())->threads, tvmq_get_delegate(delegate.get())->rounding);
  return 0;
}
